"""Recorded observations and actions of an agent, to test that it still acts the same after a change."""

from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.files import replacement_file
from planetwars_env.learn.agent import Agent, load_agent

OBSERVATIONS = "observations.npz"
_RECORDED = 256
_GAMES = 8
_OPPONENTS = ("random", "ai2", "ai3")


@dataclass(frozen=True)
class Recording:
    """``observations``: the "tensors" of n observations within ``limits``. ``actions``: [n, P], or [n] orders."""

    limits: Limits
    observations: dict[str, Array]
    actions: Array

    def save(self, path: Path) -> None:
        """Write a compressed .npz file, atomically."""
        arrays: dict[str, Any] = {
            **self.observations,
            "limits": np.array(astuple(self.limits)),
            "actions": self.actions,
        }
        with replacement_file(path, ".npz") as draft:  # NumPy adds the suffix to any other name
            np.savez_compressed(draft, **arrays)

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Read a file of `save`; runs no code."""
        with np.load(path, allow_pickle=False) as file:
            parts = {name: file[name] for name in file.files}
        limits, actions = Limits(*map(int, parts.pop("limits"))), parts.pop("actions")
        return cls(limits, parts, actions)

    def agreement(self, folder: Path) -> float:
        """Return the fraction of observations for which the agent in ``folder`` still gives the recorded actions.

        The actions of all planets must be equal.
        """
        actions = load_agent(folder, limits=self.limits).act(self.observations)
        return float(np.mean((actions == self.actions).reshape(len(actions), -1).all(1)))


def record(agent: Agent, rules: Rules) -> Recording:
    """Record observations, spread evenly over whole games against some bots on the test pool."""
    recorder = _Recorder(agent)
    evaluate(recorder, _OPPONENTS, "test", _GAMES, rules)
    actions = np.concatenate(recorder.actions)
    rows = np.unique(np.linspace(0, len(actions) - 1, _RECORDED).astype(int))
    seen = recorder.observations
    return Recording(
        agent.limits, {name: np.concatenate([one[name] for one in seen])[rows] for name in seen[0]}, actions[rows]
    )


class _Recorder:
    """`Policy` that acts as an agent and records observations and actions."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.compete, self.limits = agent.name, agent.compete, agent.limits
        self.fractions, self.max_orders, self.sends = agent.fractions, agent.max_orders, agent.sends
        self._agent = agent
        self.observations: list[dict[str, Array]] = []
        self.actions: list[Array] = []

    def act(self, observation: dict[str, Array]) -> Array:
        actions = self._agent.act(observation)
        self.observations.append({name: np.array(part) for name, part in observation.items()})
        self.actions.append(actions.copy())
        return actions
