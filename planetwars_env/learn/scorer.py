"""Counts how training games end, on the way to their rewards."""

from collections import deque

import numpy as np

from planetwars_env.codec.rewards import Reward, Transition
from planetwars_env.engine.state import Array

_RECENT = 500


class Scorer:
    """A reward that also remembers the outcome of the last games."""

    def __init__(self, reward: Reward) -> None:
        self._reward = reward
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self.games = 0

    def __call__(self, transition: Transition) -> Array:
        """The rewards [N]."""
        ended = transition.won[transition.terminated | transition.truncated]
        self._recent.extend(ended.tolist())
        self.games += len(ended)
        return self._reward(transition)

    @property
    def win_rate(self) -> float | None:
        """Of the last games; None before the first has ended."""
        return float(np.mean([won > 0 for won in self._recent])) if self._recent else None
