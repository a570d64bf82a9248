"""Masked categorical distributions over the slots of an action: sample, mode, log-probability, entropy.

Slots in which only waiting is legal are left out, so that cost follows the choices that exist.
Axes: B observations, S slots of an action, C choices of a slot, R slots with at least two legal choices.
"""

from typing import NamedTuple, Self

import torch
from torch import Tensor

ILLEGAL_LOGIT = -1e9
"""Logit of a choice that the mask forbids."""


class MaskedCategorical(NamedTuple):
    """Independent categorical distributions over the R slots that have a choice.

    The probabilities of `log_probs`, `log_prob` and `entropy` need `normalised` logits.
    """

    rows: Tensor  # [R] int64: indices of the slots among all B * S
    logits: Tensor  # [R, C] float32
    shape: tuple[int, int]  # B, S

    @classmethod
    def from_logits(cls, logits: Tensor, mask: Tensor) -> Self:
        """Return the distribution of ``logits`` [B, S, C]; ``mask`` [B, S * C] is positive where a choice is legal.

        Choice 0 of every slot must be legal.
        """
        legal = (mask.view(logits.shape) > 0).flatten(0, 1)
        rows = legal[:, 1:].any(1).nonzero().squeeze(1)
        chosen = logits.flatten(0, 1).index_select(0, rows)
        return cls(rows, chosen.masked_fill(~legal[rows], ILLEGAL_LOGIT), (logits.shape[0], logits.shape[1]))

    def normalised(self) -> Self:
        """Return the distribution with logarithms of probabilities as logits."""
        return self._replace(logits=torch.log_softmax(self.logits, -1))

    def sample(self, generator: torch.Generator | None = None) -> Tensor:
        """Return sampled actions [B, S] int64, with one random number a slot from ``generator`` (None: torch's own).

        The random number generator must be on the device of the logits.
        """
        return self._sample(torch.empty_like(self.logits[:, 0]).uniform_(generator=generator))

    def sample_by(self, uniform: Tensor) -> Tensor:
        """Return sampled actions [B, S] int64 with the random numbers ``uniform`` [B, S], each from 0 to below 1."""
        return self._sample(uniform.flatten().index_select(0, self.rows))

    def mode(self) -> Tensor:
        """Return the most probable action of every slot [B, S] int64."""
        return self._actions(self.logits.argmax(-1))

    def log_probs(self, actions: Tensor) -> Tensor:
        """Return the log-probabilities [R] of the single choices of ``actions`` [B, S]."""
        chosen = actions.flatten().index_select(0, self.rows)
        return self.logits.gather(1, chosen.unsqueeze(1)).squeeze(1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Return the log-probabilities [B] of whole ``actions`` [B, S]."""
        return self._sum_of_slots(self.log_probs(actions))

    def entropy(self) -> Tensor:
        """Return the entropies [B] of whole actions, in nats."""
        return self._sum_of_slots(-(self.logits.exp() * self.logits).sum(-1))

    def dense(self, fill: float = ILLEGAL_LOGIT) -> Tensor:
        """Return the logits [B, S, C] of all slots: those without a choice wait with probability 1."""
        B, S = self.shape
        logits = self.logits.new_full((B * S, self.logits.shape[1]), fill)
        logits[:, 0] = 0
        return logits.index_copy(0, self.rows, self.logits).view(B, S, -1)

    def _sample(self, uniform: Tensor) -> Tensor:
        """Return sampled actions [B, S] by the inverse of the cumulative distributions, at ``uniform`` [R]."""
        cumulative = torch.softmax(self.logits, -1).cumsum(-1)
        # Below the last sum by a margin: rounding must not lead to an illegal choice at the end.
        return self._actions((cumulative <= uniform.unsqueeze(1) * (1 - 1e-6) * cumulative[:, -1:]).sum(-1))

    def _actions(self, choices: Tensor) -> Tensor:
        actions = choices.new_zeros(self.shape)
        actions.view(-1)[self.rows] = choices
        return actions

    def _sum_of_slots(self, values: Tensor) -> Tensor:
        """Return sums [B] of ``values`` [R]."""
        B, S = self.shape
        if S == 1:
            return values.new_zeros(B).index_copy(0, self.rows, values)
        return values.new_zeros(B * S).index_copy(0, self.rows, values).view(B, S).sum(1)
