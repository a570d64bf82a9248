"""Networks, from the parts of an observation to scores of the legal choices and a value; and from scores to choices.

An action has S slots, chosen independently. Most slots of most observations can only wait: they are left out, so that
cost follows the choices that there are. Axes: B observations, N planets of all boards, K fractions, H width, S slots,
C choices of a slot, R slots with a choice.
"""

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from planetwars_env.codec.layout import CLOCK_WIDTH, EDGE_WIDTH, planet_width
from planetwars_env.learn.action_spec import Choices
from planetwars_env.learn.graph_batch import DETAILS, Observation, Packed, pack, planet_numbers
from planetwars_env.learn.message_passing import gather, pool, score

IMPOSSIBLE = -1e9
"""The score of what the mask forbids."""
_PATIENCE = 2.0
"""The first bias of waiting: a beginner that sends at random from every planet on every turn never grows."""


class Scores(NamedTuple):
    """Unnormalised or normalised logarithms of probabilities, for the slots that have a choice."""

    rows: Tensor
    """[R] int64: which of the B * S slots"""
    logits: Tensor
    """[R, C]"""
    slots: tuple[int, int]
    """B, S"""


class GraphNetwork(nn.Module):
    """Message passing along edges, then one logit for every edge and fraction: any board, any order of planets.

    A planet's messages come from the planets that its own edges lead to, so that every sum is over one planet's edges.
    Every round, each planet also hears of the whole board: the mean and the maximum over all planets.
    """

    def __init__(self, choices: Choices, width: int, rounds: int) -> None:
        super().__init__()
        self.choices = choices
        self.embed = nn.Linear(planet_numbers(choices), width)
        self.rounds = nn.ModuleList(_Round(width) for _ in range(rounds))
        self.ends = nn.Linear(width, 2 * width)
        self.edge = nn.Parameter(_as_linear(DETAILS, width))
        self.head = nn.Parameter(torch.zeros(choices.fractions, width))
        self.wait = nn.Linear(2 * width if choices.orders else width, 1)
        self.value = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1))
        nn.init.orthogonal_(self.head, 0.01)
        _start_small(self.wait)
        nn.init.constant_(self.wait.bias, 0 if choices.orders else _PATIENCE)

    def forward(self, observation: Observation) -> tuple[Scores, Tensor]:
        """Scores of the legal choices, and values [B]."""
        packed = pack(self.choices, observation)
        device = self.head.device
        return self.on(packed if device.type == "cpu" else Packed(*(part.to(device) for part in packed)))

    def on(self, packed: Packed) -> tuple[Scores, Tensor]:
        """The same of what is packed already, on the network's device."""
        x = torch.relu(self.embed(packed.planets))
        for one in self.rounds:
            x = one(x, packed)
        pooled = pool(x, packed)
        waits = self.wait((pooled if self.choices.orders else x).index_select(0, packed.sender))
        sends = waits.new_full((len(waits) * (self.choices.per_slot - 1),), IMPOSSIBLE)
        sends = score(self.ends(x), self.edge, self.head, packed, sends).view(len(waits), self.choices.per_slot - 1)
        scores = Scores(packed.rows, torch.cat([waits, sends], 1), (len(pooled), self.choices.slots))
        return scores, self.value(pooled).squeeze(-1)


class FlatNetwork(nn.Module):
    """A multilayer perceptron over all numbers of the observation, for comparison."""

    def __init__(self, choices: Choices, width: int, rounds: int) -> None:
        super().__init__()
        self.choices = choices
        limits = choices.limits
        numbers = limits.planets * planet_width(limits.horizon) + 2 * limits.edges * EDGE_WIDTH + CLOCK_WIDTH
        widths = [numbers] + [width] * rounds
        self.body = nn.Sequential(*(layer for a, b in pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU())))
        self.logits = nn.Linear(width, choices.slots * choices.per_slot)
        self.value = nn.Linear(width, 1)
        _start_small(self.logits)

    def forward(self, observation: Observation) -> tuple[Scores, Tensor]:
        """Scores of the legal choices, and values [B], of ``observation`` on the CPU or on the network's device."""
        device = self.value.weight.device
        planets, edges, clock, mask = (
            observation[name].to(device) for name in ("planets", "edges", "clock", "action_mask")
        )
        x = self.body(torch.cat((planets.flatten(1), edges.flatten(1), clock), 1))
        logits = self.logits(x).view(len(x), self.choices.slots, self.choices.per_slot)
        return scores_of(logits, mask), self.value(x).squeeze(-1)


NETWORKS: dict[str, type[GraphNetwork] | type[FlatNetwork]] = {"graph": GraphNetwork, "mlp": FlatNetwork}


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
    rng = torch.rand(len(below), 1, generator=generator, device=generator.device if generator else None)
    # No sum is ever reached in full: rounding must not lead to a choice at the end that is impossible.
    return _filled(scores, (below <= rng * (1 - 1e-6) * below[:, -1:]).sum(-1))


def best(scores: Scores) -> Tensor:
    """The likeliest choice of every slot [B, S] int64."""
    return _filled(scores, scores.logits.argmax(-1))


def log_probs_of(scores: Scores, actions: Tensor) -> Tensor:
    """[R]: of each choice of ``actions`` [B, S] where there is one; ``scores`` are normalised."""
    chosen = actions.flatten().index_select(0, scores.rows)
    return scores.logits.gather(1, chosen.unsqueeze(1)).squeeze(1)


def log_prob_of(scores: Scores, actions: Tensor) -> Tensor:
    """[B]: of all the choices ``actions`` [B, S] together; ``scores`` are normalised."""
    return _summed(scores, log_probs_of(scores, actions))


def entropy_of(scores: Scores) -> Tensor:
    """[B]: of all slots together, in nats; ``scores`` are normalised."""
    return _summed(scores, -(scores.logits.exp() * scores.logits).sum(-1))


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


def _summed(scores: Scores, values: Tensor) -> Tensor:
    """[B] from ``values`` [R]: the sum over the slots that have a choice."""
    B, S = scores.slots
    if S == 1:
        return values.new_zeros(B).index_copy(0, scores.rows, values)
    return values.new_zeros(B * S).index_copy(0, scores.rows, values).view(B, S).sum(1)


class _Round(nn.Module):
    """One round: what a planet knows, what its edges and their far ends tell it, and how the whole board stands."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.ends = nn.Linear(width, 2 * width)
        self.edge = nn.Parameter(_as_linear(DETAILS, width))
        self.own = nn.Linear(width, width)
        self.told = nn.Linear(2 * width, width, bias=False)
        self.board = nn.Linear(2 * width, width, bias=False)

    def forward(self, x: Tensor, packed: Packed) -> Tensor:
        """[N, H] from [N, H], neither ever negative."""
        told = gather(self.ends(x), self.edge, packed)
        board = self.board(pool(x, packed)).repeat_interleave(packed.first_planet.diff(), 0, output_size=len(x))
        return x + torch.relu(self.own(x) + self.told(told) + board)


def _as_linear(inputs: int, outputs: int) -> Tensor:
    """The first weights of a linear layer."""
    return torch.empty(inputs, outputs).uniform_(-1, 1) / inputs**0.5


def _start_small(*layers: nn.Linear) -> None:
    """Begin with all choices nearly equal."""
    for layer in layers:
        nn.init.orthogonal_(layer.weight, 0.01)
        nn.init.zeros_(layer.bias)
