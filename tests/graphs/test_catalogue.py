"""The shipped graphs: that they are what the generators make, and how they and other graphs are found by name."""

import hashlib
import re
import time
from pathlib import Path

import pytest

from planetwars_env.graphs.catalogue import POOLS, graph_names, load_graph, load_pool, resolve_graphs
from planetwars_env.graphs.dot import read_dots, save_dot
from planetwars_env.graphs.generators import GraphGenerator, generate_graph, mirror
from planetwars_env.graphs.graph import GraphError
from planetwars_env.shipped import data_root
from scripts.release.make_graphs import app as make_app
from scripts.release.make_graphs import file_names, file_text
from support.command_line import run, succeed


def make_graphs(*arguments: str) -> tuple[int, str]:
    """Exit status and everything printed."""
    result = run(*arguments, program=make_app)
    return result.exit_code, re.sub(r"[\s│]+", " ", result.output)


@pytest.mark.parametrize("name", file_names())
def test_the_shipped_files_are_made_again_bit_for_bit_and_match_their_checksums(name: str) -> None:
    data = (data_root() / f"{name}.dot").read_bytes()
    assert file_text(name).encode() == data
    readme = (data_root() / "README.md").read_text(encoding="utf-8")
    assert f"\n{hashlib.sha256(data).hexdigest()}  {name}.dot\n" in readme


def test_a_pool_has_its_number_of_boards_named_in_order_and_none_is_in_two_pools() -> None:
    counts = {"train": 500, "validation": 50, "test": 100, "fair": 100, "large": 50}
    assert {name: pool.count for name, pool in POOLS.items()} == counts
    for name, count in counts.items():
        assert [graph.name for graph in load_pool(name)] == [f"{name}/{i}" for i in range(count)]
    assert len({graph for name in POOLS for graph in load_pool(name)}) == 800


def test_the_seeds_of_the_pools_are_disjoint_and_out_of_reach() -> None:
    seeds = [pool.first_seed + i for pool in POOLS.values() for i in range(pool.count)]
    assert len(set(seeds)) == len(seeds) and min(seeds) >= 2**62
    assert load_graph("test/17") == generate_graph("classic", POOLS["test"].first_seed + 17)


def test_the_named_boards_are_small_and_fair() -> None:
    boards = {name: load_graph(name) for name in graph_names()}
    sizes = {name: (len(graph.planets), len(graph.edges)) for name, graph in boards.items()}
    assert sizes == {"duel": (2, 1), "line": (5, 4), "k4": (4, 6), "rings": (8, 9)}
    for graph in boards.values():
        mirror(graph)


def test_the_train_pool_is_read_in_a_blink() -> None:
    def seconds() -> float:
        start = time.process_time()
        read_dots(data_root() / "train.dot")
        return time.process_time() - start

    assert min(seconds() for _ in range(3)) < 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rinks", "no graph 'rinks'; pools: train, validation, test, fair, large; graphs: duel"),
        ("train", "'train' is a whole pool; one of its graphs is 'train/0' ... 'train/499'"),
        ("test/100", "no graph 'test/100': pool 'test' has 'test/0' ... 'test/99'"),
        ("test/-1", "no graph 'test/-1'"),
        ("nowhere.dot", "no graph 'nowhere.dot'; pools: train"),
        (".", "the folder '.' holds no .dot file"),
        ("graph { 1 [ habit = 3 ] }" * 300, "no graph 'graph { 1 [ habit"),
    ],
)
def test_a_wrong_name_is_answered_with_the_known_ones(name: str, message: str) -> None:
    with pytest.raises(GraphError) as refusal:
        load_graph(name)
    assert message in str(refusal.value)
    with pytest.raises(GraphError, match=r"no pool 'trian'; .*; did you mean 'train'\?"):
        load_pool("trian")


def test_everything_that_stands_for_graphs_is_resolved(tmp_path: Path) -> None:
    rings, k4 = load_graph("rings"), load_graph("k4")
    save_dot(rings, tmp_path / "b.dot")
    save_dot(k4, tmp_path / "a.dot")
    assert resolve_graphs("test") == load_pool("test") and load_graph("test/17") is load_pool("test")[17]
    assert load_graph(tmp_path / "a.dot") == load_graph(str(tmp_path / "a.dot")) == k4
    assert resolve_graphs("rings") == resolve_graphs(rings) == resolve_graphs(tmp_path / "b.dot") == (rings,)
    assert resolve_graphs(tmp_path) == resolve_graphs(str(tmp_path)) == (k4, rings)
    assert resolve_graphs(["rings", [k4, tmp_path]]) == (rings, k4, k4, rings)
    assert len(resolve_graphs(data_root() / "fair.dot")) == 100
    pool = GraphGenerator("symmetric", count=3)
    assert resolve_graphs(pool) == tuple(pool)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (Path("/nowhere/at/all"), "no graph '/nowhere/at/all'"),
        ([], "there are no graphs in []"),
        (["rings", 3], "3 does not stand for graphs; give a name, a path"),
        (None, "None does not stand for graphs"),
        (b"rings", "b'rings' does not stand for graphs"),
        ({"rings": 1}, "does not stand for graphs"),
    ],
)
def test_what_stands_for_no_graph_is_refused(spec: object, message: str) -> None:
    with pytest.raises(GraphError) as refusal:
        resolve_graphs(spec)  # pyright: ignore[reportArgumentType]
    assert message in str(refusal.value)


def test_the_command_makes_files_and_checks_them_and_their_checksums(tmp_path: Path) -> None:
    assert make_graphs("--out", str(tmp_path), "--pool", "named", "--pool", "validation")[0] == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["named.dot", "validation.dot"]
    assert make_graphs("--check", "--out", str(tmp_path), "--pool", "named")[0] == 0
    (tmp_path / "named.dot").write_text("graph {}")
    status, output = make_graphs("--check", "--out", str(tmp_path), "--pool", "named", "--pool", "test")
    assert status == 1 and "named.dot differs from what is generated" in output and "test.dot is missing" in output
    make_graphs("--out", str(tmp_path), "--pool", "named")
    (tmp_path / "README.md").write_text("\n0123  named.dot\n")
    status, output = make_graphs("--check", "--out", str(tmp_path), "--pool", "named")
    assert status == 1 and "differs from its checksum" in output


def test_the_command_lists_and_shows_graphs() -> None:
    listed, shown = (" ".join(succeed("graphs", *words).output.split()) for words in (["list"], ["show", "duel"]))
    assert "train 500 classic graphs, 10-21 planets" in listed and 'graph "duel" { 1 [ habit = 5' in shown
    wrong = run("graphs", "show", "dual")
    assert wrong.exit_code == 1 and "did you mean 'duel'?" in wrong.output
    status, output = make_graphs("--pool", "trian")
    assert status == 2 and "no pool 'trian'" in output
