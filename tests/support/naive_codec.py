"""A slow second reading of the codec, from the tables of docs/observations.md alone, against plain views.

Nothing of `planetwars_env.codec` is used but that table (names, scales) and the limits: no packed array is read, and every
number comes from a `pw.View`. What a view does not tell cannot get into these tensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import planetwars_env as pw
from planetwars_env.codec.layout import CLOCK_FEATURES, EDGE_FEATURES, PLANET_FEATURES
from planetwars_env.codec.limits import FRACTIONS

SCALES = {feature.name: feature.scale for feature in PLANET_FEATURES}
EDGE_SCALES = {feature.name: feature.scale for feature in EDGE_FEATURES}


class NaiveCodec(NamedTuple):
    """One choice of the arguments that decide what is seen and done; ``max_orders`` 0 means actions="turn"."""

    limits: Any = pw.CLASSIC
    fractions: Sequence[float] = FRACTIONS
    max_orders: int = 0
    max_turns: int = 500
    sends: int = 1

    def observe(self, view: pw.View, orders: int = 0) -> dict[str, Any]:
        """The four tensors, and with them the mask of a game that goes on."""
        limits = self.limits
        planets = np.zeros((limits.planets, 11 + 2 * limits.horizon))
        edges = np.zeros((2 * limits.edges, len(EDGE_FEATURES)))
        edge_index = np.zeros((2 * limits.edges, 2), np.int32)
        for p, planet in enumerate(view.planets):
            planets[p] = self._planet(view, planet)
        slots = _slots(view)
        for e, (source, target, weight) in enumerate(directed(view)):
            edges[e] = list(_edge(view, source, target, weight).values())
            edge_index[e] = slots[source], slots[target]
        own_turns = (view.turn + view.player % 2) // 2
        clock = np.array([own_turns * 2 / self.max_turns, orders / self.max_orders if self.max_orders else 0])
        assert len(clock) == len(CLOCK_FEATURES)
        floats = {"planets": planets, "edges": edges, "clock": clock}
        return {**{key: value.astype(np.float32) for key, value in floats.items()}, "edge_index": edge_index}

    def mask(self, view: pw.View, running: bool = True) -> np.ndarray:
        """Every choice, asked one by one."""
        ways = directed(view)
        if self.max_orders:
            choices = range(1 + 2 * self.limits.edges * len(self.fractions))
            return np.array([c == 0 or (running and self._order(view, ways, c) is not None) for c in choices])
        flags = []
        for p in range(self.limits.planets):
            own = _ways_from(view, ways, p)
            choices = range(1 + self.limits.degree * len(self.fractions))
            flags += [c == 0 or (running and self._order(view, own, c) is not None) for c in choices]
        return np.array(flags * self.sends)

    def moves(self, view: pw.View, action: Any) -> list[pw.Move]:
        """The moves of an action; an illegal choice means nothing."""
        ways = directed(view)
        if self.max_orders:
            moves = [self._order(view, ways, int(action))]
        else:
            moves, sent = [], dict.fromkeys(range(self.limits.planets), 0)
            for i, choice in enumerate(action):
                p = i % self.limits.planets
                move = self._order(view, _ways_from(view, ways, p), int(choice), sent[p])
                sent[p] += move.people if move else 0
                moves.append(move)
        return [move for move in moves if move is not None]

    def _order(self, view: pw.View, ways: list[tuple[int, int, int]], choice: int, sent: int = 0) -> pw.Move | None:
        """Choice 0 is to wait; the others are the fractions of the first way, of the second, ..."""
        slot, k = divmod(choice - 1, len(self.fractions))
        if choice == 0 or slot >= len(ways):
            return None
        return self._send(view, ways[slot][0], ways[slot][1], k, sent)

    def _send(self, view: pw.View, source: int, target: int, k: int, sent: int) -> pw.Move | None:
        """A fraction f of n people sends max(1, floor(f n)); from a visible planet only, and only where somebody is left."""
        there = view.my_people(view.planet(source)) - sent
        return pw.Move(source, target, max(1, math.floor(self.fractions[k] * there))) if there else None

    def _planet(self, view: pw.View, planet: Any) -> list[float]:
        if not planet.visible:
            return [1.0] + [0.0] * (10 + 2 * self.limits.horizon)
        mine = planet.people[view.player - 1]
        values = {
            "exists": 1,
            "visible": 1,
            "mine": planet.owner == view.player,
            "opponent": planet.owner == view.opponent,
            "neutral": planet.owner == 0,
            "my_base": planet.base == view.player,
            "opponent_base": planet.base == view.opponent,
            "my_people": mine,
            "opponent_people": planet.population - mine,
            "size": planet.size,
            "habitability": planet.habitability,
        }
        single = [values[feature.name] * feature.scale for feature in PLANET_FEATURES[:-2]]
        return single + list(self._arrivals(view, planet.id))

    def _arrivals(self, view: pw.View, planet: int) -> Iterator[float]:
        """First the viewer's, then the opponent's, bin by bin; the last bin holds all that comes later too."""
        for player, name in ((view.player, "my_arrivals"), (view.opponent, "opponent_arrivals")):
            landing = [s for s in view.shuttles if s.destination == planet and s.player == player]
            for bin in range(1, self.limits.horizon + 1):
                people = sum(s.people for s in landing if min(s.turns, self.limits.horizon) == bin)
                yield people * SCALES[name]


def directed(view: pw.View) -> list[tuple[int, int, int]]:
    """(source, target, weight), by the places of source and target among the planets."""
    slots = _slots(view)
    ways = [way for edge in view.edges for way in ((edge.a, edge.b, edge.weight), (edge.b, edge.a, edge.weight))]
    return sorted(ways, key=lambda way: (slots[way[0]], slots[way[1]]))


def _ways_from(view: pw.View, ways: list[tuple[int, int, int]], p: int) -> list[tuple[int, int, int]]:
    """Those that leave the planet in slot p; none leaves an empty slot."""
    return [way for way in ways if p < len(view.planets) and way[0] == view.planets[p].id]


def _slots(view: pw.View) -> dict[int, int]:
    return {planet.id: p for p, planet in enumerate(view.planets)}


def _edge(view: pw.View, source: int, target: int, weight: int) -> dict[str, float]:
    flying = {1: 0, 2: 0}
    for shuttle in view.shuttles:
        if (shuttle.source, shuttle.destination) == (source, target):
            flying[shuttle.player] += shuttle.people
    values = {"exists": 1, "weight": weight, "my_flight": flying[view.player], "opponent_flight": flying[view.opponent]}
    return {name: value * EDGE_SCALES[name] for name, value in values.items()}
