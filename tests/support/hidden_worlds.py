"""Two worlds that one player cannot tell apart: the same where it looks, anything at all beneath its fog.

A path of planets 1 to 8. The viewer's base is 1, and it keeps to 1 and 2, so that it sees 1, 2 and 3 and nothing else. The
opponent lives in 4 to 8: sizes, habitabilities, where its base is and what it does there differ from world to world. From
turn 32 on, one person of the opponent flies from 4 to 3 now and then, which the viewer sees, in every world alike.
"""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import planetwars_env as pw
from planetwars_env.graphs.graph import Edge, Planet

LIMITS = pw.Limits(planets=9, edges=8, degree=3, horizon=3)
FRACTIONS = (0.001, 0.3, 0.5, 1.0)
"""The first one sends one person from any planet of these worlds."""
TURNS = 52
SEEN, HIDDEN = (1, 2, 3), (4, 5, 6, 7, 8)
WEIGHTS = (1, 2, 3, 1, 2, 1, 1)
_SIGNALS_FROM = 32

Order = tuple[int, int, int]
"""Source, target, the place of the fraction that is sent."""


class World(NamedTuple):
    """``viewer``: the player (1, 2) that is not to notice which of the worlds this is; ``number``: which one it is."""

    viewer: int
    number: int

    @property
    def graph(self) -> pw.Graph:
        rng = random.Random(self.number)
        base = HIDDEN[1 + self.number % 3]
        planets = []
        for name in (*SEEN, *HIDDEN):
            land = (60 + 7 * name, 20 + name) if name in SEEN else (rng.randint(30, 900), rng.randint(20, 1000))
            owner = self.viewer if name == 1 else 3 - self.viewer if name == base else 0
            planets.append(Planet(name, land[1], land[0], x=float(name), y=float(name % 3), base=owner))
        edges = [Edge(a, a + 1, weight) for a, weight in enumerate(WEIGHTS, 1)]
        return pw.Graph("worlds", planets, edges)

    def opponents_orders(self, turn: int, people: dict[int, int]) -> list[Order]:
        """``people`` of the opponent by hidden planet. 4 only signals, the others send at random, mostly towards it."""
        rng = random.Random(self.number * 1000 + turn)
        orders: list[Order] = []
        if turn >= _SIGNALS_FROM and turn % 6 in (2, 3):
            orders.append((4, 3, 0))
        for source in HIDDEN[1:]:
            if people[source] > 1 and rng.random() < 0.7:
                away = source < HIDDEN[-1] and rng.random() < 0.2
                orders.append((source, source + 1 if away else source - 1, rng.randint(0, 2)))
        return orders


def viewers_orders(turn: int, people: dict[int, int]) -> list[Order]:
    """The viewer's moves: they follow from its view, and never leave 1 and 2."""
    rng = random.Random(turn + 7 * people[1] + people[2])
    ways = ((1, 2), (2, 1))
    return [(a, b, rng.randint(0, 3)) for a, b in ways if people[a] and rng.random() < 0.5]


def moves_of(world: World, game: pw.Game) -> list[pw.Move]:
    """Of whoever is to move."""
    people = {planet.id: own[game.player - 1] for planet, own in zip(game.graph.planets, game.people(), strict=True)}
    orders = viewers_orders if game.player == world.viewer else world.opponents_orders
    return [pw.Move(a, b, max(1, int(FRACTIONS[k] * people[a]))) for a, b, k in orders(game.turn, people)]


def opponent_of(world: World) -> type[Any]:
    """The opponent as a strategy, for whatever takes an ``opponent``."""

    class Opponent:
        name, compete = "opponent", False

        def take_turn(self, view: pw.View) -> Sequence[pw.Move]:
            people = {planet.id: view.my_people(planet) for planet in view.planets}
            hidden = {name: people[name] for name in HIDDEN}
            orders = world.opponents_orders(view.turn, hidden)
            return [pw.Move(a, b, max(1, int(FRACTIONS[k] * people[a]))) for a, b, k in orders]

    return Opponent


def frozen(shown: Any) -> Any:
    """Arrays, views and containers of them in a form that compares by value."""
    if isinstance(shown, np.ndarray):
        return str(shown.dtype), shown.shape, shown.tobytes()
    if isinstance(shown, dict):
        return {key: frozen(value) for key, value in shown.items()}
    if isinstance(shown, list | tuple):
        return [frozen(value) for value in shown]
    return shown
