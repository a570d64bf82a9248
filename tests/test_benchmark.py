"""The benchmark on tiny sizes: every table runs, and the command prints and writes the figures."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from planetwars_env.benchmark import (
    Measurement,
    Reading,
    markdown,
    measure,
    read_batch,
    read_learning,
    read_rules,
    tables,
)
from support.command_line import run, succeed
from support.training_configs import tiny

READS = {
    "batch": partial(read_batch, [("random", 1, 1), ("ai3", 8, 1)], 4, 0.001),
    "rules": partial(read_rules, [8], 4, 0.001),
}


@pytest.mark.parametrize("name", READS)
def test_every_table_has_as_many_readings_of_a_figure_as_runs(name: str) -> None:
    table = measure(replace(tables()[name], read=READS[name]), range(2))
    assert table["figures"]
    for figure in table["figures"]:
        assert len(figure["labels"]) == len(table["axes"])
        assert len(figure["values"]) == len(figure["cpu"]) == 2 and min(figure["values"]) > 0


def test_seconds_of_learning_are_measured_until_the_goal_or_the_end_of_the_time(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(str(tiny()))
    read = partial(read_learning, 0, str(tmp_path / "tiny.yaml"), games=2, every=1)
    ((labels, seconds, cpu),) = read(goals=[("duel", 0.0)])
    assert labels == ("0% against ai3 on duel",) and seconds and seconds > 0 and cpu and cpu > 0
    never = replace(tables()["learning"], read=partial(read, goals=[("duel", 1.1)], minutes=1e-4))
    table = measure(never, range(1))
    assert (table["figures"][0]["values"], table["figures"][0]["cpu"]) == ([None], [None])
    assert "| 110% against ai3 on duel | not reached |" in markdown({"machine": {}, "tables": {"learning": table}})


def test_a_table_shows_medians_and_half_the_range() -> None:
    values = iter([1.0, 4000.0, 2.0, 4000.0, 9.0, 3000.0])
    table = measure(
        Measurement("A title", "units", ("n",), lambda: [Reading((n,), next(values)) for n in "ab"]), range(3)
    )
    text = markdown({"machine": {"cores": 2}, "tables": {"t": table}})
    assert "Machine: cores 2." in text and "**t.** A title" in text
    assert "| n | units | ± |" in text and "| a | 2 | 200 % |" in text and "| b | 4,000 | 12 % |" in text


def test_the_command_measures_the_named_table_and_writes_every_reading(tmp_path: Path) -> None:
    answer = succeed("benchmark", "--quick", "--only", "memory", "--out", tmp_path / "results.json")
    assert "| PLANETWARS | turn | state | 3,416 | 0 % |" in answer.stdout
    assert json.loads((tmp_path / "results.json").read_text())["tables"]["memory"]["figures"][0]["values"] == [3416]


def test_an_unknown_table_is_answered_with_the_known_ones() -> None:
    answer = run("benchmark", "--only", "nonsense")
    assert answer.exit_code == 1
    assert "there is no table 'nonsense': choose one of batch, rules" in answer.output
