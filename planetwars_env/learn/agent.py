"""Learned agent, and its folder: config.yaml and weights.safetensors, whose loading runs no code."""

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from safetensors import SafetensorError, safe_open

from planetwars_env.bots.loading import agent_folder
from planetwars_env.bots.policy import Policy
from planetwars_env.codec.checks import checked_observation
from planetwars_env.codec.layout import mask_width
from planetwars_env.codec.limits import LARGE, Limits
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.files import write_atomically
from planetwars_env.game import Game
from planetwars_env.learn import occlusion
from planetwars_env.learn.config import TrainConfig, config_text, load_config
from planetwars_env.learn.devices import check_device, to_host
from planetwars_env.learn.game_memory import ObservationHistory
from planetwars_env.learn.model_policy import ModelPolicy
from planetwars_env.learn.network import make_network
from planetwars_env.learn.tensor_file import check_digest, check_schema, write_tensors
from planetwars_env.settings import ConfigError

CONFIG, WEIGHTS = "config.yaml", "weights.safetensors"


LATE = 0.5
"""Part of a game's turns after which an agent samples its actions, under rules without a last turn: there it could circle
(docs/exploitability.md)."""


class AgentError(ValueError):
    """A folder without an agent, or with files that do not fit each other."""


class Agent(Policy):
    """Network that plays: a `Policy` for every environment, match and evaluation.

    It takes the mode of the network's distribution. In the second half of a game's turns (`LATE`) it samples, so that it does
    not circle; the random numbers follow from the turn. ``sample``: sample all actions, with a random number generator seeded
    with ``seed``. ``limits``: of the graphs to play on; None for those of the training. ``device``: "cpu", "cuda"
    or "cuda:1", of the network; ConfigError where torch does not find it.
    """

    compete = True

    def __init__(
        self,
        name: str,
        config: TrainConfig,
        sample: bool = False,
        seed: int = 0,
        limits: Limits | None = None,
        device: str = "cpu",
    ) -> None:
        task, shape = config.task, config.network
        spec = task.action_spec()
        spec = spec._replace(limits=limits or spec.limits)
        self.name = name
        self.config = config
        self.limits = spec.limits
        self.fractions: Sequence[float] = task.fractions
        self.max_orders = task.max_orders if spec.orders else 0
        check_device("device", device)
        self.device = torch.device(device)
        self.network = make_network(shape, spec).to(self.device)
        self.rng = torch.Generator(self.device).manual_seed(seed) if sample else None
        self._late = np.inf if task.rules[0].max_turns else LATE

    def __repr__(self) -> str:
        play = "sampling its actions" if self.rng else "taking the most probable actions"
        return f"Agent({self.name}: {self.config.network.kind} network for {', '.join(self.config.task.environments)}, {play})"

    def sampling(self, seed: int = 0) -> Self:
        """Return this agent with the same network, sampling its actions by a generator seeded with ``seed``."""
        twin = copy(self)
        twin.rng = torch.Generator(self.device).manual_seed(seed)
        return twin

    def under(self, rules: Rules) -> Self:
        """Return this agent, with the same network, for games of ``rules``, whatever rules it was trained for.

        Environments, evaluations and matches call it for their own rules.
        """
        twin = copy(self)
        twin.network = self.network.under(rules)
        twin._late = np.inf if rules.max_turns else LATE
        return twin

    def act(self, observation: dict[str, Array]) -> Array:
        """Return actions [n, P], or [n] orders, for the "tensors" ``observation`` of n games."""
        return self._choose(self._checked(observation))

    def _checked(self, observation: dict[str, Array]) -> dict[str, Array]:
        width = mask_width(self.limits, len(self.fractions), self.max_orders > 0)
        return checked_observation(self.limits, width, observation)

    def _choose(self, parts: dict[str, Array]) -> Array:
        with torch.inference_mode():
            policy, _ = self.network({name: torch.from_numpy(part) for name, part in parts.items()})
            actions = to_host(policy.mode() if self.rng is None else policy.sample(self.rng))
            late = parts["clock"][:, 0] >= self._late
            if self.rng is None and late.any():
                uniform = torch.from_numpy(_uniform_by_turn(parts["clock"], policy.shape[1])).to(self.device)
                actions[late] = to_host(policy.sample_by(uniform))[late]
        return actions.squeeze(1) if self.max_orders else actions

    def observe(self, game: Game, player: int | None = None, fog: bool = True) -> dict[str, Array]:
        """Return the "tensors" observation of a game in its current state, as `act` takes it.

        ``player``: 1 or 2, None for the player to move. ``fog``: False shows every planet, as no player ever sees it; the
        action mask stays that of the player. ValueError for another player and for a graph beyond the agent's limits.
        """
        return occlusion.observe(self, game, player, fog)

    def probabilities(self, observation: dict[str, Array]) -> Array:
        """Return the probability [n, S, C] of each choice of each slot, for the "tensors" of n games; choice 0 waits.

        Slot p is that of ``game.graph.planets[p]``; an agent that acts by single orders has one slot.
        """
        return occlusion.probabilities(self, observation)

    def influence(self, observation: dict[str, Array]) -> Array:
        """Return the influence [planets, S] of each planet on the choice of each slot, for the "tensors" of one game.

        It is the total variation distance between the probabilities with the planet visible and hidden: 0 for no change,
        1 for no overlap.
        """
        return occlusion.influence(self, observation)


class RememberingAgent(ModelPolicy, Agent):
    """Agent that was trained with ``memory: true``: it keeps what it saw of every planet, game by game."""

    def __init__(self, name: str, config: TrainConfig, **options: Any) -> None:
        Agent.__init__(self, name, config, **options)
        self.history = ObservationHistory(self.limits, "tensors", True, 1)

    def act(self, observation: dict[str, Array], games: Array | None = None, starts: Array | None = None) -> Array:
        """Return actions [n, P], or [n] orders, for the "tensors" ``observation`` of ``games`` [n]; see `Policy`."""
        games, starts = self.numbers(observation, games, starts)
        return self._choose(self.history.with_table(self._checked(observation), games, starts))

    def observe(self, game: Game, player: int | None = None, fog: bool = True) -> dict[str, Array]:
        """Return the same as `Agent.observe` with the memory of an agent that comes to the game now."""
        observation, first = super().observe(game, player, fog), np.zeros(1, np.int64)
        return self.history.empty().with_table(observation, first, first == 0)


def make_agent(name: str, config: TrainConfig, **options: Any) -> Agent:
    """Return a new agent of a configuration; ``options`` as of `Agent`."""
    return (RememberingAgent if config.task.memory else Agent)(name, config, **options)


def save_agent(folder: Path, config: TrainConfig, weights: dict[str, torch.Tensor], notes: dict[str, str]) -> None:
    """Write config.yaml and weights.safetensors; ``notes``: metadata of the weights, beside schema number and digest."""
    write_atomically(folder / CONFIG, config_text(config).encode())
    write_tensors(folder / WEIGHTS, {name: part.cpu().numpy() for name, part in weights.items()}, notes)


def load_agent(
    name: str | Path, sample: bool = False, seed: int = 0, limits: Limits | None = None, device: str = "cpu"
) -> Agent:
    """Load an agent of the zoo by name, or the agent in a folder, such as that of a training run.

    ``limits``: of the graphs to play on. None for those of its training and, for a graph network, at least `LARGE`. Its play
    does not depend on them. ``device``: of the network, as in `Agent`. AgentError, naming the file, where there is no agent or
    its files do not fit each other.
    """
    check_device("device", device)
    folder = agent_folder(str(name)) or Path(name)
    try:
        weights = _read_weights(folder / WEIGHTS) if (folder / CONFIG).exists() else {}
        config = load_config(folder / CONFIG)
        _check_size(config, weights)
        default = LARGE if config.network.any_graph else None
        known = limits or default
        agent = make_agent(folder.resolve().name, config, sample=sample, seed=seed, limits=known, device=device)
        agent.network.load_state_dict(weights)
    except ConfigError as fault:
        raise AgentError(f"no agent in {folder}: {fault}") from fault
    except (OSError, SafetensorError, ValueError) as fault:
        raise AgentError(f"no agent in {folder}: {WEIGHTS} cannot be read ({fault})") from fault
    except RuntimeError as fault:
        raise AgentError(f"{folder}: {WEIGHTS} does not fit the network of {CONFIG}: {fault}") from fault
    agent.network.eval()
    return agent


def load_weights(network: torch.nn.Module, name: str) -> None:
    """Load the weights of an agent, by name or folder, into a network; AgentError where they do not fit it."""
    try:
        network.load_state_dict(load_agent(name).network.state_dict())
    except RuntimeError as fault:
        raise AgentError(f"learner: start: the weights of {name} do not fit this network: {fault}") from fault


def trained_steps(name: str | Path) -> int:
    """Return the environment steps of an agent's training; AgentError where its weights do not say."""
    path = (agent_folder(str(name)) or Path(name)) / WEIGHTS
    try:
        with safe_open(path, framework="pt") as file:
            return int((file.metadata() or {})["steps"])
    except (OSError, SafetensorError, LookupError, ValueError) as fault:
        raise AgentError(f"{path} does not say how many steps the agent was trained for ({fault})") from fault


def _uniform_by_turn(clocks: Array, slots: int) -> Array:
    """Return random numbers [n, slots] float32 that follow from the clocks [n, 2] alone, so that play is reproducible.

    The first are the same for any number of slots: those of planets that do not exist come last.
    """
    return np.stack([np.random.default_rng(clock.view(np.uint32)).random(slots, np.float32) for clock in clocks])


def _read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Read weights; ValueError for another schema and for numbers that are not finite or not float32."""
    with safe_open(path, framework="pt") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
        notes = file.metadata()
    check_schema(notes)
    for name, part in weights.items():
        if part.dtype != torch.float32 or not part.isfinite().all():
            raise ValueError(f"{name} must be finite numbers of 32 bits")
    check_digest({name: part.numpy() for name, part in weights.items()}, notes)
    return weights


def _check_size(config: TrainConfig, weights: dict[str, torch.Tensor]) -> None:
    """Raise RuntimeError for a network larger than its file: it might not fit into memory."""
    if ":" in config.network.kind:
        return
    width, rounds = config.network.width, config.network.rounds
    least = max(0, rounds - 1) * width**2 + rounds + width * len(config.task.fractions)
    if least > sum(part.numel() for part in weights.values()):
        raise RuntimeError(f"a network of width {width} and {rounds} rounds has more numbers than the file")
