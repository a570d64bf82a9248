"""A learned agent and its folder: config.yaml and weights.safetensors, whose loading runs no code."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as as_safetensors

from planetwars_env.codec.limits import LARGE, Limits
from planetwars_env.engine.state import Array
from planetwars_env.learn.choose import best, draw
from planetwars_env.learn.config import ConfigError, TrainConfig, choices_of, config_text, load_config
from planetwars_env.learn.network import NETWORKS
from planetwars_env.replay import write_atomically

CONFIG, WEIGHTS = "config.yaml", "weights.safetensors"


class AgentError(ValueError):
    """A folder without an agent in it, or one that does not fit its configuration."""


class Agent:
    """A network that plays: a `BatchPolicy` of every environment, match and evaluation.

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

    def act(self, observation: dict[str, Array]) -> Array:
        """The actions [n, P], or [n] orders, for ``observation``: the "tensors" of n games."""
        with torch.inference_mode():
            scores, _ = self.network({name: torch.from_numpy(np.asarray(part)) for name, part in observation.items()})
            actions = best(scores) if self._generator is None else draw(scores, self._generator)
        return actions.numpy().squeeze(1) if self.max_orders else actions.numpy()


def save_agent(folder: Path, config: TrainConfig, weights: dict[str, torch.Tensor], notes: dict[str, str]) -> None:
    """Write config.yaml and weights.safetensors; ``notes`` go along with the weights."""
    write_atomically(folder / CONFIG, config_text(config).encode())
    write_atomically(
        folder / WEIGHTS, as_safetensors({name: part.contiguous() for name, part in weights.items()}, notes)
    )


def is_agent(path: str | Path) -> bool:
    """Whether this is the folder of an agent."""
    return (Path(path) / WEIGHTS).is_file()


def load_agent(folder: str | Path, sample: bool = False, seed: int = 0, limits: Limits | None = None) -> Agent:
    """The agent in a folder. AgentError, naming the file, where there is none or its parts do not fit each other.

    ``limits`` of the boards it will be shown: None for those of its training, and for a graph network, which plays any
    board, at least `LARGE`. Its play does not depend on them.
    """
    folder = Path(folder)
    try:
        config = load_config(folder / CONFIG)
        roomy = LARGE if config.network.kind == "graph" else None
        agent = Agent(folder.resolve().name, config, sample, seed, limits or roomy)
        agent.network.load_state_dict(_weights(folder / WEIGHTS))
    except ConfigError as fault:
        raise AgentError(f"no agent in {folder}: {fault}") from fault
    except (OSError, SafetensorError) as fault:
        raise AgentError(f"no agent in {folder}: {WEIGHTS} cannot be read ({fault})") from fault
    except RuntimeError as fault:
        raise AgentError(f"{folder}: {WEIGHTS} does not fit the network of {CONFIG}: {fault}") from fault
    agent.network.eval()
    return agent


def _weights(path: Path) -> dict[str, Any]:
    with safe_open(path, framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
