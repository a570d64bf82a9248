"""Masked choices: from scores to actions, their log-probability and the entropy.

An action has S slots, chosen independently. Most slots of most observations can only wait: they are left out, so that
cost follows the choices that there are. Axes: B observations, S slots, C choices of a slot, R slots with a choice.
"""

from typing import NamedTuple

import torch
from torch import Tensor

IMPOSSIBLE = -1e9
"""The score of what the mask forbids."""


class Scores(NamedTuple):
    """Unnormalised or normalised logarithms of probabilities, for the slots that have a choice."""

    rows: Tensor
    """[R] int64: which of the B * S slots"""
    logits: Tensor
    """[R, C]"""
    slots: tuple[int, int]
    """B, S"""


def scores_of(logits: Tensor, mask: Tensor) -> Scores:
    """The scores of ``logits`` [B, S, C]; ``mask`` [B, S * C] is positive where a choice is legal. Choice 0 always is."""
    legal = (mask.view(logits.shape) > 0).flatten(0, 1)
    rows = legal[:, 1:].any(1).nonzero().squeeze(1)
    chosen = logits.flatten(0, 1).index_select(0, rows)
    return Scores(rows, chosen.masked_fill(~legal[rows], IMPOSSIBLE), (logits.shape[0], logits.shape[1]))


def normalised(scores: Scores) -> Scores:
    """The same as logarithms of probabilities."""
    return scores._replace(logits=torch.log_softmax(scores.logits, -1))


def draw(scores: Scores, generator: torch.Generator | None = None) -> Tensor:
    """One choice a slot [B, S] int64, from ``generator`` or torch's own: one random number a slot."""
    below = torch.softmax(scores.logits, -1).cumsum(-1)
    dice = torch.rand(len(below), 1, generator=generator, device=generator.device if generator else None)
    # No sum is ever reached in full: rounding must not lead to a choice at the end that is impossible.
    return _filled(scores, (below <= dice * (1 - 1e-6) * below[:, -1:]).sum(-1))


def best(scores: Scores) -> Tensor:
    """The likeliest choice of every slot [B, S] int64."""
    return _filled(scores, scores.logits.argmax(-1))


def log_probs_of(scores: Scores, actions: Tensor) -> Tensor:
    """[R]: of each choice of ``actions`` [B, S] where there is one; ``scores`` are normalised."""
    chosen = actions.flatten().index_select(0, scores.rows)
    return scores.logits.gather(1, chosen.unsqueeze(1)).squeeze(1)


def log_prob_of(scores: Scores, actions: Tensor) -> Tensor:
    """[B]: of all the choices ``actions`` [B, S] together; ``scores`` are normalised."""
    return summed(scores, log_probs_of(scores, actions))


def entropy_of(scores: Scores) -> Tensor:
    """[B]: of all slots together, in nats; ``scores`` are normalised."""
    return summed(scores, -(scores.logits.exp() * scores.logits).sum(-1))


def spread(scores: Scores, fill: float = IMPOSSIBLE) -> Tensor:
    """All logits [B, S, C] again: slots without a choice wait for certain."""
    B, S = scores.slots
    everything = scores.logits.new_full((B * S, scores.logits.shape[1]), fill)
    everything[:, 0] = 0
    return everything.index_copy(0, scores.rows, scores.logits).view(B, S, -1)


def _filled(scores: Scores, choices: Tensor) -> Tensor:
    actions = choices.new_zeros(scores.slots)
    actions.view(-1)[scores.rows] = choices
    return actions


def summed(scores: Scores, values: Tensor) -> Tensor:
    """[B] from ``values`` [R]: the sum over the slots that have a choice."""
    B, S = scores.slots
    if S == 1:
        return values.new_zeros(B).index_copy(0, scores.rows, values)
    return values.new_zeros(B * S).index_copy(0, scores.rows, values).view(B, S).sum(1)
