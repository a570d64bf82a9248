"""PlanetWars as an environment of verifiers: one model against a bot, or two against each other; the reward is winning.

    pip install "planetwars-env[verifiers]"
    cd scripts/examples
    vf-eval verifiers_planetwars -m MODEL --client.base-url URL --no-push -n 4
    vf-eval verifiers_planetwars -m MODEL --env.taskset.opponent self --env.second.model OTHER --no-push

Each task is a game: a graph, a seed and the player of `first`. Both players of a game with opponent "self" are agents of
their own, `first` as player 1 and `second` as player 2. A model that stops before the end has lost.
"""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import verifiers.v1 as vf

import planetwars_env as pw

CHAT: Any = {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}
"""An agent that only talks: no tools, and its small program runs on this machine."""


class GameConfig(vf.TasksetConfig):
    """Games to play. ``opponent``: a bot, or "self" for two models; ``graphs``: a pool or a graph."""

    opponent: str = "ai1"
    graphs: str = "rings"
    rules: str = "PLANETWARS"
    games: int = 20
    max_turns: int = 200
    compact: bool = True


class GameData(vf.TaskData):
    """One game."""

    opponent: str
    graph: str
    rules: str
    player: int
    seed: int
    max_turns: int
    compact: bool


class GameTask(vf.Task[GameData]):
    """Task to win a game; the environment scores it."""


class GameTaskset(vf.Taskset[GameTask, GameConfig]):
    """Games on the graphs in turn, each graph first as player 1 and then as player 2."""

    def load(self) -> Iterator[GameTask]:
        """Yield the games."""
        chosen = self.config
        try:
            names = [graph.name for graph in pw.load_pool(chosen.graphs)]
        except pw.GraphError:
            names = [chosen.graphs]
        for number in range(chosen.games):
            data = GameData(
                name=f"game {number}",
                prompt=None,  # the environment opens the conversation
                opponent=chosen.opponent,
                graph=names[number // 2 % len(names)],
                rules=chosen.rules,
                player=1 if chosen.opponent == "self" else 1 + number % 2,
                seed=number,
                max_turns=chosen.max_turns,
                compact=chosen.compact,
            )
            yield GameTask(data, chosen.task)


class GameEnvConfig(vf.EnvConfig):
    """The agents."""

    first: vf.AgentConfig = vf.AgentConfig(**CHAT)
    second: vf.AgentConfig = vf.AgentConfig(**CHAT)


class GameEnv(vf.Env[GameEnvConfig]):
    """Game between `first` and a bot, or between `first` and `second`, who read messages and write replies."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Play one game and record +1, 0 or -1 for each agent, and its share of legal moves."""
        data: Any = task.data
        env: Any = pw.make(
            "PlanetWarsText-v0", rules=data.rules, opponent=data.opponent, graphs=data.graph, player=data.player,
            max_turns=data.max_turns, compact=data.compact, disable_env_checker=True,
        )  # fmt: skip
        message, info = env.reset(seed=data.seed)
        parts, legal, left = {1: 0, 2: 0}, {1: 0, 2: 0}, 0
        async with AsyncExitStack() as stack:
            players = {data.player: await stack.enter_async_context(agents.first.interaction(task))}
            if data.opponent == "self":
                players[2] = await stack.enter_async_context(agents.second.interaction(task))
            over = False
            while not over:
                player = env.unwrapped.player
                segment = await players[player].turn(message)
                if segment.terminated:
                    left = player
                    break
                message, _, terminated, truncated, info = env.step(segment.last_reply)
                parts[player] += info["asked"] + info["malformed"]
                legal[player] += info["legal"]
                over = terminated or truncated
        winner = 3 - left if left else info["winner"]
        for player, interaction in players.items():
            interaction.trace.record_reward("won", 0.0 if not winner else 1.0 if winner == player else -1.0)
            interaction.trace.record_metric("legal_moves", legal[player] / parts[player] if parts[player] else 1.0)
            interaction.trace.record_metric("turns", float(info["turn"]))


__all__ = ["GameEnv", "GameTaskset"]
