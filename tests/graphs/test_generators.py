"""Generated boards: the look of classic ones, fairness of symmetric ones, size of large ones; and disturbed boards."""

import pickle
import time
from collections import Counter
from statistics import mean, median
from typing import Any

import networkx as nx
import pytest

import planetwars_env as pw
from planetwars_env.graphs.catalogue import load_graph, load_pool
from planetwars_env.graphs.disturb import disturbed
from planetwars_env.graphs.dot import parse_dots, write_dot
from planetwars_env.graphs.generators import GraphGenerator, RandomGenerator, generate_graph, mirror
from planetwars_env.graphs.graph import MAX_TOTAL_SIZE, Edge, Graph, GraphError, Planet

CLASSIC_POOLS = ["train", "validation", "test", "fair"]


def degrees(graph: Graph) -> list[int]:
    return [graph.degree(planet.id) for planet in graph.planets]


def to_networkx(graph: Graph) -> nx.Graph:
    there = nx.Graph()
    there.add_weighted_edges_from((edge.a, edge.b, edge.weight) for edge in graph.edges)
    there.add_nodes_from(planet.id for planet in graph.planets)
    return there


def between_bases(graph: Graph) -> tuple[float, float]:
    """Hops and weight of the shortest ways between the bases."""
    there = to_networkx(graph)
    return nx.shortest_path_length(there, *graph.bases), nx.shortest_path_length(there, *graph.bases, weight="weight")


@pytest.mark.parametrize("pool", CLASSIC_POOLS)
def test_classic_and_fair_boards_stay_within_the_classic_ranges(pool: str) -> None:
    for graph in load_pool(pool):
        assert 10 <= len(graph.planets) <= 21 and 10 <= len(graph.edges) <= 36
        assert max(degrees(graph)) <= 13
        assert {edge.weight for edge in graph.edges} <= set(range(1, 8))
        assert all(1 <= planet.habitability <= 12 and 51 <= planet.size <= 596 for planet in graph.planets)
        places = {(planet.x, planet.y) for planet in graph.planets}
        assert len(places) == len(graph.planets) and places <= {(x, y) for x in range(1, 11) for y in range(1, 11)}
        hops, weight = between_bases(graph)
        assert hops >= 3 and 4 <= weight <= 23
        assert nx.is_connected(to_networkx(graph))


def test_the_train_pool_has_the_look_of_the_boards_of_the_course() -> None:
    pool = load_pool("train")
    planets = [planet for graph in pool for planet in graph.planets]
    edges = [edge for graph in pool for edge in graph.edges]
    counts, hubs = [len(graph.planets) for graph in pool], [max(degrees(graph)) for graph in pool]
    assert median(counts) == 16 and {min(counts), max(counts)} == {10, 21}
    edge_counts = [len(graph.edges) for graph in pool]
    assert median(edge_counts) == pytest.approx(22, abs=1) and min(edge_counts) <= 11 and max(edge_counts) == 36
    assert 2 * len(edges) / len(planets) == pytest.approx(2.8, abs=0.1)
    assert max(hubs) == 13 and median(hubs) < 9
    assert median(planet.size for planet in planets) == pytest.approx(284, abs=8)


def test_classic_boards_are_not_fair_and_a_symmetric_board_is_its_own_image() -> None:
    for graph in load_pool("test"):
        with pytest.raises(GraphError, match="is not symmetric"):
            mirror(graph)
    for graph in load_pool("fair")[:40]:
        assert_own_image(graph)


def assert_own_image(graph: Graph) -> None:
    image = mirror(graph)
    last = len(graph.planets) - 1
    assert image == {planet: last - planet for planet in range(last + 1)}
    exchanged = graph.to_dict()
    for planet in exchanged["planets"]:
        planet.update(id=image[planet["id"]], base=(0, 2, 1)[planet["base"]], x=11 - planet["x"], y=11 - planet["y"])
    for edge in exchanged["edges"]:
        edge.update(a=image[edge["a"]], b=image[edge["b"]])
    assert Graph.from_dict(exchanged) == graph


@pytest.mark.parametrize(
    "text_change", [("size = ", "size = 1"), ("habit = ", "habit = 1"), ("x = ", "x = 1"), ("weight = ", "weight = 1")]
)
def test_a_board_with_one_thing_changed_is_no_longer_symmetric(text_change: tuple[str, str]) -> None:
    with pytest.raises(GraphError, match="is not symmetric"):
        mirror(parse_dots(write_dot(generate_graph("symmetric", 3)).replace(*text_change, 1))[0])


def test_the_bases_of_a_symmetric_board_must_be_exchanged_too() -> None:
    data = load_graph("line").to_dict()
    data["planets"][4]["base"], data["planets"][3]["base"] = 0, 2
    with pytest.raises(GraphError, match="planet 1 differs from planet 5"):
        mirror(Graph.from_dict(data))


@pytest.mark.parametrize("planets", [10, 31, 200, 1000])
def test_large_boards_have_the_planets_asked_for_and_are_made_quickly(planets: int) -> None:
    start = time.perf_counter()
    graph = generate_graph("large", seed=1, planets=planets)
    assert time.perf_counter() - start < 1
    assert len(graph.planets) == planets and max(degrees(graph)) <= 16
    assert mean(degrees(graph)) == pytest.approx(3, abs=0.1)
    assert len({(planet.x, planet.y) for planet in graph.planets}) == planets


def test_a_wrong_request_names_what_is_known() -> None:
    with pytest.raises(
        GraphError, match="no generator 'clasic'; known: tiny, classic, symmetric, large; did you mean 'classic'"
    ):
        generate_graph("clasic", 0)
    with pytest.raises(GraphError, match="'large' has no argument 'size'; known: planets"):
        generate_graph("large", 0, size=3)
    with pytest.raises(GraphError, match="'tiny' has no argument 'planets'; known: fair"):
        GraphGenerator("tiny", planets=12)
    for planets in (5, (8,), (30, 8), (8, 1001), (8.0, 30), "8", (8, True)):
        with pytest.raises(GraphError, match=r"planets is .*; it must be a whole number from 6 to 1000, or a pair"):
            GraphGenerator("classic", planets=planets)
    with pytest.raises(GraphError, match="degree is 2; it must be a whole number from 3 to 1000"):
        GraphGenerator("classic", degree=2)
    with pytest.raises(GraphError, match="planets is 9; a fair graph has an even number of them"):
        GraphGenerator("classic", planets=9, fair=True)
    for planets in (9, 1001, 12.0, True):
        with pytest.raises(GraphError, match="from 10 to 1000"):
            generate_graph("large", 0, planets=planets)
    for seed in (-1, 1.5, True, "7"):
        with pytest.raises(GraphError, match="the seed is"):
            generate_graph("classic", seed)  # pyright: ignore[reportArgumentType]
    with pytest.raises(GraphError, match="the count is 0"):
        GraphGenerator("classic", count=0)


def test_a_generator_is_a_sequence_of_graphs_made_on_demand() -> None:
    pool = GraphGenerator("classic", count=1_000_000, seed=2)
    assert len(pool) == 1_000_000
    assert pool[5] is pool[5] and pool[-1] == pool[999_999]
    assert pool[5] == generate_graph("classic", 2 * 2**32 + 5)
    assert pool[3:5] == (pool[3], pool[4])
    with pytest.raises(IndexError):
        pool[1_000_000]
    assert repr(pool) == "GraphGenerator('classic', count=1000000, seed=2)"
    assert not set(pool[:20]) & set(GraphGenerator("classic", 20, seed=1))
    assert pickle.loads(pickle.dumps(pool))[7] == pool[7]


RANGES = [
    ("classic", {"planets": (8, 30), "degree": (4, 9), "fair": True}),
    ("classic", {"planets": (8, 30), "degree": (4, 9)}),
    ("classic", {"planets": 6}),
    ("symmetric", {"planets": (40, 41), "degree": 3}),
    ("large", {"planets": (20, 90), "degree": (5, 6)}),
    ("tiny", {}),
    ("tiny", {"fair": True}),
    ("classic", {"fair": True}),
    ("classic", {}),
    ("large", {}),
]


@pytest.mark.parametrize(("name", "arguments"), RANGES, ids=str)
def test_ranges_are_drawn_for_each_graph_and_never_exceeded(name: str, arguments: dict[str, Any]) -> None:
    pool = GraphGenerator(name, 40, seed=5, **arguments)
    limits = pw.Limits.covering(pool)
    limits.check(pool)
    limits.check(pool[:])
    assert all(edge.weight <= pool.largest.weight for graph in pool for edge in graph.edges)
    sizes = [len(graph.planets) for graph in pool]
    low, high = arguments["planets"] if isinstance(arguments.get("planets"), tuple) else (min(sizes), max(sizes))
    assert low <= min(sizes) and max(sizes) <= high
    if high - low > 10:
        assert min(sizes) <= low + 4 and max(sizes) >= high - 4
    for graph in pool:
        assert nx.is_connected(to_networkx(graph)) and between_bases(graph)[0] >= 3
        if arguments.get("fair") or name == "symmetric":
            mirror(graph)
    assert generate_graph(name, 5 * 2**32 + 7, **arguments) == pool[7]
    assert pool[7].name == f"{name}-{5 * 2**32 + 7}"


@pytest.mark.parametrize(("name", "limits"), [("tiny", pw.TINY), ("classic", pw.CLASSIC), ("large", pw.LARGE)])
def test_every_tier_has_limits(name: str, limits: pw.Limits) -> None:
    limits.check(GraphGenerator(name))
    with pytest.raises(ValueError, match=r"GraphGenerator\(.* makes graphs of up to planets \d+, the limits allow 9"):
        pw.Limits(9, 200, 20, 8).check(GraphGenerator(name))


# --- disturbed boards: nothing of the original can be looked up, what made it fair and valid stays ------------------

ORIGINALS = [*load_pool("test")[:30], *load_pool("fair")[:30], *map(load_graph, ("duel", "line", "k4", "rings"))]


@pytest.mark.parametrize("graph", ORIGINALS, ids=lambda graph: graph.name)
def test_a_disturbed_board_is_like_its_original_and_is_not_it(graph: Graph) -> None:
    found = disturbed(graph, RandomGenerator(5))
    assert found == disturbed(graph, RandomGenerator(5)) and found not in (graph, disturbed(graph, RandomGenerator(6)))
    assert found.name == f"disturbed {graph.name}"
    assert (len(found.planets), len(found.edges)) == (len(graph.planets), len(graph.edges))
    assert sorted(degrees(found)) == sorted(degrees(graph))
    assert [planet.id for planet in found.planets] != [planet.id for planet in graph.planets]
    assert Counter(planet.base for planet in found.planets) == Counter(planet.base for planet in graph.planets)
    for name in ("size", "habitability"):
        ours, theirs = (sorted(getattr(planet, name) for planet in board.planets) for board in (found, graph))
        assert max(ours) <= max(theirs) and min(ours) >= 1
        assert abs(sum(ours) - sum(theirs)) <= 0.1 * sum(theirs) + len(theirs)
    assert {1, *range(8)} >= {edge.weight for edge in found.edges}
    pw.CLASSIC.check([found])


@pytest.mark.parametrize("graph", [*load_pool("fair")[:50], load_graph("line")], ids=lambda graph: graph.name)
def test_a_fair_board_stays_fair(graph: Graph) -> None:
    """The planet in the middle of "line" stays there."""
    for seed in range(20):
        mirror(disturbed(graph, RandomGenerator(seed)))


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
