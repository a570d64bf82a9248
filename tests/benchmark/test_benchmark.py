"""The benchmark on tiny sizes: every table runs, and its report names the figures."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces
from typer.testing import CliRunner

from planetwars_env.benchmark import run as command
from planetwars_env.benchmark.kernels import pass_turns
from planetwars_env.benchmark.measure import Reading, Table, measure
from planetwars_env.benchmark.report import FREE_CORES, find, markdown, number
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.benchmark.targets import TARGETS, target_report
from planetwars_env.benchmark.workloads import draw_actions, open_batch, small_boards
from planetwars_env.cli.benchmark import chosen_tables
from planetwars_env.cli.main import app
from planetwars_env.engine.columns import TURN

TINY = BenchmarkSettings(
    runs=2,
    seconds=0.001,
    settle=4,
    opponents=("random", "ai3"),
    games=(1, 8),
    threads=(1, 2),
    batch=8,
    sync_games=2,
    sb3_games=2,
    planets=(10, 20),
    many_games=(2, 4),
    starts=1,
    learning_config="demo",
    learning_goals=(("test", 0.0), ("fair", 0.0)),
    learning_games=2,
    learning_every=1,
)


@pytest.mark.parametrize("name", [name for name in command.TABLES if name != "start"])
def test_every_table_has_as_many_readings_of_a_figure_as_runs(name: str) -> None:
    results = command.run(TINY, [name])
    figures = results["tables"][name]["figures"]
    assert figures
    for figure in figures:
        assert len(figure["labels"]) == len(results["tables"][name]["axes"])
        assert len(figure["values"]) == (1 if name == "memory" else TINY.runs)
        assert min(figure["values"]) > 0


@pytest.mark.slow
def test_a_warm_start_is_quicker_than_a_cold_one() -> None:
    results = command.run(TINY, ["start"])
    cold, warm = (find(results, "start", (kind, "whole process")) for kind in ("cold", "warm"))
    assert cold is not None
    assert warm is not None
    assert warm["median"] < cold["median"]


def test_runs_of_what_is_compared_take_turns() -> None:
    order: list[str] = []

    def probe(name: str, values: Iterator[float]):
        def read(seconds: float) -> list[Reading]:
            order.append(name)
            return [Reading((name,), next(values))]

        return read

    probes = [probe("a", iter([1.0, 2.0, 9.0])), probe("b", iter([4.0, 4.0, 3.0]))]
    a, b = measure(Table("t", "", "", ("name",), probes, against={("b",): ("a",)}), 3, 0.0, lambda: None)
    assert order == ["a", "b"] * 3
    assert (a.value, a.spread, a.ratio) == (2.0, 2.0, None)
    assert (b.value, b.ratios, b.ratio) == (4.0, [4.0, 2.0, 1 / 3], 2.0)


@pytest.mark.parametrize(
    ("value", "text"), [(1_234_567, "1.23M"), (45_600, "45.6k"), (9_999, "9999"), (123.4, "123"), (0.01234, "0.0123")]
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_half_of_the_drawn_actions_wait_and_all_lie_in_the_space() -> None:
    turns, orders = spaces.MultiDiscrete([53] * 21), spaces.Discrete(289)
    drawn = np.array(draw_actions(turns, 16))
    assert drawn.shape[1:] == (16, 21)
    assert 0.45 < (drawn == 0).mean() < 0.55
    assert all(turns.contains(action) for step in drawn[:4] for action in step)
    assert all(orders.contains(action) for action in np.array(draw_actions(orders, 16)).ravel())


def test_the_games_of_an_opened_batch_have_different_ages() -> None:
    batch, _ = open_batch("noop", 8, settle=8)
    assert len(set(batch.state.status[:, TURN].tolist())) > 4


def test_turns_without_orders_only_raise_the_turn_number() -> None:
    batch, _ = open_batch("noop", 4)
    turns = batch.state.status[:, TURN].copy()
    pass_turns(batch.state, batch.board, 3)
    assert (batch.state.status[:, TURN] == turns + 3).all()


def test_small_boards_fit_limits_of_the_prototypes_size() -> None:
    boards, limits = small_boards()
    assert len(boards) > 10
    assert (limits.planets, limits.degree) == (20, 8)
    limits.check(boards)


def test_a_target_is_compared_with_the_figure_it_names() -> None:
    results = command.run(TINY, ["memory"])
    results["machine"][FREE_CORES] = 2
    assert target_report(results) == ["- bytes of a game: 3416, at most 6144: reached"]


def test_a_target_for_two_threads_reports_that_two_cores_were_not_free() -> None:
    row = {"labels": ["random", 1024, 2], "median": 1.0, "ratio": 1.1}
    results = {"machine": {FREE_CORES: 1.03}, "tables": {"batch": {"figures": [row]}}}
    (sentence,) = target_report(results)
    assert sentence.endswith("NOT reached, but 1.03 of 2 cores were free")


def test_every_target_names_a_table_and_its_labels() -> None:
    axes = {"batch": 3, "layers": 3, "rules": 2, "memory": 4, "sb3": 2, "sb3-rollouts": 2, "training": 2}
    assert {target.table for target in TARGETS} <= set(command.TABLES)
    assert all(len(target.labels) == axes[target.table] for target in TARGETS)


def test_the_command_writes_data_a_table_and_a_drawing(tmp_path: Path) -> None:
    results = command.run(TINY, ["batch", "graph-size", "single"])
    command.write(results, markdown(results), tmp_path)
    assert json.loads((tmp_path / "results.json").read_text()) == results
    assert "| opponent | games | threads | env steps/s |" in (tmp_path / "results.md").read_text()
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


def test_a_goal_that_is_not_reached_is_reported_as_such_with_its_learning_curve(tmp_path: Path) -> None:
    settings = replace(TINY, runs=1, learning_goals=(("test", 1.1),), learning_minutes=1e-4)
    results = command.run(settings, ["learning"])
    command.write(results, markdown(results), tmp_path)
    (figure,) = results["tables"]["learning"]["figures"]
    assert (figure["median"], figure["values"], figure["cpu"]) == (None, [None], [None])
    ((point,),) = figure["curves"]
    assert (point["graphs"], 0 <= point["win_rate"] <= 1, point["cpu_seconds"] > 0) == ("test", True, True)
    assert "| not within 0.0001 min |" in (tmp_path / "results.md").read_text()
    assert json.loads((tmp_path / "results.json").read_text()) == results
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


def test_the_parts_of_training_add_up() -> None:
    figures = command.run(replace(TINY, runs=1), ["training-parts"])["tables"]["training-parts"]["figures"]
    assert sum(figure["median"] for figure in figures) == pytest.approx(100)
    assert {"forward", "backward", "packing", "counterfactual credit"} < {figure["labels"][0] for figure in figures}


def test_learning_is_measured_only_where_it_is_named() -> None:
    assert set(command.TABLES) - set(chosen_tables(None)) == {"learning"}
    assert chosen_tables(["learning"]) == ["learning"]


def test_the_command_runs_one_table(tmp_path: Path) -> None:
    answer = CliRunner().invoke(app, ["benchmark", "--quick", "--only", "memory", "--out", str(tmp_path)])
    assert answer.exit_code == 0, answer.output
    assert "Memory of a game" in answer.output
    assert (tmp_path / "results.json").is_file()


def test_an_unknown_table_is_answered_with_the_known_ones() -> None:
    answer = CliRunner().invoke(app, ["benchmark", "--only", "nonsense"])
    assert answer.exit_code == 2
    assert "batch" in answer.output
