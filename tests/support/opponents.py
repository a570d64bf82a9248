"""Strategies and a policy for the tests: what they do follows from the view alone, so that a game can be played twice."""

import random
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

import planetwars_env as pw
from planetwars_env.view import KnownMap


class Idle:
    """Never moves."""

    name, compete = "idle", False

    def take_turn(self, view: pw.View) -> Sequence[pw.Move]:
        return []


class Rusher:
    """Sends everybody away along every planet's first edge, every turn."""

    name, compete = "rusher", False

    def take_turn(self, view: pw.View) -> Sequence[pw.Move]:
        ways = {end: edge for edge in reversed(view.edges) for end in (edge.a, edge.b)}
        own = [planet for planet in view.owned_by(view.player) if planet.id in ways]
        return [pw.Move(p.id, ways[p.id].a + ways[p.id].b - p.id, view.my_people(p)) for p in own if view.my_people(p)]


class Chancy:
    """Random moves, some of them illegal, drawn from the turn number and what it sees."""

    name, compete = "chancy", False

    def take_turn(self, view: pw.View) -> Sequence[pw.Move]:
        people = sum(view.my_people(planet) for planet in view.planets)
        rng = random.Random(view.turn * 1000 + people)
        moves = []
        for edge in view.edges:
            source, target = rng.choice([(edge.a, edge.b), (edge.b, edge.a)])
            moves.append(pw.Move(source, target, rng.randint(0, 1 + view.my_people(view.planet(source)))))
        return moves


class Remembering:
    """Notes every instance and what each was told, for tests of who gets which instance."""

    name, compete = "remembering", False
    instances: ClassVar[list["Remembering"]] = []

    def __init__(self) -> None:
        self.games: list[tuple[int, int, str, int]] = []
        self.turns: list[int] = []
        Remembering.instances.append(self)

    def reset(self, graph: KnownMap, player: int, rules: Any, seed: int) -> None:
        self.games.append((len(graph.planets), player, rules.name, seed))

    def take_turn(self, view: pw.View) -> Sequence[pw.Move]:
        self.turns.append(view.turn)
        return []


class FirstLegal:
    """A policy: sends the first legal choice of every planet; counts how often it was asked."""

    name, compete = "first legal", False
    fractions = (0.5, 1.0)

    def __init__(self, max_orders: int = 0, limits: pw.Limits = pw.CLASSIC) -> None:
        self.max_orders, self.limits, self.asked = max_orders, limits, 0

    def act(self, observation: dict[str, np.ndarray]) -> np.ndarray:
        self.asked += 1
        mask = observation["action_mask"]
        if self.max_orders:
            return np.where(mask[:, 1:].any(axis=1), 1 + mask[:, 1:].argmax(axis=1), 0)
        choices = mask.reshape(len(mask), self.limits.planets, -1)[:, :, 1:]
        observation["planets"][:] = 0  # what is legal does not depend on what a policy leaves of its observation
        return choices.any(axis=2).astype(int)
