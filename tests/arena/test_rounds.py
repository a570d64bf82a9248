"""Rounds of coding agents: two scripted editors, one that learns and one that breaks its file; and rounds that go on."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from planetwars_env.arena.rounds import coding_agents
from planetwars_env.cli.main import app
from support.paths import SPREADER

LEARNER = """
import os, pathlib, shutil, sys
number, here = int(os.environ["PLANETWARS_ROUND"]), pathlib.Path("strategy")
assert f"round {number} of" in pathlib.Path("task.md").read_text()
if number == 1:
    assert not pathlib.Path("report").exists() and (here / "strategy.py").is_file()
    text = "class Idler:\\n    name = 'learner'\\n    def take_turn(self, view):\\n        return []\\n"
    (here / "strategy.py").write_text(text)
else:
    report = pathlib.Path("report")
    label = pathlib.Path("task.md").read_text().split('is called "')[1].split('"')[0]
    assert label in (report / "standings.md").read_text()
    games = sorted(path.name for path in (report / "replays").iterdir())
    assert "1.txt" in games and "1.json" in games and "without fog" in (report / "replays" / "1.txt").read_text()
    shutil.copy(sys.argv[1], here / "strategy.py")
print("done with round", number)
"""
BREAKER = """
import os, pathlib, sys, time
number, here = int(os.environ["PLANETWARS_ROUND"]), pathlib.Path("strategy")
if number == 2:
    (here / "strategy.py").write_text("this is no Python\\n")
    sys.exit(3)
if number == 3:
    assert "The last version does not play: it cannot be loaded" in pathlib.Path("task.md").read_text()
    time.sleep(60)
"""
OPTIONS = [
    "--games",
    "8",
    "--graphs",
    "duel",
    "--bots",
    "random",
    "--max-turns",
    "60",
    "--jobs",
    "1",
    "--minutes",
    "0.1",
]


def run(tmp_path: Path, *options: str) -> str:
    learner, breaker = tmp_path / "learner.py", tmp_path / "breaker.py"
    learner.write_text(LEARNER)
    breaker.write_text(BREAKER)
    commands = [
        shlex.join([sys.executable, str(learner), str(SPREADER)]),
        f"ada={shlex.join([sys.executable, str(breaker)])}",
    ]
    answer = CliRunner().invoke(app, ["rounds", *commands, "--out", str(tmp_path / "out"), *OPTIONS, *options])
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_two_scripted_editors_play_three_rounds_which_go_on_where_they_ended(tmp_path: Path) -> None:
    first = run(tmp_path, "--rounds", "1")
    assert "round 1: learner edited its strategy" in first and "round 1: ada plays as ada" in first
    said = run(tmp_path, "--rounds", "3")
    assert "round 1:" not in said
    assert "round 2: ada ended with status 3" in said and "round 2: ada: it cannot be loaded" in said
    assert "round 2: learner plays as" in said
    assert "round 3: ada was stopped after 0.1 minutes" in said
    out = tmp_path / "out"
    table = (out / "rounds.md").read_text()
    assert table in said and "| agent | round 1 | round 2 | round 3 |" in table
    log = (out / "agents" / "learner" / "log-3.txt").read_text()
    assert log == "done with round 3\n"
    assert "ada" in (out / "site" / "index.html").read_text()
    assert "round 3:" not in run(tmp_path, "--rounds", "3")


def test_the_faults_of_the_own_strategy_are_told(tmp_path: Path) -> None:
    thrower = tmp_path / "thrower.py"
    thrower.write_text(
        "import pathlib\n"
        "pathlib.Path('strategy/strategy.py').write_text('class A:\\n    def take_turn(self, view):\\n        return 1 / 0\\n')\n"
    )
    command = shlex.join([sys.executable, str(thrower)])
    answer = CliRunner().invoke(app, ["rounds", command, "--out", str(tmp_path / "out"), *OPTIONS, "--rounds", "1"])
    assert answer.exit_code == 0, answer.output
    faults = (tmp_path / "out" / "agents" / "thrower" / "report" / "faults.md").read_text()
    assert "ZeroDivisionError" in faults
    other = CliRunner().invoke(app, ["rounds", f"eve={command}", "--out", str(tmp_path / "out"), *OPTIONS])
    assert other.exit_code == 1 and "are of thrower: choose another --out" in " ".join(other.output.split())


def test_names_of_agents_come_from_their_commands() -> None:
    found = coding_agents(["python edit.py", "ada=./coder --model x=y", "python edit.py", "./run.sh --task=a"])
    assert [one.name for one in found] == ["python", "ada", "python 2", "run"]
    assert found[1].words == ("./coder", "--model", "x=y")
    with pytest.raises(ValueError, match="'ada=' is no command"):
        coding_agents(["ada="])


def test_a_command_that_does_not_exist_is_one_sentence(tmp_path: Path) -> None:
    answer = CliRunner().invoke(app, ["rounds", "./nothing-there", "--out", str(tmp_path / "out"), *OPTIONS])
    assert answer.exit_code == 1 and "cannot be started" in answer.output and "Traceback" not in answer.output
