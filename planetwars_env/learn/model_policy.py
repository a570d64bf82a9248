"""Base of policies around models of other libraries: sampling by a generator of their own, and memory by game.

The memory holds states of recurrent networks, stacked frames, and the table of the memory wrapper.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import torch

from planetwars_env.bots.policy import Policy
from planetwars_env.codec.layout import observation_width
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.state import Array
from planetwars_env.envs.memory import MEMORY_FEATURES, append_memory, planets_and_clock, remember


class GameMemory:
    """Arrays of every game, stored by the game's number; ``initial``: those of one game at its start."""

    def __init__(self, *initial: Array) -> None:
        self._initial = initial
        self.stored = [np.zeros((0, *part.shape), part.dtype) for part in initial]

    def recall(self, games: Array, starts: Array) -> list[Array]:
        """Return copies of the arrays [n, ...] of ``games`` [n]; where ``starts``, the initial ones."""
        missing = int(games.max(initial=-1)) + 1 - len(self.stored[0])
        if missing > 0:
            self.stored = [
                np.concatenate([part, np.repeat(first[None], missing, 0)])
                for part, first in zip(self.stored, self._initial, strict=True)
            ]
        parts = [part[games] for part in self.stored]
        for part, first in zip(parts, self._initial, strict=True):
            part[starts] = first
        return parts

    def keep(self, games: Array, parts: Sequence[Array]) -> None:
        """Store the arrays [n, ...] of ``games`` [n]."""
        for stored, part in zip(self.stored, parts, strict=True):
            stored[games] = part

    def empty(self) -> "GameMemory":
        """Return a memory of the same shapes without any game."""
        return GameMemory(*self._initial)


class ObservationHistory:
    """Observations with the table of `VectorMemoryWrapper` if ``memory``, and the last ``frames`` flat ones side by side.

    ValueError for less than one frame, and for frames of observations in tensors.
    """

    def __init__(self, limits: Limits, form: str, memory: bool, frames: int) -> None:
        if frames < 1 or (frames > 1 and form != "flat"):
            raise ValueError(f'frames must be 1, or more with observation="flat", not {frames} with {form!r}')
        P, F = limits.planets, len(MEMORY_FEATURES)
        self._limits, self._frames = limits, frames
        self.width = observation_width(limits) + (P * F if memory else 0)
        self._table = (
            GameMemory(np.zeros((P, F), np.float32), np.zeros(P, np.int64), np.zeros((), np.float32))
            if memory
            else None
        )
        self._stack = GameMemory(np.zeros((frames, self.width), np.float32)) if frames > 1 else None

    @property
    def active(self) -> bool:
        """Whether anything is remembered."""
        return self._table is not None or self._stack is not None

    def empty(self) -> "ObservationHistory":
        """Return the same without any game."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._table, twin._stack = (part and part.empty() for part in (self._table, self._stack))
        return twin

    def with_table(self, observation: Any, games: Array, starts: Array) -> Any:
        """Return the observation with the memory table, if there is one."""
        if self._table is None:
            return observation
        table, age, elapsed = self._table.recall(games, starts)
        remember(table, age, elapsed, *planets_and_clock(observation, self._limits))
        self._table.keep(games, (table, age, elapsed))
        return append_memory(observation, table)

    def stacked(self, observation: Any, games: Array, starts: Array) -> Any:
        """Return flat observations [n, L] with those before them [n, frames * L], the oldest first."""
        if self._stack is None:
            return observation
        (frames,) = self._stack.recall(games, starts)
        frames = np.concatenate([frames[:, 1:], observation[:, None]], 1)
        self._stack.keep(games, (frames,))
        return frames.reshape(len(frames), -1)


class ModelPolicy(Policy):
    """Policy with a model that all copies share, while each has its own memory of games.

    Subclasses set ``history`` and ``state`` (None for a model without one) in their constructors.
    """

    history: ObservationHistory
    state: GameMemory | None = None
    rng: torch.Generator | None = None

    def sampling(self, seed: int = 0) -> Any:
        """Return this policy with actions drawn from its probabilities, by a generator seeded with ``seed``."""
        twin = self.__deepcopy__({})
        twin.rng = torch.Generator().manual_seed(seed)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Return the same policy without any game: the model is shared, since playing does not change it."""
        twin = copy(self)
        twin.history, twin.state = self.history.empty(), self.state and self.state.empty()
        if self.rng is not None:
            twin.rng = self.rng.clone_state()
        return twin

    def numbers(self, observation: Any, games: Array | None, starts: Array | None) -> tuple[Array, Array]:
        """Return ``games`` and ``starts``; ValueError where they are missing and the model has a memory."""
        if games is not None and starts is not None:
            return games, starts
        if self.history.active or self.state is not None:
            raise ValueError(
                f"policy {self.name!r} has a memory: call act(observation, games=..., starts=...) with the number of each game "
                "and whether it begins"
            )
        count = len(observation["planets"] if isinstance(observation, dict) else observation)
        return np.arange(count), np.ones(count, bool)
