"""Learned agent, and its folder: config.yaml and weights.safetensors, whose loading runs no code."""

from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from safetensors import SafetensorError

from planetwars_env.bots.policy import Policy
from planetwars_env.codec.checks import checked_observation
from planetwars_env.codec.layout import EXISTS, MY_FLIGHT, OPPONENT_FLIGHT, arrange, mask_width
from planetwars_env.codec.limits import LARGE, Limits
from planetwars_env.codec.one_game import OneGameCodec
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.files import write_atomically
from planetwars_env.game import Game
from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.learn.network import make_network
from planetwars_env.learn.tensors import AgentError, as_tensors, check_device, read_tensors, to_host, write_tensors
from planetwars_env.render.readings import GameReading, TurnReading
from planetwars_env.replay import Replay
from planetwars_env.settings import ConfigError
from planetwars_env.shipped import agent_folder
from planetwars_env.view import Move

CONFIG, WEIGHTS = "config.yaml", "weights.safetensors"
LATE = 0.5
"""Part of a game's turns after which an agent samples its actions, under rules without a last turn: there it could circle
(docs/exploitability.md)."""


_MOST = 6  # Orders, and planets, of a turn
_LEAST = 0.05  # Least probability of an order, and least influence of a planet


class Agent(Policy):
    """Network that plays: a `Policy` for every environment, match and evaluation.

    It plays greedily: the likeliest choice of every slot. In the second half of a game's turns (`LATE`) it samples, so that
    it does not circle; the random numbers follow from the turn. `sampling` gives one that samples all actions. ``limits``: of
    the graphs to play on; None for those of the training. ``device``: "cpu", "cuda" or "cuda:1", of the network; ConfigError
    where torch does not find it.
    """

    rng: torch.Generator | None = None

    def __init__(self, name: str, config: TrainConfig, limits: Limits | None = None, device: str = "cpu") -> None:
        spec = config.task.action_spec()
        self.name, self.config, self.limits = name, config, limits or spec.limits
        self.fractions: Sequence[float] = config.task.fractions
        self.sends = spec.sends
        check_device("device", device)
        self.device = torch.device(device)
        self.network = make_network(config.network, spec._replace(limits=self.limits)).to(self.device)
        self._late = np.inf if self.rules[0].max_turns else LATE

    def __repr__(self) -> str:
        play = "sampling its actions" if self.rng else "greedy"
        return f"Agent({self.name}: {self.config.network.kind} network for {', '.join(self.config.task.environments)}, {play})"

    @property
    def rules(self) -> tuple[Rules, ...]:
        """Rule sets that the agent was trained for, at least one; it can play all others, too."""
        return self.config.task.rules

    def sampling(self, seed: int = 0) -> Self:
        """Return this agent with the same network, sampling its actions by a generator seeded with ``seed``."""
        twin = copy(self)
        twin.rng = torch.Generator(self.device).manual_seed(seed)
        return twin

    def under(self, rules: Rules) -> Self:
        """Return this agent, with the same network, for games of ``rules``, whatever rules it was trained for."""
        twin = copy(self)
        twin.network = self.network.with_spec(rules=rules)
        twin._late = np.inf if rules.max_turns else LATE  # noqa: SLF001 (its own copy)
        return twin

    def act(self, observation: dict[str, Array]) -> Array:
        """Return actions [n, sends * P] for the "tensors" ``observation`` of n games.

        For that of a single game, without the axis of games, its action [sends * P]. A graph network fits the limits
        of the observation. ValueError for fractions that are not the agent's, and for other arrays that do not fit.
        """
        if np.ndim(observation.get("clock", 0)) == 1:
            return self.act({name: np.asarray(part)[None] for name, part in observation.items()})[0]
        fitting = self._fitting(observation)
        width = mask_width(fitting.limits, len(self.fractions), False, self.sends)
        parts = checked_observation(fitting.limits, width, observation)
        with torch.inference_mode():
            policy, _ = fitting.network(as_tensors(parts))
            actions = to_host(policy.mode() if self.rng is None else policy.sample(self.rng))
            late = parts["clock"][:, 0] >= self._late
            if self.rng is None and late.any():
                # The random numbers follow from the clocks alone, so that play is reproducible. The first of a game are the
                # same for any number of slots: those of planets that do not exist come last.
                generators = (np.random.default_rng(clock.view(np.uint32)) for clock in parts["clock"])
                size = policy.shape[1] // self.sends, self.sends
                uniform = np.stack([generator.random(size, np.float32).T.ravel() for generator in generators])
                actions[late] = to_host(policy.sample_by(torch.from_numpy(uniform).to(self.device)))[late]
        return actions

    def _fitting(self, observation: dict[str, Array]) -> Self:
        """Return this agent with the limits of an observation, whose numbers are not checked yet."""
        shapes = [np.shape(observation.get(name, 0)) for name in ("planets", "edges", "action_mask")]
        if not self.config.network.any_graph or [len(shape) for shape in shapes] != [3, 3, 2] or not shapes[0][1]:
            return self
        (_, planets, _), (_, edges, _), (_, entries) = shapes
        per_slot, left = divmod(entries, planets * self.sends)
        degree, rest = divmod(per_slot - 1, len(self.fractions))
        if left or rest or degree < 1:
            raise ValueError(
                f"the action mask has {entries} entries, which do not fit the agent's {len(self.fractions)} fractions: make the "
                f'environment with fractions=agent.fractions, sends={self.sends} and actions="turn"'
            )
        limits = replace(self.limits, planets=planets, edges=edges // 2, degree=degree)
        if limits == self.limits:
            return self
        twin = copy(self)
        twin.limits, twin.network = limits, self.network.with_spec(limits=limits)
        return twin

    def observe(self, game: Game, player: int | None = None, fog: bool = True) -> dict[str, Array]:
        """Return the "tensors" observation of a game in its current state, as `act` takes it.

        ``player``: 1 or 2, None for the player to move. ``fog``: False shows every planet, as no player ever sees it; the
        action mask stays that of the player. ValueError for another player and for a graph beyond the agent's limits.
        """
        side = game.player if player is None else player
        if side not in (1, 2):
            raise ValueError(f"player must be 1 or 2, not {player!r}")
        self.limits.check([game.graph])
        board, state = game.arrays
        seen = OneGameCodec(self.limits, self.fractions, 0, self.sends).observe(state, board, side - 1, fog=fog)
        return arrange(self.limits, *(part[None] for part in seen))

    def probabilities(self, observation: dict[str, Array]) -> Array:
        """Return the probability [n, S, C] of each choice of each slot, for the "tensors" of n games; choice 0 waits."""
        return np.exp(self.log_probabilities(observation))

    def log_probabilities(self, observation: dict[str, Array]) -> Array:
        """Return the logarithms of the `probabilities`."""
        with torch.inference_mode():
            return to_host(self.network(as_tensors(observation))[0].normalised().dense())

    def influence(self, observation: dict[str, Array]) -> Array:
        """Return the influence [planets, S] of each planet on the choice of each slot, for the "tensors" of one game.

        It is the total variation distance between the probabilities with the planet visible and `hidden`: 0 for no change,
        1 for no overlap.
        """
        planets = range(observation["planets"].shape[1])
        occluded = {p: hidden(observation, p) for p in planets}
        # A planet with nothing to hide has no influence: the last digits of a network differ between rows of a batch.
        changed = {p: row for p, row in occluded.items() if any((row[name] != observation[name]).any() for name in row)}
        rows = [observation, *changed.values()]
        before, *after = self.probabilities({name: np.concatenate([row[name] for row in rows]) for name in observation})
        table = np.zeros((len(planets), len(before)), np.float32)
        for p, chances in zip(changed, after, strict=True):
            table[p] = np.abs(chances - before).sum(-1) / 2
        return table


def hidden(observation: dict[str, Array], planet: int) -> dict[str, Array]:
    """Return ``observation`` with a planet slot hidden as by the fog, its details and the flights to it, but with its mask."""
    planets, edges = observation["planets"].copy(), observation["edges"].copy()
    planets[:, planet, EXISTS + 1 :] = 0
    edges[:, :, [MY_FLIGHT, OPPONENT_FLIGHT]] *= (observation["edge_index"][:, :, 1] != planet)[:, :, None]
    return {**observation, "planets": planets, "edges": edges}


def save_agent(folder: Path, config: TrainConfig, weights: dict[str, torch.Tensor], notes: dict[str, str]) -> None:
    """Write config.yaml and weights.safetensors; ``notes``: metadata of the weights, beside schema number and digest."""
    write_atomically(folder / CONFIG, str(config).encode())
    write_tensors(folder / WEIGHTS, {name: part.cpu().numpy() for name, part in weights.items()}, notes)


def load_agent(name: str | Path, limits: Limits | None = None, device: str = "cpu") -> Agent:
    """Load an agent of the zoo by name, or the agent in a folder, such as that of a training run.

    ``limits``: of the graphs to play on. None for those of its training and, for a graph network, at least `LARGE`. Its play
    does not depend on them. ``device``: of the network, as in `Agent`. AgentError, naming the file, where there is no agent or
    its files do not fit each other.
    """
    check_device("device", device)
    folder = agent_folder(name)
    try:
        weights = read_tensors(folder / WEIGHTS)[0] if (folder / CONFIG).exists() else {}
        for key, part in weights.items():
            if part.dtype != np.float32 or not np.isfinite(part).all():
                raise ValueError(f"{key} must be finite numbers of 32 bits")
        config = load_config(folder / CONFIG, to_play=True)
        shape, fractions = config.network, len(config.task.fractions)
        # A network that is larger than its file is not made: it might not fit into memory.
        least = max(0, shape.rounds - 1) * shape.width**2 + shape.rounds + shape.width * fractions
        if ":" not in shape.kind and least > sum(part.size for part in weights.values()):
            raise RuntimeError(
                f"a network of width {shape.width} and {shape.rounds} rounds has more numbers than the file"
            )
        limits = limits or (LARGE if shape.any_graph else None)
        agent = Agent(folder.resolve().name, config, limits, device)
        agent.network.load_state_dict(as_tensors(weights))
    except ConfigError as fault:
        raise AgentError(f"no agent in {folder}: {fault}") from fault
    except RuntimeError as fault:
        raise AgentError(f"{folder}: {WEIGHTS} does not fit the network of {CONFIG}: {fault}") from fault
    except (OSError, SafetensorError, ValueError, TypeError) as fault:
        raise AgentError(f"no agent in {folder}: {WEIGHTS} cannot be read ({fault})") from fault
    agent.network.eval()
    return agent


def load_weights(network: torch.nn.Module, name: str) -> None:
    """Load the weights of an agent, by name or folder; one that sends less often gives them to the last sends. AgentError."""
    weights, own = load_agent(name).network.state_dict(), network.state_dict()
    try:
        for key in {"head", "wait.weight", "wait.bias"} & weights.keys() & own.keys():
            weights[key] = torch.cat([own[key][: max(0, len(own[key]) - len(weights[key]))], weights[key]])
        network.load_state_dict(weights)
    except RuntimeError as fault:
        raise AgentError(f"learner: start: the weights of {name} do not fit this network: {fault}") from fault


def trained_steps(name: str | Path) -> int:
    """Return the environment steps of an agent's training; AgentError where its weights do not say."""
    path = agent_folder(name) / WEIGHTS
    try:
        return int(read_tensors(path)[1]["steps"])
    except (OSError, SafetensorError, LookupError, ValueError) as fault:
        raise AgentError(f"{path} does not say how many steps the agent was trained for ({fault})") from fault


def read_game(agent: Agent, replay: Replay) -> GameReading:
    """Return what an agent would do on the turns of both players, or of those who have its name. `pw.watch` shows it.

    A planet's influence on the choices is measured by occlusion: the planet is hidden. ValueError where the graph exceeds the
    agent's limits. Each turn takes one network pass per visible planet.
    """
    agent = agent.under(replay.rules)
    named = [player for player in (1, 2) if replay.players[player - 1] == agent.name]
    turns = [_read(agent, game) for game in replay.games() if not game.over and game.player in (named or (1, 2))]
    return GameReading(agent.name, turns)


def _read(agent: Agent, game: Game) -> TurnReading:
    observation = agent.observe(game)
    with torch.inference_mode():
        value = float(agent.network(as_tensors(observation))[1][0])
    likely = agent.probabilities(observation)[0]
    # Several choices of a planet with few people may stand for one move; a choice that sends nobody stands for none.
    chances = defaultdict[Move, float](float)
    for slot, choice in np.argwhere(likely >= _LEAST / 5):
        action = np.zeros(len(likely), np.int64)
        action[slot] = choice
        for move in game.decode(action, limits=agent.limits, fractions=agent.fractions, sends=agent.sends):
            chances[move] += float(likely[slot, choice])
    # The influence of a planet is its mean on the choices of the other slots that have any.
    table, able, influences = agent.influence(observation), (likely > 0).sum(1) > 1, {}
    for p, planet in enumerate(game.graph.planets):
        others = able & (np.arange(len(able)) % agent.limits.planets != p)
        influences[planet.id] = float(table[p, others].mean()) if others.any() else 0.0
    return TurnReading(game.turn, game.player, value, _largest(chances), _largest(influences))


def _largest(values: dict[Any, float]) -> list[tuple[Any, float]]:
    kept = [(key, value) for key, value in values.items() if value >= _LEAST]
    return sorted(kept, key=lambda row: -row[1])[:_MOST]
