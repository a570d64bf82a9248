"""Grading of a class: who handed in what, what is broken, the games, the grades, and going on after a kill."""

import contextlib
import csv
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from planetwars_env.arena.contestants import load_submissions
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.grading import GradingScheme, load_scheme
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.arena.submissions import find_submissions
from planetwars_env.settings import ConfigError
from scripts.verification.sixty_submissions import LAYOUTS, broken, canvas_two_files, illegal, write_submissions
from support import command_line
from support.paths import HOSTILE, ROOT, SPREADER

SCHEME = "games: 2\nmax_turns: 40\ngraphs: duel\nseed: 7\nopponents: {random: 30, ai1: 10}\n"
MEASURED = ("seconds",)
"""Columns that differ between two gradings."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a scheme of two short games against each of two opponents."""
    (tmp_path / "scheme.yaml").write_text(SCHEME)
    return tmp_path


def run(place: Path, *more: str) -> Result:
    return command_line.succeed("grade", *more, "--scheme", place / "scheme.yaml", "--out", place / "grades.csv")


def rows(place: Path) -> dict[str, dict[str, str]]:
    with (place / "grades.csv").open(newline="") as file:
        return {row["student"]: {k: v for k, v in row.items() if k not in MEASURED} for row in csv.DictReader(file)}


# --- who handed in what ------------------------------------------------------------------------------------------


def test_students_are_named_by_moodle_canvas_or_their_file(tmp_path: Path) -> None:
    expected = write_submissions(tmp_path / "class", 2 * len(LAYOUTS))
    found = find_submissions([str(tmp_path / "class")], tmp_path / "staging")
    assert {one.student for one in found} == set(expected)
    assert find_submissions([str(tmp_path / "class")], tmp_path / "staging") == found
    named = sorted(str(path) for path in (tmp_path / "class").iterdir())
    assert [one.student for one in find_submissions(named, tmp_path / "staging")] == [one.student for one in found]
    (two,) = (one for one in found if expected[one.student] is canvas_two_files and "f05" in one.student)
    assert two.player is not None
    assert {path.name for path in Path(two.player.spec).iterdir()} == {"strategy.py", "planning.py"}
    one_of_each = [one for one in found if int(one.student[-2:]) < len(LAYOUTS)]
    for one in load_submissions(one_of_each, ResourceLimits()):
        assert (one.player is None) == bool(one.reason) == (expected[one.student] is broken), one


def test_files_of_one_name_and_students_of_one_name_are_told_apart(tmp_path: Path) -> None:
    folders = "a", "b", "Ada_1_assignsubmission_file_", "Ada_2_assignsubmission_file_", "."
    files = [tmp_path / folder / ("ai1.py" if folder == "." else "bot.py") for folder in folders]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        shutil.copy(SPREADER, file)
    given = [str(file.parent if "Ada" in file.parent.name else file) for file in files]
    names = [one.student for one in find_submissions(given, tmp_path / "staging")]
    assert names == [
        "Ada (Ada_1_assignsubmission_file_)", "Ada (Ada_2_assignsubmission_file_)", "ai1 (ai1.py)", "bot (a/bot.py)",
        "bot (b/bot.py)",
    ]  # fmt: skip


def test_what_cannot_be_read_stops_nobody_else(tmp_path: Path) -> None:
    """A link to itself, links out of the class, and, for others than root, a folder without permissions."""
    folder = tmp_path / "class"
    for student in ("ada", "eve", "mallory", "zoe"):
        (folder / student).mkdir(parents=True)
    shutil.copy(SPREADER, folder / "ada" / "strategy.py")
    (folder / "eve" / "itself").symlink_to("itself")
    (folder / "mallory" / "folder").symlink_to(tmp_path)
    (folder / "zoe" / "closed").mkdir(mode=0)
    (tmp_path / "secret.py").write_text("SOLUTION = 1")
    (folder / "link.py").symlink_to(tmp_path / "secret.py")
    ada, eve, link, mallory, zoe = find_submissions([str(folder)], tmp_path / "staging")
    assert link.reason.startswith("link.py is a link") and not (tmp_path / "staging").exists()
    (folder / "link.py").unlink()
    (folder / "zoe" / "closed").rmdir()
    (folder / "zoe").rmdir()
    assert ada.player is not None and not ada.reason
    assert zoe.reason == "there is no Python file in it: found closed"
    assert eve.reason == "there is no Python file in it: found itself"
    assert mallory.reason == "there is no Python file in it: found folder"
    for name in ("eve", "mallory"):
        shutil.copy(SPREADER, folder / name / "strategy.py")
    ada, eve, mallory = load_submissions(find_submissions([str(folder)], tmp_path / "staging"), ResourceLimits())
    assert ada.player is not None
    assert eve.player is None and "itself" in eve.reason
    assert mallory.player is None and "is a link to a folder" in mallory.reason


LOOK_ALIKE = ["a\\x1bb", "a\\x1bb (2)", "n\\udce9e", "\\udcff"]
"""Students whose names attack, and whose strategies are honest."""
REFUSED = {
    "deep": "too deep a path", "long": "too deep a path", "pipe": "not a file", "linked": "is a link",
    "bomb": "it holds more than", "Eve": "no Python file", "d": "no Python file", "e": "too deep a path",
}  # fmt: skip
"""Parts of the reasons of files that are refused before anything of them runs."""


@pytest.fixture
def attacked(place: Path) -> Iterator[Path]:
    """A class with hand-ins that attack by their names, paths and kinds: issue 36, item 1."""
    folder = place / "class"
    folder.mkdir()
    for name in ("Eve_11_assignsubmission_file_..", "a\x1bb.py", "a\\x1bb.py", "n\udce9e.py"):
        shutil.copy(SPREADER, folder / name)
    (folder / "\udcff").mkdir()
    shutil.copy(SPREADER, folder / "\udcff")
    os.mkfifo(folder / "pipe.py")
    (folder / "linked.py").symlink_to(SPREADER)
    for name, path in (("deep.zip", "a/" * 2000), ("long.zip", f"{'a' * 200}/" * 6)):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.write(SPREADER, f"{path}strategy.py")
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("strategy.py", bytes(100 * 2**20))
    with contextlib.chdir(folder):
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")
    (folder / "e" / "/".join("d" * 40)).mkdir(parents=True)
    shutil.copy(SPREADER, folder / "e")
    yield folder
    subprocess.run(["rm", "-r", str(folder / "d")], check=True)  # too deep for pytest to remove


def test_one_hand_in_stops_nobody_else(place: Path, attacked: Path) -> None:
    shutil.copy(SPREADER, attacked / "honest.py")
    run(place, str(attacked), "--html")
    found = rows(place)
    for student, said in REFUSED.items():
        assert said in found.pop(student)["reason"], student
    assert {student: row["reason"] for student, row in found.items()} == dict.fromkeys(["honest", *LOOK_ALIKE], "")
    assert len({row["points"] for row in found.values()}) == 1


FAULTY = {
    "broken_import": "broken on purpose", "broken_reset": "begin", "thrower": "exception", "liar": "garbage",
    "quitter": "dead", "killer": "garbage", "endless_loop": "late", "stubborn_loop": "hanging", "glutton": "exception",
    "giant_numbers": "garbage", "million_moves": "flood", "surrogate": "exception",
}  # fmt: skip
"""Parts of the reasons of strategies in tests/hostile."""


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_class_of_sixty_with_twenty_hostile_hand_ins_is_graded_like_the_honest_forty_alone(
    place: Path, attacked: Path
) -> None:
    (place / "scheme.yaml").write_text(f"{SCHEME}seconds: 0.6\nmemory: 512\n")
    honest, alone = [f"honest {number:02}" for number in range(36)], place / "alone"
    alone.mkdir()
    for number, student in enumerate(honest):
        text = (
            SPREADER.read_text().replace("// 2", f"// {2 + number % 9}").replace("randint(0", f"randint({number % 4}")
        )
        for folder in (alone, attacked):
            (folder / f"{student}.py").write_text(text)
    for name in FAULTY:
        shutil.copy(HOSTILE / f"{name}.py", attacked)
    run(place, str(alone))
    before = {student: row | {"submission": ""} for student, row in rows(place).items()}
    shutil.rmtree(place / "grades")
    run(place, str(attacked))
    found = rows(place)
    assert len(found) == 60 and len(before) == 36
    for student, said in (REFUSED | FAULTY).items():
        assert said in found.pop(student)["reason"], student
    for student in LOOK_ALIKE:
        assert found.pop(student)["reason"] == ""
    assert {student: row | {"submission": ""} for student, row in found.items()} == before
    assert len({row["moves"] for row in before.values()}) > 9


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nothing\.py: there is no such file"):
        find_submissions([str(tmp_path / "nothing.py")], tmp_path / "staging")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="holds no submissions"):
        find_submissions([str(tmp_path / "empty")], tmp_path / "staging")


# --- schemes -----------------------------------------------------------------------------------------------------


def test_the_shipped_scheme_is_the_courses_and_without_a_limit_all_points_count(tmp_path: Path) -> None:
    assert load_scheme() == load_scheme("Course") == GradingScheme()
    assert GradingScheme().total == 50
    (tmp_path / "mine.yaml").write_text("most_points: null\nopponents: {random: 1.5, ai1: 2}\n")
    assert load_scheme(tmp_path / "mine.yaml").total == 3.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("game: 3", "unknown key 'game'; known: .*did you mean 'games'"),
        ("games: 3", "games must be an even number"),
        ("threshold: 2", "threshold must be at most 1, not 2"),
        ("rules: CHESS", "unknown rules 'CHESS': choose one of"),
        ("opponents:", "opponents must be a mapping from names to points, for example .*, not None"),
        ("opponents: {1: 30}", "opponents: 1 must be the name of a player, a text"),
        ("opponents: {ai1: much}", "opponents: ai1 must be a number, not 'much'"),
        ("[", "is not YAML"),
        ("most_points: many", "most_points must be a whole number or null"),
    ],
)
def test_a_wrong_scheme_is_told_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said) as error:
        load_scheme(path)
    assert str(path) in str(error.value)


# --- grades ------------------------------------------------------------------------------------------------------


def test_a_class_that_copies_faults_and_attacks_readers_is_graded_by_one_command(place: Path) -> None:
    """Files do not see those beside them; a reason is the most frequent fault; names harm no spreadsheet and no page."""
    (place / "class").mkdir()
    name = "=SUM(1)<script>alert(1)<∕script>.py"
    for file in ("ada.py", name):
        shutil.copy(SPREADER, place / "class" / file)
    (place / "class" / "eve.py").write_text("from ada import Spreader\n\n\nclass Mine(Spreader):\n    pass\n")
    (place / "class" / "bob.py").write_text("class Bob:\n    def take_turn(self, view):\n        return view.nothing\n")
    lost = illegal(place / "class", "Lost", 0)
    said, found = " ".join(run(place, str(place / "class"), "--html", "--lost", "1").output.split()), rows(place)
    reasons, page = {student: row["reason"] for student, row in found.items()}, (place / "grades.html").read_text()
    assert reasons["ada"] == "" and "No module named 'ada'" in reasons["eve"]
    assert found["eve"]["games"] == found["eve"]["points"] == "0" and reasons["eve"] in said
    assert "1 cannot be loaded and get 0 points" in said
    assert "times exception: " in reasons["bob"] and "'View' object has no attribute 'nothing'" in reasons["bob"]
    assert "object has no attribute" in page and "<script>alert" not in page
    assert any(student.startswith("'=SUM(1)<script>") for student in reasons)
    assert (found[lost]["illegal_moves"], found[lost]["strategy"], reasons[lost]) == ("1.0000", "lost", "")
    assert "nobody is there" in (place / "grades" / "printed" / "Lost.txt").read_text()
    assert all(f">{student}</a>" in page for student in ("ada", "bob", "eve", lost))
    assert "Median: " in page and "; sum: " in page
    faulty = place / "grades" / "students" / "bob"
    own = (faulty / "index.html").read_text()
    assert ">together<" in own
    links = [one.split('"')[0] for one in own.split('href="')[1:]]
    games = [link for link in links if link.startswith("ai1")]
    assert games and all((faulty / game).is_file() for game in games)


def test_the_games_of_a_submission_that_changed_are_played_again(place: Path) -> None:
    for name in ("ada.py", "bob.py"):
        shutil.copy(SPREADER, place / name)
    given = [str(place / "ada.py"), str(place / "bob.py")]
    run(place, *given)
    (place / "bob.py").write_text(SPREADER.read_text().replace("// 2", "// 3"))
    again = run(place, *given)
    assert "4 of 8 games were played before" in again.output
    assert set(rows(place)) == {"ada", "bob"}


def test_a_grade_does_not_depend_on_the_names_of_files_and_students(place: Path) -> None:
    (place / "scheme.yaml").write_text(SCHEME.replace("games: 2", "games: 4"))
    (place / "class").mkdir()
    for name in ("ada", "bob", "zoe"):  # before, between and after the names of the opponents
        shutil.copy(SPREADER, place / "class" / f"{name}.py")
    run(place, str(place / "class"))
    one, *others = ([row[name] for name in ("points", "win_rate_random", "moves")] for row in rows(place).values())
    assert others == [one, one]
    games: dict[str, set[tuple[object, ...]]] = {}
    with GameStore(place / "grades" / "games.sqlite") as store:
        for game in store.games():
            opponent, student = sorted(game.key[:2], key=lambda name: name in rows(place))
            told = opponent, game.key.first == student, *game.key[2:], game.winner, game.turns, game.fingerprint
            games.setdefault(student, set()).add(told)
    assert games["ada"] == games["bob"] == games["zoe"]
    assert len({game[-1] for game in games["ada"]}) == 8  # the seed decides each


# --- Gradescope --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", [SPREADER, HOSTILE / "broken_import.py"])
def test_the_autograder_writes_the_results_of_gradescope(place: Path, strategy: Path) -> None:
    for folder in ("source", "submission", "venv/bin"):
        (place / folder).mkdir(parents=True)
    (place / "source" / "scheme.yaml").write_text(SCHEME)
    shutil.copy(strategy, place / "submission")
    program = place / "venv" / "bin" / "planetwars"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m planetwars_env "$@"\n')
    program.chmod(0o755)
    script = ROOT / "scripts" / "autograder" / "run_autograder"
    environment = os.environ | {"AUTOGRADER_ROOT": str(place)}
    subprocess.run([str(script)], check=True, timeout=120, env=environment, stdout=subprocess.DEVNULL)
    found = json.loads((place / "results" / "results.json").read_text())
    assert [(test["score"], test["max_score"]) for test in found["tests"]] == [(0, 30), (0, 10)]
    assert found["score"] == 0 and found["output_format"] == "text" and found["execution_time"] >= 0
    if strategy is SPREADER:
        assert [one["name"] for one in found["leaderboard"]] == ["points", "won against random", "won against ai1"]
        assert "more than 70% of 2 games against random" in found["tests"][0]["name"]
    else:
        assert "cannot be loaded" in found["output"]


def test_options_that_do_not_fit_are_told(place: Path) -> None:
    for more, said in (
        (["--gradescope", "r.json", "--out", "g.csv"], "--gradescope grades one submission"),
        (["--html"], "--html needs a .csv file"),
        (["more.py", "--out", "g.json"], "written to a .csv file, not to g.json"),
    ):
        result = command_line.run("grade", SPREADER, *more)
        assert result.exit_code == 1 and said in " ".join(result.output.split())
