"""Interface between a training run and the algorithm that learns."""

from typing import Any, Protocol

from torch import Tensor

from planetwars_env.engine.state import Array
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.plugs import imported_plug
from planetwars_env.learn.ppo import PPO
from planetwars_env.settings import ConfigError


class Learner(Protocol):
    """Algorithm of a training run, made by ``Class(config)``: what ``algorithm: "module:Class"`` must offer.

    The run calls `advance` until ``steps`` reaches ``config.schedule.steps``, logs its metrics, and saves `weights` as the
    agent. `docs/plugs.md` has an example.
    """

    steps: int
    """Environment steps so far."""

    def advance(self) -> dict[str, float]:
        """Learn for a while, increase ``steps``, and return metrics for TensorBoard."""
        ...

    def weights(self) -> dict[str, Tensor]:
        """Return the weights of the agent on the CPU, as ``pw.Agent("name", config).network.state_dict()`` has them."""
        ...

    def standings(self) -> tuple[int, float | None, dict[str, float]]:
        """Return the number of games so far, the recent win rate (None before a game has ended), and those by opponent."""
        ...

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return everything that a resumed run needs, as arrays and as values for JSON."""
        ...

    def restore(self, arrays: dict[str, Array], values: dict[str, Any], steps: int) -> None:
        """Restore a `state`."""
        ...


_METHODS = ("advance", "weights", "standings", "state", "restore")


def make_learner(config: TrainConfig) -> Learner:
    """Return the learner of a configuration; ConfigError for a class that lacks a part of `Learner`."""
    name = config.learner.algorithm
    if name == "ppo":
        return PPO(config)
    learner = imported_plug("learner: algorithm", name)(config)
    missing = [part for part in _METHODS if not callable(getattr(learner, part, None))]
    missing += [] if isinstance(getattr(learner, "steps", None), int) else ["steps"]
    if missing:
        raise ConfigError(f"learner: algorithm: {name} lacks {', '.join(missing)}: pw.Learner says what each must do")
    return learner
