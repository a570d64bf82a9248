"""Policies around models of other libraries, with a memory by game, and the policy of a torch module that returns logits.

The memory holds states of recurrent networks, stacked frames, and the table of the memory wrapper.
"""

from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from planetwars_env.bots.policy import Policy
from planetwars_env.codec.layout import choices_of_slot, observation_width, slots_of_action
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, Limits
from planetwars_env.engine.state import Array
from planetwars_env.envs.memory import MEMORY_FEATURES, append_memory, planets_and_clock, remember


class GameMemory:
    """Arrays of every game, stored by the game's number; ``initial``: those of one game at its start."""

    def __init__(self, *initial: Array) -> None:
        self._initial = initial
        self._stored = [np.zeros((0, *part.shape), part.dtype) for part in initial]

    def recall(self, games: Array, starts: Array) -> list[Array]:
        """Return copies of the arrays [n, ...] of ``games`` [n]; where ``starts``, the initial ones."""
        parts = []
        for i, first in enumerate(self._initial):
            if (missing := int(games.max(initial=-1)) + 1 - len(self._stored[i])) > 0:
                self._stored[i] = np.concatenate([self._stored[i], np.repeat(first[None], missing, 0)])
            parts.append(self._stored[i][games])
            parts[i][starts] = first
        return parts

    def keep(self, games: Array, parts: Sequence[Array]) -> None:
        """Store the arrays [n, ...] of ``games`` [n]."""
        for stored, part in zip(self._stored, parts, strict=True):
            stored[games] = part

    def __deepcopy__(self, memo: dict[int, Any]) -> "GameMemory":
        """Return a memory of the same shapes without any game."""
        return GameMemory(*self._initial)


def flat_width(limits: Limits, memory: bool) -> int:
    """Return the numbers of a flat observation, with those of the memory table if ``memory``."""
    return observation_width(limits) + memory * limits.planets * len(MEMORY_FEATURES)


class ModelPolicy(Policy):
    """Policy with a model that all copies share, while each has its own memory of games.

    ``memory`` adds the table of `MemoryWrapper`, ``frames`` stacks flat observations, ``state`` holds the arrays of one game at
    its start for a recurrent model. The other arguments are the attributes of `Policy`. A subclass answers in `choose`.
    ValueError for less than one frame, and for frames of observations in tensors.
    """

    rng: torch.Generator | None = None

    def __init__(
        self, name: str, observation: str, limits: Limits, fractions: Sequence[float], max_orders: int, sends: int,
        memory: bool, frames: int, state: Sequence[Array] = (),
    ) -> None:  # fmt: skip
        if frames < 1 or (frames > 1 and observation != "flat"):
            raise ValueError(f'frames must be 1, or more with observation="flat", not {frames} with {observation!r}')
        self.name, self.observation, self.limits, self.fractions = name, observation, limits, fractions
        self.max_orders, self.sends = max_orders, sends
        P, F = limits.planets, len(MEMORY_FEATURES)
        table = np.zeros((P, F), np.float32), np.zeros(P, np.int64), np.zeros((), np.float32)
        stack = np.zeros((frames, flat_width(limits, memory)), np.float32)
        self.table, self.stack = GameMemory(*table) if memory else None, GameMemory(stack) if frames > 1 else None
        self.state = GameMemory(*state) if state else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    def sampling(self, seed: int = 0) -> Self:
        """Return this policy with actions drawn from its probabilities, by a generator seeded with ``seed``."""
        twin = self.__deepcopy__({})
        twin.rng = torch.Generator().manual_seed(seed)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the same policy without any game: the model is shared, since playing does not change it."""
        twin = copy(self)
        twin.table, twin.stack, twin.state = map(deepcopy, (self.table, self.stack, self.state))
        twin.rng = self.rng and self.rng.clone_state()
        return twin

    def act(
        self,
        observation: Any,
        games: Array | None = None,
        starts: Array | None = None,
        action_masks: Array | None = None,
    ) -> Array:
        """Return actions [n, sends * P], or [n] orders. ValueError for a model with a memory without ``games`` and ``starts``."""
        if games is None or starts is None:
            if self.table or self.stack or self.state:
                raise ValueError(
                    f"policy {self.name!r} has a memory: call act(observation, games=..., starts=...) with the number of each "
                    "game and whether it begins"
                )
            games = np.arange(len(observation["planets"] if isinstance(observation, dict) else observation))
            starts = np.ones(len(games), bool)
        if self.table:
            table, age, elapsed = self.table.recall(games, starts)
            remember(table, age, elapsed, *planets_and_clock(observation, self.limits))
            self.table.keep(games, (table, age, elapsed))
            observation = append_memory(observation, table)
        observation = self.stacked(observation, games, starts)
        state = self.state.recall(games, starts) if self.state else []
        actions, state = self.choose(observation, state, starts, action_masks)
        if self.state:
            self.state.keep(games, state)
        return actions

    def stacked(self, observation: Any, games: Array, starts: Array) -> Any:
        """Return flat observations [n, L] with those before them [n, frames * L], the oldest first."""
        if not self.stack:
            return observation
        (frames,) = self.stack.recall(games, starts)
        frames = np.concatenate([frames[:, 1:], observation[:, None]], 1)
        self.stack.keep(games, (frames,))
        return frames.reshape(len(frames), -1)

    def choose(
        self, observation: Any, state: list[Array], starts: Array, action_masks: Array | None
    ) -> tuple[Array, list[Array]]:
        """Return actions and the next states for what the model reads; ``state`` is empty for a model without one."""
        raise NotImplementedError


class TorchPolicy(ModelPolicy):
    """A torch module as a `Policy`: from observations to logits, of which the largest legal one is chosen.

    ``module(observation)`` gets tensors: a dict for "tensors", [n, L] for "flat". It returns logits [n, sends * P, choices], or
    [n, choices] with ``max_orders``; more axes or fewer are good if the count of numbers fits. Illegal choices are masked
    here. With ``state``, a tensor or a tuple of them for one game, ``module(observation, state)`` gets the states [n, ...]
    of the games and returns logits and the next states. ``memory`` adds the table of `MemoryWrapper`, ``frames`` stacks flat
    observations. The other arguments are the attributes of `Policy`. ValueError for a recurrent module without ``state``, and
    in `act` for logits of another shape or with NaN.

    >>> import torch
    >>> class Uniform(torch.nn.Module):
    ...     def forward(self, observation):
    ...         return observation["action_mask"].float()
    >>> TorchPolicy(Uniform())
    TorchPolicy(Uniform)
    """

    def __init__(
        self,
        module: nn.Module,
        *,
        observation: str = "tensors",
        limits: Limits = CLASSIC,
        fractions: Sequence[float] = FRACTIONS,
        max_orders: int = 0,
        sends: int = 1,
        state: Tensor | tuple[Tensor, ...] | None = None,
        memory: bool = False,
        frames: int = 1,
        name: str | None = None,
    ) -> None:
        self.module, name = module.eval(), name or type(module).__name__
        self._single = isinstance(state, Tensor)
        parts = (state,) if isinstance(state, Tensor) else state or ()
        arrays = [part.detach().cpu().numpy() for part in parts]
        super().__init__(name, observation, limits, fractions, max_orders, sends, memory, frames, arrays)
        if not arrays and any(isinstance(part, nn.RNNBase | nn.RNNCellBase) for part in module.modules()):
            raise ValueError(f"{name} is recurrent: pass state=, the state of one game at its start")

    def choose(
        self, observation: Any, state: list[Array], starts: Array, action_masks: Array | None
    ) -> tuple[Array, list[Array]]:
        """Return actions and the next states."""
        if action_masks is None:
            if not isinstance(observation, dict):
                raise ValueError(f"policy {self.name!r} reads flat observations: call act with action_masks, too")
            action_masks = observation["action_mask"]
        first = next(self.module.parameters(), None)
        device = torch.device("cpu") if first is None else first.device
        slots = slots_of_action(self.limits, self.max_orders > 0, self.sends)
        shape = len(starts), slots, choices_of_slot(self.limits, len(self.fractions), self.max_orders > 0)
        with torch.inference_mode():
            if isinstance(observation, dict):
                inputs: Any = {name: torch.as_tensor(part, device=device) for name, part in observation.items()}
            else:
                inputs = torch.as_tensor(observation, device=device)
            if self.state is None:
                answer = self.module(inputs)
            else:
                parts: Any = tuple(torch.from_numpy(part).to(device) for part in state)
                answer, parts = self.module(inputs, parts[0] if self._single else parts)
                state = [part.cpu().numpy() for part in ((parts,) if isinstance(parts, Tensor) else parts)]
            if not isinstance(answer, Tensor) or answer.numel() != shape[0] * shape[1] * shape[2]:
                given = tuple(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
                raise ValueError(f"the module of policy {self.name!r} must return logits of shape {shape}, not {given}")
            if answer.isnan().any():
                raise ValueError(f"the logits of policy {self.name!r} hold NaN")
            masks = torch.as_tensor(action_masks).bool().view(shape)
            logits = answer.reshape(shape).float().cpu().masked_fill(~masks, -torch.inf)
            if self.rng is None:
                actions = logits.argmax(-1)
            else:
                actions = torch.multinomial(logits.softmax(-1).flatten(0, 1), 1, generator=self.rng).view(shape[:2])
            return (actions.squeeze(1) if self.max_orders else actions).numpy(), state
