"""A learned agent and its folder: config.yaml and weights.safetensors, whose loading runs no code."""

from collections.abc import Sequence
from copy import copy
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from planetwars_env.bots.loading import agent_folder
from planetwars_env.bots.strategy import Policy
from planetwars_env.codec.checks import checked_observation
from planetwars_env.codec.layout import mask_width
from planetwars_env.codec.limits import LARGE, Limits
from planetwars_env.engine.state import Array
from planetwars_env.files import write_atomically
from planetwars_env.game import Game
from planetwars_env.learn import occlusion
from planetwars_env.learn.config import ConfigError, TrainConfig, choices_of, config_text, load_config
from planetwars_env.learn.network import NETWORKS, best, draw
from planetwars_env.learn.tensor_file import check_digest, write_tensors

CONFIG, WEIGHTS = "config.yaml", "weights.safetensors"


class AgentError(ValueError):
    """A folder without an agent in it, or one that does not fit its configuration."""


class Agent(Policy):
    """A network that plays: a `Policy` of every environment, match and evaluation.

    ``sample``: draw from the network's probabilities, from a generator of its own seeded with ``seed``, instead of taking
    the likeliest choice. ``limits``: of the boards it is shown; None for those it was trained within.
    """

    compete = True

    def __init__(
        self, name: str, config: TrainConfig, sample: bool = False, seed: int = 0, limits: Limits | None = None
    ) -> None:
        task = config.task
        choices = choices_of(task)
        choices = choices._replace(limits=limits or choices.limits)
        self.name = name
        self.config = config
        self.limits = choices.limits
        self.fractions: Sequence[float] = task.fractions
        self.max_orders = task.max_orders if choices.orders else 0
        self.network = NETWORKS[config.network.kind](choices, config.network.width, config.network.rounds)
        self._generator = torch.Generator().manual_seed(seed) if sample else None

    def __repr__(self) -> str:
        network = self.config.network
        play = "drawing its actions" if self._generator else "taking the likeliest actions"
        return f"Agent({self.name}: {network.kind} network for {self.config.task.environment}, {play})"

    def sampling(self, seed: int = 0) -> "Agent":
        """Return this agent over the same network, but drawing from its probabilities, by a generator seeded with ``seed``."""
        twin = copy(self)
        twin._generator = torch.Generator().manual_seed(seed)
        return twin

    def act(self, observation: dict[str, Array]) -> Array:
        """The actions [n, P], or [n] orders, for ``observation``: the "tensors" of n games."""
        width = mask_width(self.limits, len(self.fractions), self.max_orders > 0)
        parts = checked_observation(self.limits, width, observation)
        with torch.inference_mode():
            scores, _ = self.network({name: torch.from_numpy(part) for name, part in parts.items()})
            actions = best(scores) if self._generator is None else draw(scores, self._generator)
        return actions.numpy().squeeze(1) if self.max_orders else actions.numpy()

    def observe(self, game: Game, player: int | None = None, fog: bool = True) -> dict[str, Array]:
        """Return what this agent is shown of a game as it stands: the "tensors" of one game, as `act` takes them.

        ``player``: 1 or 2, None for the player to move. ``fog``: False shows every planet, as no player ever sees it; the
        legal choices stay those of the player. ValueError for another player and for a graph beyond the agent's limits.
        """
        return occlusion.observe(self, game, player, fog)

    def probabilities(self, observation: dict[str, Array]) -> Array:
        """Return the probability [n, S, C] of each choice of each slot, for the "tensors" of n games; choice 0 waits.

        Slot p is that of ``game.graph.planets[p]``; an agent that acts by single orders has one slot.
        """
        return occlusion.probabilities(self, observation)

    def influence(self, observation: dict[str, Array]) -> Array:
        """Return how much hiding each planet from the agent changes the choice of each slot: [planets, S], for one game.

        The total variation distance between the probabilities before and after: 0 where nothing changes, 1 where nothing
        is left as it was.
        """
        return occlusion.influence(self, observation)


def save_agent(folder: Path, config: TrainConfig, weights: dict[str, torch.Tensor], notes: dict[str, str]) -> None:
    """Write config.yaml and weights.safetensors; ``notes`` go along with the weights, and their digest."""
    write_atomically(folder / CONFIG, config_text(config).encode())
    write_tensors(folder / WEIGHTS, {name: part.cpu().numpy() for name, part in weights.items()}, notes)


def load_agent(name: str | Path, sample: bool = False, seed: int = 0, limits: Limits | None = None) -> Agent:
    """The trained agent of this name in the zoo, or the one in this folder (a training run's, for example).

    AgentError, naming the file, where there is none or its parts do not fit each other.

    ``limits`` of the boards it will be shown: None for those of its training, and for a graph network, which plays any
    board, at least `LARGE`. Its play does not depend on them.
    """
    folder = agent_folder(str(name)) or Path(name)
    try:
        config = load_config(folder / CONFIG)
        weights = _weights(folder / WEIGHTS)
        _check_size(config, weights)
        roomy = LARGE if config.network.kind == "graph" else None
        agent = Agent(folder.resolve().name, config, sample, seed, limits or roomy)
        agent.network.load_state_dict(weights)
    except ConfigError as fault:
        raise AgentError(f"no agent in {folder}: {fault}") from fault
    except (OSError, SafetensorError, ValueError) as fault:
        raise AgentError(f"no agent in {folder}: {WEIGHTS} cannot be read ({fault})") from fault
    except RuntimeError as fault:
        raise AgentError(f"{folder}: {WEIGHTS} does not fit the network of {CONFIG}: {fault}") from fault
    agent.network.eval()
    return agent


def _weights(path: Path) -> dict[str, torch.Tensor]:
    """ValueError for numbers that no network has."""
    with safe_open(path, framework="pt") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
        notes = file.metadata()
    for name, part in weights.items():
        if part.dtype != torch.float32 or not part.isfinite().all():
            raise ValueError(f"{name} must be finite numbers of 32 bits")
    check_digest({name: part.numpy() for name, part in weights.items()}, notes)
    return weights


def _check_size(config: TrainConfig, weights: dict[str, torch.Tensor]) -> None:
    """RuntimeError before a network is made that is larger than its file, and maybe than the memory."""
    width, rounds = config.network.width, config.network.rounds
    least = max(0, rounds - 1) * width**2 + rounds + width * len(config.task.fractions)
    if least > sum(part.numel() for part in weights.values()):
        raise RuntimeError(f"a network of width {width} and {rounds} rounds has more numbers than the file")
