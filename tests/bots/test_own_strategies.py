"""A strategy of one's own: the template, the helpers, and every example of docs/strategies.md."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.isolation import Isolated, ResourceLimits
from planetwars_env.bots import helpers
from planetwars_env.cli.new import write_strategy
from planetwars_env.engine.rules import PLANETWARS, PLANETWARS_HALF_STEP, SPACE_EXPLORERS, Rules
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import load_graph, load_pool
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import KnownMap, Move
from support.attacks import assert_takes
from support.command_line import run
from support.tiny_graphs import LINE, tiny_board

# --- the template ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [PLANETWARS, PLANETWARS_HALF_STEP])
def test_the_template_beats_random_as_it_stands(rules: Rules, tmp_path: Path) -> None:
    path = write_strategy("Red Giant", tmp_path)
    result = evaluate(str(path), ["random"], games=16, rules=rules)[0].total
    assert result.wins >= 0.6 * 16 and result.losses <= 2


def test_the_template_is_a_file_that_the_arena_takes(tmp_path: Path) -> None:
    path = write_strategy("Red Giant", tmp_path)
    assert path.name == "red_giant.py"
    with Isolated(str(path), ResourceLimits(turn=10)) as strategy:
        game = Game(load_graph("test/3"), SPACE_EXPLORERS)
        strategy.begin(game, 1, 0)
        while not game.over:
            game.play(strategy.moves(game) if game.player == 1 else [])
        assert (strategy.name, strategy.compete, strategy.faults) == ("Red Giant", True, [])
        assert game.winner == 1


@pytest.mark.parametrize("as_folder", [False, True])
def test_the_people_of_the_template_take_the_planet_and_one_fewer_do_not(as_folder: bool, tmp_path: Path) -> None:
    path = write_strategy("Red Giant", tmp_path, as_folder)
    names: dict[str, Any] = {}
    exec((path / "planning.py" if as_folder else path).read_text(), names)
    assert_takes(names["people_needed"])


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("x", "x.py"),
        ("BlackHole", "black_hole.py"),
        ("agent 47", "agent_47.py"),
        ('a "b" \\', "a_b.py"),
        ("李雷", "李雷.py"),
        ("Équipe Rouge", "équipe_rouge.py"),
        ("E\u0301quipe", "équipe.py"),
    ],
)
def test_any_name_makes_a_file_that_can_be_read(name: str, file: str, tmp_path: Path) -> None:
    path = write_strategy(name, tmp_path)
    assert path.name == file
    names: dict[str, object] = {}
    exec(compile(path.read_text(), file, "exec"), names)


@pytest.mark.parametrize("name", ["", "47", "???"])
def test_a_name_that_makes_no_class_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a name for a class"):
        write_strategy(name, tmp_path)


@pytest.mark.parametrize("as_folder", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_its_test_passes_and_fails_for_a_strategy_that_is_broken(as_folder: bool, tmp_path: Path) -> None:
    path = write_strategy("Red Giant", tmp_path, as_folder)
    entry = path / "strategy.py" if as_folder else path
    names = {"strategy.py", "planning.py", "test_strategy.py"} if as_folder else {"red_giant.py", "test_red_giant.py"}
    assert {one.name for one in entry.parent.iterdir()} == names
    command = [sys.executable, str(entry.with_name(f"test_{entry.name}"))]
    first = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert first.stdout == "Both tests pass.\n", first.stderr
    text = entry.read_text().replace("pw.Move(planet.id, other, people)", "pw.Move(other, planet.id, people)")
    entry.write_text(text)
    broken = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert broken.returncode == 1 and "were carried out: [False" in broken.stderr


def test_the_command_writes_a_file_and_says_how_to_try_it(tmp_path: Path) -> None:
    first = run("new", "Red Giant", "--into", tmp_path)
    assert first.exit_code == 0
    (tmp_path / "red_giant.py").write_text("mine")
    again = run("new", "Red Giant", "--into", tmp_path)
    assert (tmp_path / "red_giant.py").read_text() == "mine"
    said = first.output.replace("\n", "")
    assert f"planetwars evaluate {tmp_path / 'red_giant.py'} --opponents random" in said
    assert again.exit_code == 1 and "there already" in again.output


# --- the helpers -------------------------------------------------------------------------------------------------


def test_a_shortest_path_takes_the_smaller_sum_of_weights() -> None:
    graph = Graph.from_dict(tiny_board([(1, 2, 9), (1, 3, 2), (2, 3, 3)], bases=(1, 4)))
    assert helpers.shortest_path(graph, 1, 2) == [1, 3, 2]
    assert helpers.shortest_path(graph, 1, 1) == [1]
    assert helpers.shortest_path(graph, 1, 4) == []
    assert helpers.distances(graph, 1) == {1: 0, 3: 2, 2: 5}
    assert helpers.distances(graph, [1, 2]) == {1: 0, 2: 0, 3: 2}
    assert helpers.next_step(graph, 2, 1) == 3
    assert helpers.next_step(graph, 4, 1) is None


def test_distances_agree_on_view_known_map_and_graph_and_with_relaxation_to_the_end() -> None:
    for graph in load_pool("test")[:5]:
        view, start, edges = Game(graph).view(1), graph.bases[0], helpers.weights(graph)
        found = helpers.distances(view, start)
        assert found == helpers.distances(graph, start) == helpers.distances(KnownMap.of(graph), start)
        assert all(abs(found[edge.a] - found[edge.b]) <= edge.weight for edge in graph.edges)
        for id in found:
            path = helpers.shortest_path(graph, start, id)
            assert sum(edges[a][b] for a, b in pairwise(path)) == found[id]
            assert [planet.id for planet in helpers.neighbours(view, id)] == sorted(edges[id])


def test_the_frontier_is_where_neighbours_are_not_ones_own() -> None:
    game = Game(Graph.from_dict(tiny_board(LINE[:3], bases=(1, 4), habitability={1: 10})))
    view = game.view(1)
    assert [planet.id for planet in helpers.frontier(view)] == [1]
    assert [planet.id for planet in helpers.targets(view)] == [2]
    game.play([Move(1, 2, 1)])
    view = game.view(1)
    assert [planet.id for planet in helpers.frontier(view)] == [2]
    assert [planet.id for planet in helpers.targets(view)] == [3]


def test_shuttles_are_listed_in_the_order_of_their_landing() -> None:
    game = Game(Graph.from_dict(tiny_board([(1, 2, 5), (2, 3, 5)], bases=(1, 3), habitability={1: 10})))
    game.play([Move(1, 2, 1)])
    game.play([])
    game.play([Move(1, 2, 1)])
    assert [shuttle.turns for shuttle in helpers.arriving(game.view(1), 2, 1)] == [2, 4]
    assert helpers.arriving(game.view(1), 2, 2) == []
