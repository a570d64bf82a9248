"""Networks in plain torch: from the parts of an observation to a logit for every action and a value.

Axes: B observations, P planet slots, E directed edge slots, D edge slots of a planet, K fractions, H width, M edges that
exist in the whole batch.
"""

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from planetwars_env.codec.layout import (
    CLOCK_WIDTH,
    EDGE_EXISTS,
    EDGE_WIDTH,
    EXISTS,
    MY_FLIGHT,
    MY_PEOPLE,
    planet_width,
)
from planetwars_env.learn.choices import Choices
from planetwars_env.learn.choose import IMPOSSIBLE, Scores, scores_of

_PATIENCE = 2.0
"""The first bias of waiting: a beginner that sends at random from every planet on every turn never grows."""

Observation = dict[str, Tensor]
"""The parts of observation="tensors", batched: planets [B, P, F], edges [B, E, G], edge_index [B, E, 2], clock [B, 2],
action_mask [B, A]."""


class GraphNetwork(nn.Module):
    """Message passing along edges, then one logit for every edge and fraction: any board, any order of planets.

    A planet's messages come from the planets that its own edges lead to, so that every sum is over one planet's edges.
    """

    def __init__(self, choices: Choices, width: int, rounds: int) -> None:
        super().__init__()
        self.choices = choices
        features = planet_width(choices.limits.horizon)
        people = features - MY_PEOPLE
        self.embed = nn.Linear(features + people + CLOCK_WIDTH, width)
        self.rounds = nn.ModuleList(_Round(width) for _ in range(rounds))
        self.send = _Pairs(width)
        self.fractions = nn.Linear(width, choices.fractions)
        self.wait = nn.Linear(2 * width if choices.orders else width, 1)
        self.value = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))
        _start_small(self.fractions, self.wait)
        nn.init.constant_(self.wait.bias, 0 if choices.orders else _PATIENCE)

    def forward(self, observation: Observation) -> tuple[Scores, Tensor]:
        """Scores of the legal choices, and values [B]."""
        planets, edges = observation["planets"], observation["edges"]
        B, P = planets.shape[:2]
        exists = planets[..., EXISTS : EXISTS + 1]
        clock = observation["clock"].unsqueeze(1).expand(B, P, CLOCK_WIDTH)
        rows = torch.cat([planets, _fine(planets[..., MY_PEOPLE:]), clock], -1).flatten(0, 1)
        x = torch.relu(self.embed(rows))
        ways = _ways(observation)
        details = edges[ways.used]
        details = torch.cat([details, _fine(details[:, MY_FLIGHT:])], -1)
        for one in self.rounds:
            x = one(x, ways, details)
        pooled = _pool(x.view(B, P, -1), exists)
        if self.choices.orders:
            scores = self._order_scores(observation, x, pooled, ways, details)
        else:
            scores = self._turn_scores(observation, x, ways, details)
        return scores, self.value(pooled).squeeze(-1)

    def _turn_scores(self, observation: Observation, x: Tensor, ways: "_Ways", details: Tensor) -> Scores:
        """A row for every planet that can send."""
        B, P, C = len(observation["planets"]), self.choices.slots, self.choices.per_slot
        able = observation["action_mask"].view(B * P, C)[:, 1] > 0
        rows = able.nonzero().squeeze(1)
        legal = able[ways.source]
        sends = self._score_edges(x, ways.only(legal), details[legal])
        logits = sends.new_full((len(rows) * self.choices.limits.degree, self.choices.fractions), IMPOSSIBLE)
        row_of = torch.cumsum(able, 0) - 1
        place = row_of[ways.source[legal]] * self.choices.limits.degree + ways.slot[legal]
        logits = logits.index_copy(0, place, sends).view(len(rows), C - 1)
        return Scores(rows, torch.cat([self.wait(x.index_select(0, rows)), logits], 1), (B, P))

    def _order_scores(
        self, observation: Observation, x: Tensor, pooled: Tensor, ways: "_Ways", details: Tensor
    ) -> Scores:
        """A row for every observation."""
        B, E = ways.used.shape
        K = self.choices.fractions
        able = observation["action_mask"][:, 1::K] > 0
        legal = able[ways.used]
        sends = self._score_edges(x, ways.only(legal), details[legal])
        place = able.flatten().nonzero().squeeze(1)
        logits = sends.new_full((B * E, K), IMPOSSIBLE).index_copy(0, place, sends).view(B, E * K)
        return Scores(torch.arange(B), torch.cat([self.wait(pooled), logits], 1), (B, 1))

    def _score_edges(self, x: Tensor, ways: "_Ways", details: Tensor) -> Tensor:
        """[M, K]"""
        return self.fractions(self.send(x, ways, details))


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
        """Scores of the legal choices, and values [B]."""
        parts = (observation["planets"].flatten(1), observation["edges"].flatten(1), observation["clock"])
        x = self.body(torch.cat(parts, 1))
        logits = self.logits(x).view(len(x), self.choices.slots, self.choices.per_slot)
        return scores_of(logits, observation["action_mask"]), self.value(x).squeeze(-1)


NETWORKS: dict[str, type[GraphNetwork] | type[FlatNetwork]] = {"graph": GraphNetwork, "mlp": FlatNetwork}


class _Ways(NamedTuple):
    """The edges that exist, of all boards in a row: where they stand, and the rows of their planets."""

    used: Tensor
    """[B, E] bool"""
    source: Tensor
    """[M] rows of the B * P planets, ascending"""
    target: Tensor
    """[M]"""
    slot: Tensor
    """[M]: the edge is the slot-th of its source."""

    def only(self, chosen: Tensor) -> "_Ways":
        """Those ``chosen`` [M] bool; ``used`` stays."""
        return _Ways(self.used, self.source[chosen], self.target[chosen], self.slot[chosen])


def _ways(observation: Observation) -> _Ways:
    edges, index = observation["edges"], observation["edge_index"].long()
    P = observation["planets"].shape[1]
    used = edges[..., EDGE_EXISTS] > 0
    board = torch.arange(len(edges)).unsqueeze(1).expand_as(used)[used] * P
    source, target = board + index[..., 0][used], board + index[..., 1][used]
    # Edges are sorted by source: the first of each begins a run, and the slot counts on from there.
    place = torch.arange(len(source))
    begins = torch.ones_like(source, dtype=torch.bool)
    begins[1:] = source[1:] != source[:-1]
    start = torch.cummax(torch.where(begins, place, 0), 0).values if len(source) else place
    return _Ways(used, source, target, place - start)


class _Pairs(nn.Module):
    """A layer over (source, target, edge), each part multiplied before it is copied to the edges."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.source = nn.Linear(width, width, bias=False)
        self.target = nn.Linear(width, width, bias=False)
        self.edge = nn.Linear(2 * EDGE_WIDTH - MY_FLIGHT, width)

    def forward(self, x: Tensor, ways: _Ways, details: Tensor) -> Tensor:
        """[M, H] from planets [B * P, H] and edges [M, 6]."""
        source = self.source(x).index_select(0, ways.source)
        target = self.target(x).index_select(0, ways.target)
        return torch.relu(source + target + self.edge(details))


class _Round(nn.Module):
    """One round of messages: what a planet knows, and the sum of what its edges and their far ends tell it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.message = _Pairs(width)
        self.update = nn.Linear(2 * width, width)

    def forward(self, x: Tensor, ways: _Ways, details: Tensor) -> Tensor:
        """[B * P, H] from [B * P, H]."""
        messages = self.message(x, ways, details)
        told = torch.zeros_like(x).index_add(0, ways.source, messages)
        return x + torch.relu(self.update(torch.cat([x, told], 1)))


def _pool(x: Tensor, exists: Tensor) -> Tensor:
    """[B, 2 H]: mean and maximum over the planets that exist."""
    present = x * exists
    return torch.cat([present.sum(1) / exists.sum(1).clamp(min=1), present.max(1).values], 1)


def _fine(people: Tensor) -> Tensor:
    """Hundreds of people on a logarithmic scale, where 5 and 10 differ as much as 500 and 1000 do."""
    return torch.log1p(100 * people) * 0.2


def _start_small(*layers: nn.Linear) -> None:
    """Begin with all choices nearly equal."""
    for layer in layers:
        nn.init.orthogonal_(layer.weight, 0.01)
        nn.init.zeros_(layer.bias)
