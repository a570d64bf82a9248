"""Rounds of coding agents: scripted editors that learn, break their file, do nothing or plant links; rounds continue."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.examples import rounds
from support.paths import ROOT, SPREADER

LEARNER = """
import os, pathlib, shutil, sys
number, report = int(os.environ["PLANETWARS_ROUND"]), pathlib.Path(os.environ["PLANETWARS_REPORT"])
assert f"round {number} of" in pathlib.Path(sys.argv[2]).read_text()
if number == 1:
    assert not (report / "standings.txt").exists() and pathlib.Path("strategy/strategy.py").is_file()
    text = "class Idler:\\n    name = 'learner'\\n    def take_turn(self, view):\\n        return []\\n"
    pathlib.Path("strategy/strategy.py").write_text(text)
else:
    standings = (report / "standings.txt").read_text()
    label = standings.split('is called "')[1].split('"')[0]
    assert label in standings.split(label, 1)[1]
    games = sorted(path.name for path in (report / "replays").iterdir())
    assert "1.json" in games
    shutil.copy(sys.argv[1], "strategy/strategy.py")
print("done with round", number)
"""
BREAKER = """
import os, pathlib, subprocess, sys, time
number, report = int(os.environ["PLANETWARS_ROUND"]), pathlib.Path(os.environ["PLANETWARS_REPORT"])
if number == 2:
    pathlib.Path("strategy/strategy.py").write_text("this is not Python\\n")
    sys.exit(3)
if number == 3:
    assert "The last version does not play: " in (report / "standings.txt").read_text()
    subprocess.Popen(["sleep", "777"], start_new_session=True)
    time.sleep(60)
"""


def play(out: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    options = [
        "--games", "2", "--graphs", "duel", "--bots", "random,noop", "--minutes", "0.1", "--max-turns", "60", "--jobs", "1",
        "--out",
    ]  # fmt: skip
    line = [sys.executable, ROOT / "scripts" / "examples" / "rounds.py", *arguments, *options, out]
    return subprocess.run([str(one) for one in line], capture_output=True, text=True, timeout=280)


def command(folder: Path, name: str, text: str, *arguments: object) -> str:
    (folder / f"{name}.py").write_text(text)
    return shlex.join([sys.executable, str(folder / f"{name}.py"), *map(str, arguments)])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_scripted_editors_play_three_rounds_which_continue_where_they_ended(tmp_path: Path) -> None:
    out = tmp_path / "out"
    agents = [command(tmp_path, "learner", LEARNER, SPREADER, "{task}"), f"ada={command(tmp_path, 'ada', BREAKER)}"]
    first = play(out, *agents, "--rounds", 1)
    assert first.returncode == 0, first.stderr
    assert "round 1: learner edited its strategy" in first.stdout
    assert "round 1: ada left its strategy as it was" in first.stdout
    then = play(out, *agents, "--rounds", 3)
    assert then.returncode == 0, then.stderr
    assert "round 1:" not in then.stdout
    assert "round 2: ada edited its strategy and ended with status 3" in then.stdout
    assert "round 3: ada left its strategy as it was and was stopped after 0.1 minutes" in then.stdout
    processes = [path.read_text() for path in Path("/proc").glob("[0-9]*/comm")]
    assert "sleep\n" not in processes or not any(
        b"777" in path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")
    )
    table = (out / "rounds.md").read_text()
    assert table in then.stdout and "| agent | round 1 | round 2 | round 3 |" in table
    assert "does not play: " in table and "NameError" in table
    assert (out / "reports" / "learner" / "3" / "log.txt").read_text() == "done with round 3\n"
    assert "round 3:" not in play(out, *agents, "--rounds", 3).stdout
    other = play(out, agents[0])
    assert other.returncode == 1 and "are of learner, ada: choose another --out" in " ".join(other.stderr.split())


PLANTER = """
import os, pathlib, shutil, sys
report, kept = pathlib.Path(os.environ["PLANETWARS_REPORT"]), sys.argv[1]
for place in (report.parent / "2", report / "standings.txt", pathlib.Path("strategy/link.py")):
    if place.exists():
        continue
    place.symlink_to(kept)
pathlib.Path("task.md").symlink_to(kept)
text = "class A:\\n    def take_turn(self, view):\\n        return 1 / 0\\n"
pathlib.Path("strategy/strategy.py").write_text(text)
"""


@pytest.mark.slow
def test_links_that_an_agent_plants_are_not_written_through_and_its_faults_are_reported(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("precious")
    answer = play(tmp_path / "out", command(tmp_path, "planter", PLANTER, kept), "--rounds", 1)
    assert answer.returncode == 0, answer.stderr
    assert kept.read_text() == "precious"
    report = tmp_path / "out" / "reports" / "planter" / "2"
    assert not report.is_symlink() and not (report / "standings.txt").is_symlink()
    assert "The last version does not play" in (report / "standings.txt").read_text()


@pytest.mark.slow
def test_the_faults_of_the_own_strategy_are_in_its_report(tmp_path: Path) -> None:
    strategy = "class A:\n    def take_turn(self, view):\n        return 1 / 0\n"
    text = f"import pathlib\npathlib.Path('strategy/strategy.py').write_text({strategy!r})\n"
    answer = play(tmp_path / "out", command(tmp_path, "thrower", text), "--rounds", 1)
    assert answer.returncode == 0, answer.stderr
    assert "ZeroDivisionError" in (tmp_path / "out" / "reports" / "thrower" / "2" / "faults.md").read_text()


def test_names_of_agents_come_from_their_commands() -> None:
    found = rounds.agents_of(["python edit.py", "ada=./coder --model x=y", "python edit.py", "./run.sh --task=a"])
    assert [one.name for one in found] == ["python", "ada", "python 2", "run"]
    assert found[1].words == ("./coder", "--model", "x=y")
    with pytest.raises(ValueError, match="'ada=' is not a command"):
        rounds.agents_of(["ada="])


def test_a_command_that_does_not_exist_is_one_sentence(tmp_path: Path) -> None:
    answer = play(tmp_path / "out", "./nothing-there")
    assert answer.returncode == 1 and "cannot be started" in answer.stderr and "Traceback" not in answer.stderr
