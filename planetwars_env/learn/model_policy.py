"""Base of policies around models of other libraries: memory by game, and sampling by a generator of their own."""

from copy import copy
from typing import Any

import numpy as np
import torch

from planetwars_env.bots.policy import Policy
from planetwars_env.engine.state import Array
from planetwars_env.learn.game_memory import GameMemory, ObservationHistory


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
