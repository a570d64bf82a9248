"""Policy around a torch module that returns logits."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from planetwars_env.codec.layout import choices_of_slot, slots_of_action
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, Limits
from planetwars_env.engine.state import Array
from planetwars_env.learn.model_policy import GameMemory, ModelPolicy, ObservationHistory


class TorchPolicy(ModelPolicy):
    """A torch module as a `Policy`: from observations to logits, of which the largest legal one is chosen.

    ``module(observation)`` gets tensors: a dict for "tensors", [n, L] for "flat". It returns logits [n, sends * P, choices], or
    [n, choices] with ``max_orders``; more axes or fewer are good if the count of numbers fits. Illegal choices are masked
    here. With ``state``, a tensor or a tuple of them for one game, ``module(observation, state)`` gets the states [n, ...]
    of the games and returns logits and the next states. ``memory`` adds the table of `MemoryWrapper`, ``frames`` stacks flat
    observations. The other arguments are the attributes of `Policy`. ValueError for a recurrent module without ``state``.

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
        self.module = module.eval()
        self.name = name or type(module).__name__
        self.observation, self.limits, self.fractions, self.max_orders = observation, limits, fractions, max_orders
        self.sends = sends
        self.history = ObservationHistory(limits, observation, memory, frames)
        parts = (state,) if isinstance(state, Tensor) else state
        self._single = isinstance(state, Tensor)
        if parts is not None:
            self.state = GameMemory(*(part.detach().cpu().numpy() for part in parts))
        elif any(isinstance(part, nn.RNNBase | nn.RNNCellBase) for part in module.modules()):
            raise ValueError(f"{self.name} is recurrent: pass state=, the state of one game at its start")

    def __repr__(self) -> str:
        return f"TorchPolicy({self.name})"

    def act(
        self,
        observation: Any,
        games: Array | None = None,
        starts: Array | None = None,
        action_masks: Array | None = None,
    ) -> Array:
        """Return actions [n, sends * P], or [n] orders. ValueError for logits of another shape or with NaN."""
        games, starts = self.numbers(observation, games, starts)
        if action_masks is None:
            if not isinstance(observation, dict):
                raise ValueError(f"policy {self.name!r} reads flat observations: call act with action_masks, too")
            action_masks = observation["action_mask"]
        inputs = self.history.with_table(observation, games, starts)
        inputs = self.history.stacked(inputs, games, starts)
        first = next(self.module.parameters(), None)
        device = torch.device("cpu") if first is None else first.device
        slots = slots_of_action(self.limits, self.max_orders > 0, self.sends)
        shape = len(games), slots, choices_of_slot(self.limits, len(self.fractions), self.max_orders > 0)
        with torch.inference_mode():
            if isinstance(inputs, dict):
                inputs = {name: torch.as_tensor(part, device=device) for name, part in inputs.items()}
            else:
                inputs = torch.as_tensor(inputs, device=device)
            if self.state is None:
                answer = self.module(inputs)
            else:
                parts = tuple(torch.from_numpy(part).to(device) for part in self.state.recall(games, starts))
                answer, parts = self.module(inputs, parts[0] if self._single else parts)
                parts = (parts,) if isinstance(parts, Tensor) else parts
                self.state.keep(games, [part.cpu().numpy() for part in parts])
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
            return (actions.squeeze(1) if self.max_orders else actions).numpy()
