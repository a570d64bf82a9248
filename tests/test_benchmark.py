"""The benchmark on tiny sizes: every table runs, and the command prints and writes the figures."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from planetwars_env.benchmark import TABLES, Measurement, Reading, Sizes, markdown, measure
from support.command_line import run, succeed
from support.training_configs import tiny

TINY = Sizes(
    seconds=0.001, settle=4, opponents=("random", "ai3"), games=(1, 8), goals=(("duel", 0.0),),
    evaluation_games=2, evaluate_every=1, threads=(1,),
)  # fmt: skip


@pytest.mark.parametrize("name", ["batch", "rules"])
def test_every_table_has_as_many_readings_of_a_figure_as_runs(name: str) -> None:
    table = measure(TABLES[name](TINY), range(2))
    assert table["figures"]
    for figure in table["figures"]:
        assert len(figure["labels"]) == len(table["axes"])
        assert len(figure["values"]) == len(figure["cpu"]) == 2 and min(figure["values"]) > 0


def test_seconds_of_learning_are_measured_until_the_goal_or_the_end_of_the_time(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(str(tiny()))
    sizes = replace(TINY, config=str(tmp_path / "tiny.yaml"))
    (reached,) = measure(TABLES["learning"](sizes), range(1))["figures"]
    assert reached["labels"] == ["0% against ai3 on duel"] and reached["values"][0] > 0 and reached["cpu"][0] > 0
    table = measure(TABLES["learning"](replace(sizes, goals=(("duel", 1.1),), minutes=1e-4)), range(1))
    assert (table["figures"][0]["values"], table["figures"][0]["cpu"]) == ([None], [None])
    assert "| not reached |  | not reached |" in markdown({"machine": {}, "tables": {"learning": table}})


def test_a_table_shows_medians_and_half_the_range() -> None:
    values = iter([1.0, 4000.0, 2.0, 4000.0, 9.0, 3000.0])
    table = measure(
        Measurement("A title", "units", ("n",), lambda: [Reading((n,), next(values)) for n in "ab"]), range(3)
    )
    text = markdown({"machine": {"cores": 2}, "tables": {"t": table}})
    assert "Machine: cores 2." in text and "**t.** A title" in text
    assert "| n | units | ± |" in text and "| a | 2 | 200 % |" in text and "| b | 4,000 | 12 % |" in text


def test_the_command_measures_the_named_table_and_writes_every_reading(tmp_path: Path) -> None:
    answer = succeed("benchmark", "--quick", "--only", "memory", "--out", tmp_path)
    assert "| PLANETWARS | turn | state | 3,416 | 0 % |" in answer.stdout
    assert (tmp_path / "results.md").read_text() in answer.stdout
    assert json.loads((tmp_path / "results.json").read_text())["tables"]["memory"]["figures"][0]["values"] == [3416]


def test_an_unknown_table_is_answered_with_the_known_ones() -> None:
    answer = run("benchmark", "--only", "nonsense")
    assert answer.exit_code == 1
    assert "there is no table 'nonsense': choose one of batch, rules" in answer.output
