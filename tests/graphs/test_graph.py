"""Graph: what R1 allows, and how a board that breaks it is refused."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from planetwars_env.graphs.graph import Edge, Graph, GraphError, Planet

HOME = Planet(3, 3, 100, 1.0, 1.0, 1)
MIDDLE = Planet(7, 0, 50, 2.5, -1.0)
AWAY = Planet(900, 12, 596, 4.0, 1.0, 2)
BOARD = Graph("board", [AWAY, HOME, MIDDLE], [Edge(900, 7, 5), Edge(7, 3, 1)])


def planets_with(**changes: Any) -> list[Planet]:
    """The three planets, the middle one changed."""
    return [HOME, replace(MIDDLE, **changes), AWAY]


def test_a_graph_tells_its_planets_and_edges_in_order_its_bases_indices_neighbours_and_degrees() -> None:
    assert [planet.id for planet in BOARD.planets] == [3, 7, 900]
    assert BOARD.edges == (Edge(3, 7, 1), Edge(7, 900, 5))
    assert BOARD.bases == (3, 900)
    assert BOARD.index == {3: 0, 7: 1, 900: 2}
    assert BOARD.neighbours(7) == (3, 900)
    assert [BOARD.degree(planet.id) for planet in BOARD.planets] == [1, 2, 1]


def test_a_graph_cannot_be_changed_and_equals_those_with_its_planets_and_edges() -> None:
    with pytest.raises(FrozenInstanceError):
        BOARD.name = "other"  # pyright: ignore[reportAttributeAccessIssue]
    same = Graph("another name", BOARD.planets, [Edge(3, 7, 1), Edge(7, 900, 5)])
    other = Graph("board", BOARD.planets, [Edge(3, 7, 2), Edge(7, 900, 5)])
    assert same == BOARD and hash(same) == hash(BOARD)
    assert other != BOARD
    assert BOARD.neighbours(7) == (3, 900)  # what is cached then does not get in the way
    read = Graph.from_dict(json.loads(json.dumps(BOARD.to_dict())), "board")
    for twin in (pickle.loads(pickle.dumps(BOARD)), copy.copy(BOARD), copy.deepcopy(BOARD), read):
        assert twin == BOARD and twin.name == "board"


def test_numpy_integers_become_plain_ones() -> None:
    planet = Graph("", planets_with(size=np.int64(50), x=np.float32(2.5)), []).planets[1]
    assert type(planet.size) is int and type(planet.x) is float and planet.x == 2.5
    assert type(Graph("", [HOME, replace(AWAY, x=Fraction(1, 2))], []).planets[1].x) is float


def test_the_limits_themselves_are_allowed() -> None:
    edge = Planet(2**31 - 1, 1000, 50_000_000 - 696, 1e308, 0.0)
    assert len(Graph("", [HOME, edge, AWAY], [Edge(3, edge.id, 1000)]).planets) == 3
    many = [replace(MIDDLE, id=1000 + i) for i in range(998)]
    assert len(Graph("", [HOME, AWAY, *many], []).planets) == 1000


def refused(planets: Any = (HOME, MIDDLE, AWAY), edges: Any = ()) -> str:
    with pytest.raises(GraphError) as refusal:
        Graph("", planets, edges)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"id": -1}, "planet -1: the id is -1; it must be a whole number from 0 to 2147483647"),
        ({"id": 2**31}, "from 0 to 2147483647"),
        ({"id": "7"}, "planet '7': the id is '7'"),
        ({"id": 3}, "planet 3 is defined twice"),
        ({"habitability": -1}, "planet 7: habitability is -1; it must be a whole number from 0 to 1000"),
        ({"habitability": 1001}, "habitability is 1001"),
        ({"habitability": True}, "habitability is True"),
        ({"habitability": 3.0}, "habitability is 3.0"),
        ({"size": 0}, "planet 7: size is 0; it must be a whole number from 1 to 50000000"),
        ({"size": np.bool_(True)}, "size is"),
        ({"size": 10**5000}, "size is a number of 16610 bits"),
        ({"size": 50_000_000 - 695}, "add up to 50,000,001; at most 50,000,000"),
        ({"x": float("inf")}, "planet 7: x is inf; it must be a finite number"),
        ({"y": float("nan")}, "y is nan"),
        ({"x": True}, "x is True"),
        ({"x": 10**400}, "finite number"),
        ({"x": "1"}, "x is '1'"),
        ({"base": 3}, "planet 7: base is 3; it must be a whole number from 0 to 2"),
        ({"base": 1}, "planet 7: player 1 already has its base on planet 3"),
        ({"base": 2}, "player 2 already has its base on planet 7"),
    ],
)
def test_a_faulty_planet_is_named_with_its_fault(changes: dict[str, Any], fault: str) -> None:
    assert fault in refused(planets_with(**changes))


@pytest.mark.parametrize(
    ("edges", "fault"),
    [
        ([Edge(3, 8, 1)], "edge 3 -- 8: there is no planet 8"),
        ([Edge(7, 7, 1)], "edge 7 -- 7 joins a planet to itself"),
        ([Edge(3, 7, 1), Edge(7, 3, 2)], "edge 3 -- 7 is defined twice"),
        ([Edge(7, 3, 0)], "edge 7 -- 3: weight is 0; it must be a whole number from 1 to 1000"),
        ([Edge(3, 7, 1001)], "weight is 1001"),
        ([Edge(3, 7, 1.0)], "weight is 1.0"),  # pyright: ignore[reportArgumentType]
        ([Edge(3, 7, True)], "weight is True"),
        ([Edge(3.0, 7, 1)], "edge 3.0 -- 7: one end is 3.0"),  # pyright: ignore[reportArgumentType]
        ([(3, 7, 1)], "the edges must be Edge objects, not (3, 7, 1)"),
    ],
)
def test_a_faulty_edge_is_named_with_its_fault(edges: list[Edge], fault: str) -> None:
    assert fault in refused(edges=edges)


@pytest.mark.parametrize(
    ("planets", "fault"),
    [
        ([], "the graph has 0 planets; 2 to 1000 are allowed"),
        ([HOME], "the graph has 1 planets"),
        ([HOME, AWAY] + [replace(MIDDLE, id=1000 + i) for i in range(999)], "the graph has 1001 planets"),
        ([HOME, MIDDLE], "player 2 has no base"),
        ([AWAY, MIDDLE], "player 1 has no base"),
        ([HOME, {"id": 4}], "the planets must be Planet objects"),
    ],
)
def test_a_graph_with_wrong_planets_is_refused(planets: list[Planet], fault: str) -> None:
    assert fault in refused(planets)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({}, "needs a list under 'planets'"),
        ([], "needs a list under 'planets'"),
        ({"planets": [], "edges": None}, "needs a list under 'edges', not None"),
        (
            {"planets": [1], "edges": []},
            "planet number 1 must be a dict with id, habitability, size, x, y, base, not 1",
        ),
        (
            {"planets": [{"id": 1, "size": 3}], "edges": []},
            "planet number 1 has no 'habitability'; needed: id, habitability, size",
        ),
        (
            {"planets": [{"id": 1, "bse": 1, "sz": 3}], "edges": []},
            "planet number 1 has an unknown key 'bse'; known: id, habitability, size, x, y, base",
        ),
        (
            {"planets": BOARD.to_dict()["planets"], "edges": [{"a": 3, "b": 7}]},
            "edge number 1 has no 'weight'; needed: a, b, weight",
        ),
    ],
)
def test_a_faulty_dict_is_refused(data: Any, fault: str) -> None:
    with pytest.raises(GraphError) as refusal:
        Graph.from_dict(data)
    assert fault in str(refusal.value)
