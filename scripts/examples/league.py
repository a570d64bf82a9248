"""A league outside the trainer: PPO against bots and frozen copies of itself, the harder ones more often. Try --help."""

from copy import deepcopy
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from exam import REWARD, Graphs, Progress, examine, need, task_on
from gymnasium.vector import AutoresetMode

import planetwars_env as pw

need("agents", "torch")

import torch
from cleanrl_ppo import GAMES, LEARNING_RATE, ROLLOUT, ActorCritic, collect, draw, learn


class League:
    """The vector environment, with the games won against each of its opponents; passes for it in `collect`."""

    def __init__(self, envs: pw.PlanetWarsVectorEnv, task: dict[str, Any], most_copies: int) -> None:
        self.envs, self.action_masks = envs, envs.action_masks
        self.shapes = {"observation": "flat", "limits": task["limits"], "fractions": task["fractions"]}
        self.members: list[Any] = list(envs.opponents)
        self.most = len(self.members) + most_copies
        self.games, self.wins = np.ones(self.most), np.full(self.most, 0.5)

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        """One step of all games; those that ended are counted by their opponents."""
        answer = self.envs.step(actions)
        if final := answer[-1].get("final_info"):
            ended = final["_opponent"]
            np.add.at(self.games, final["opponent"][ended], 1)
            np.add.at(self.wins, final["opponent"][ended], final["is_success"][ended])
        return answer

    def draw_hard_ones(self) -> None:
        """Let the next games draw opponents by the square of the fraction of games not won (prioritised self-play)."""
        not_won = 1 - self.wins[: len(self.members)] / self.games[: len(self.members)]
        self.envs.set_opponents(self.members, weights=0.05 + not_won**2)
        self.games *= 0.9  # old games count less
        self.wins *= 0.9

    def admit(self, network: ActorCritic) -> None:
        """Add a frozen copy of the agent, while there is room."""
        if len(self.members) == self.most:
            return
        act = partial(draw, deepcopy(network))
        self.members.append(pw.FunctionPolicy(act, name=f"copy-{len(self.members)}", **self.shapes))


def main(
    steps: Annotated[int, typer.Option(min=1, help="Environment steps.")] = 80_000,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    graphs: Annotated[Graphs, typer.Option(help="Learned and examined on.")] = Graphs.K4,
    copies: Annotated[int, typer.Option(min=0, help="Frozen copies at most.")] = 4,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
) -> None:
    """Train in a league on one graph, then measure against random; exit status 1 if not clearly better than chance.

    \b
    Examples:
      python scripts/examples/league.py
      python scripts/examples/league.py --copies 8 --steps 300000
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    task = task_on(graphs)
    envs = pw.PlanetWarsVectorEnv(
        GAMES, opponent=["random", "ai1"], observation="flat", autoreset_mode=AutoresetMode.SAME_STEP, reward=REWARD,
        **task,
    )  # fmt: skip
    rows, turns = envs.single_observation_space, envs.single_action_space
    network = ActorCritic(rows.shape[0], len(turns.nvec), int(turns.nvec[0]))  # pyright: ignore
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE, eps=1e-5)
    league, progress, seen = League(envs, task, copies), Progress(), envs.reset(seed=seed)[0]
    updates = -(-steps // (GAMES * ROLLOUT))
    for update in range(1, 1 + updates):
        rollout, seen = collect(league, network, seen, progress)  # pyright: ignore
        learn(network, optimizer, rollout)
        if update % max(1, updates // (copies + 1)) == 0:
            league.admit(network)
        league.draw_hard_ones()
        progress.tell(update * GAMES * ROLLOUT)
    for name, won in zip(envs.opponents, league.wins / league.games, strict=False):
        print(f"{name:>8}: {won:.0%} of the last games won")
    examine(partial(draw, network), games, seed, task)


if __name__ == "__main__":
    typer.run(main)
