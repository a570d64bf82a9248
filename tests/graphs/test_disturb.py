"""Disturbed boards: nothing of the original can be looked up, and what made it fair and valid stays."""

from __future__ import annotations

from collections import Counter

import pytest

import planetwars_env as pw
from planetwars_env.codec.limits import CLASSIC
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.graphs.disturb import disturbed
from planetwars_env.graphs.generators import RandomGenerator, generate_graph, mirror
from planetwars_env.graphs.graph import MAX_TOTAL_SIZE, Edge, Graph, Planet

POOLS = [*load_pool("test")[:30], *load_pool("fair")[:30], *map(pw.load_graph, ("duel", "line", "k4", "rings"))]


def degrees(graph: Graph) -> list[int]:
    return sorted(graph.degree(planet.id) for planet in graph.planets)


@pytest.mark.parametrize("graph", POOLS, ids=lambda graph: graph.name)
def test_a_disturbed_board_is_like_its_original_and_is_not_it(graph: Graph) -> None:
    found = disturbed(graph, RandomGenerator(5))
    assert found == disturbed(graph, RandomGenerator(5)) and found not in (graph, disturbed(graph, RandomGenerator(6)))
    assert found.name == f"disturbed {graph.name}"
    assert (len(found.planets), len(found.edges), degrees(found)) == (
        len(graph.planets),
        len(graph.edges),
        degrees(graph),
    )
    assert [planet.id for planet in found.planets] != [planet.id for planet in graph.planets]
    assert Counter(planet.base for planet in found.planets) == Counter(planet.base for planet in graph.planets)
    for name in ("size", "habitability"):
        ours, theirs = (sorted(getattr(planet, name) for planet in board.planets) for board in (found, graph))
        assert max(ours) <= max(theirs) and min(ours) >= 1
        assert abs(sum(ours) - sum(theirs)) <= 0.1 * sum(theirs) + len(theirs)
    assert {1, *range(8)} >= {edge.weight for edge in found.edges}
    CLASSIC.check([found])


@pytest.mark.parametrize("graph", load_pool("fair")[:50], ids=lambda graph: graph.name)
def test_a_fair_board_stays_fair(graph: Graph) -> None:
    mirror(disturbed(graph, RandomGenerator(1)))


def test_a_planet_in_the_middle_of_a_fair_board_stays_there() -> None:
    line = pw.load_graph("line")
    mirror(line)
    for seed in range(20):
        mirror(disturbed(line, RandomGenerator(seed)))


def test_the_bases_stay_the_bases_of_the_same_players() -> None:
    """On a board whose planets can be told apart by their sizes."""
    planets = [Planet(i, 5, 1000 * (i + 1), base={0: 1, 3: 2}.get(i, 0)) for i in range(5)]
    graph = Graph("row", planets, [Edge(i, i + 1, 2) for i in range(4)])
    for seed in range(10):
        found = sorted(disturbed(graph, RandomGenerator(seed)).planets, key=lambda planet: planet.size)
        assert [planet.base for planet in found] == [1, 0, 0, 2, 0]


def test_extreme_boards_stay_valid() -> None:
    far = Graph("far", [Planet(0, 0, 1, 1e308, -1e308, 1), Planet(2**31 - 1, 0, 1, 0, 0, 2)], [])
    assert len(disturbed(far, RandomGenerator(0)).planets) == 2
    full = Graph("full", [Planet(i, 1, MAX_TOTAL_SIZE // 2, base=i) for i in (1, 2)], [Edge(1, 2, 1000)])
    for seed in range(10):
        assert sum(planet.size for planet in disturbed(full, RandomGenerator(seed)).planets) <= MAX_TOTAL_SIZE
    many = generate_graph("large", 3, planets=1000)
    assert len(disturbed(many, RandomGenerator(0)).planets) == 1000
