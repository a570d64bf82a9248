"""Attacks on a planet of the opponent, played out in games."""

from collections.abc import Callable
from itertools import product

import planetwars_env as pw


def assert_takes(people_needed: Callable[[pw.View, pw.PlanetView, int], int]) -> None:
    """As many people as the function says, sent now over an edge of so many turns, take the planet; one fewer do not."""
    for people, habitability, turns, size in product((1, 20, 37, 60, 99), (2, 3, 7), (1, 4, 6), (100, 500)):
        planets = [
            {"id": 0, "size": 500, "habitability": 3, "base": 1},
            {"id": 1, "size": size, "habitability": habitability, "base": 2},
        ]
        graph = pw.Graph.from_dict({"planets": planets, "edges": [{"a": 0, "b": 1, "weight": turns}]})
        state = {"turn": 9, "over": False, "winner": 0, "planets": [[0, 1, 400, 0], [1, 2, 0, people]], "shuttles": []}
        view = pw.Game.from_dict(graph, state).view(1)
        needed = people_needed(view, view.planet(1), turns)
        for sent, taken in ((needed, True), (needed - 1, False)):
            game = pw.Game.from_dict(graph, state)
            assert game.play([pw.Move(0, 1, sent)]) == [True]
            for _ in range(turns - 1):
                game.play([])
            after = game.people()[1]
            assert (after[0] > 0) == taken, (
                f"{people} at {habitability} % over {turns} turns: {sent} of {needed} leave {after}"
            )
