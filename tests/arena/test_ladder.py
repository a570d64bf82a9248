"""The ladder: new versions play, broken ones are told, and nothing is lost when it is killed."""

import csv
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.ladder import Ladder, write_site
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.cli.ladder import _pull, _serve
from planetwars_env.engine.rules import PLANETWARS
from planetwars_env.graphs.catalogue import load_graph
from support.command_line import succeed
from support.paths import SPREADER
from support.stored_games import games_in
from support.strategy_files import bot

OPTIONS = ["--once", "--bots", "random", "--graphs", "test", "--max-turns", "12", "--jobs", "1"]


def write(folder: Path, file: str, name: str = "Waiting", line: str = "pass") -> None:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(bot("Waiting", turn=f"{line}\nreturn []", name=name))


def ladder_of(folder: Path, store: GameStore, games: int = 4) -> Ladder:
    plan = TournamentPlan([contestant_of("random")], [load_graph("duel")], PLANETWARS, 20, 12, seed=0)
    return Ladder(folder, store.path.parent, store, plan, games)


def test_the_command_plays_what_is_due_and_writes_a_site(tmp_path: Path) -> None:
    folder, out = tmp_path / "submissions", tmp_path / "out"
    folder.mkdir()
    shutil.copy(SPREADER, folder / "spreader.py")
    write(folder, "waiting.py", "<b>Bold</b>")
    (folder / "absent.py").write_text(bot(name="Absent", compete=False))
    (folder / "broken.py").write_text("import nothing_there\n")
    (folder / "team").mkdir()
    (folder / "team" / "strategy.py").write_text(bot(above="from helper import NAME", name="Team"))
    (folder / "team" / "helper.py").write_text("NAME = 1\n")
    (folder / "notes.txt").write_text("no strategy")
    succeed("ladder", folder, "--out", out, "--games", "2", *OPTIONS)
    places = list(csv.DictReader((out / "site" / "standings.csv").open()))
    assert {one["contestant"] for one in places} == {"spreader", "<b>Bold</b>", "Team", "random"}
    (team,) = (one for one in places if one["contestant"] == "Team")
    assert (team["student"], team["strategy"], team["submission"]) == ("team", "Team", str(folder / "team"))
    assert all(int(one["played"]) >= 2 for one in places if one["contestant"] != "random")
    page = (out / "site" / "index.html").read_text()
    assert '<th class="name">student</th>' in page and str(folder / "broken.py") in page
    assert "No module named &#39;nothing_there&#39; (broken.py, line 1)" in page
    assert "it does not compete" in page and "notes.txt" not in page
    assert "<b>Bold" not in page and "nothing is due" in page
    with GameStore(out / "games.sqlite") as store:
        secret = store.metadata("conditions")["seed"]
    assert not [path for path in (out / "site").rglob("*") if path.is_file() and secret in path.read_text()]


def test_a_new_version_takes_the_place_of_the_one_before_and_a_broken_one_does_not(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    write(folder, "one.py", "One")
    with GameStore(tmp_path / "games.sqlite") as store:
        ladder = ladder_of(folder, store)
        assert ladder.look() == ["one plays as One"]
        assert ladder.play_round(1) > 0
        ladder.keep_history(ladder.standings())
        write(folder, "one.py", "One", "1 + 1")
        assert ladder.look() == ["one plays as One v2"]
        assert ladder.play_round(1) > 0
        assert ladder.standings().labels[0] in ("One v2", "random")
        (folder / "one.py").write_text("1 +")
        (said,) = ladder.look()
        assert said.startswith("one: it cannot be loaded: SyntaxError")
        assert ladder.look() == []
        again = ladder_of(folder, store)
        assert again.look() == [] and again.players == {"one": "One v2"}
        write_site(again, tmp_path / "site", 1, "Ladder", idle=True)
        page = (tmp_path / "site" / "index.html").read_text()
        assert "SyntaxError" in page and "<td>2</td><td><svg" in page
        (folder / "one.py").unlink()
        assert again.look() == [] and again.players == {}


def test_equal_names_and_equal_files_get_labels_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    for file in ("a.py", "b.py"):
        write(folder, file, "Same")
    write(folder, "c.py", "AI1")
    with GameStore(tmp_path / "games.sqlite") as store:
        ladder = ladder_of(folder, store)
        ladder.look()
        assert ladder.players == {"a": "Same", "b": "Same (b)", "c": "AI1 (c)"}
        assert {place.label for place in ladder.standings().ranking} == {"random", *ladder.players.values()}


def test_a_newcomer_plays_first_and_one_that_only_forfeits_is_withdrawn(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    write(folder, "a.py", "A")
    with GameStore(tmp_path / "games.sqlite") as store:
        ladder = ladder_of(folder, store, games=12)
        ladder.look()
        while ladder.play_round(1):
            pass
        before = store.keys()
        write(folder, "b.py", "B", "raise ValueError('always')")
        ladder.look()
        spec = ladder.submissions["b"].spec
        while ladder.play_round(1):
            pass
        assert all("B" in key[:2] for key in store.keys() - before)
        assert ladder.players == {"a": "A"}
        assert "forfeited all of its" in ladder.submissions["b"].problem
        assert ladder.look() == []
        ladder.submissions["b"].spec = spec  # as a kill after the last game leaves it
        store.save_metadata("submissions", {name: vars(one) for name, one in ladder.submissions.items()})
        ladder = ladder_of(folder, store, games=12)
        ladder.look()
        assert ladder.play_round(1) == 0
        assert ladder.players == {"a": "A"}


@pytest.mark.slow
def test_a_ladder_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, out = tmp_path / "submissions", tmp_path / "out"
    for number in range(4):
        write(folder, f"{number}.py", f"Team {number}")
    (folder / "broken.py").write_text("1 +")
    command = [sys.executable, "-c", "from planetwars_env.cli.main import main; main()", "ladder", str(folder)]
    command += ["--out", str(out), "--games", "24", *OPTIONS]
    kept: set[tuple[object, ...]] = set()
    for kill in range(10):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while len(games_in(out)) <= len(kept) + kill and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        now = games_in(out)
        assert kept < now
        kept = now
    assert subprocess.run(command, timeout=200, check=False).returncode == 0
    assert kept < games_in(out)
    places = list(csv.DictReader((out / "site" / "standings.csv").open()))
    assert {one["contestant"] for one in places} == {"random", *(f"Team {number}" for number in range(4))}
    assert all(int(one["played"]) >= 24 for one in places if one["contestant"] != "random")


def test_a_git_repository_is_pulled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    write(origin, "one.py")

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True)

    git("init", str(origin))
    git("-C", str(origin), "add", ".")
    git("-C", str(origin), "commit", "-m", "one")
    git("clone", str(origin), str(clone))
    write(origin, "two.py")
    git("-C", str(origin), "add", ".")
    git("-C", str(origin), "commit", "-m", "two")
    _pull(clone)
    assert (clone / "two.py").is_file()
    shutil.rmtree(origin)
    _pull(clone)
    assert "git pull failed, and the files stay as they are" in capsys.readouterr().err


def test_the_site_is_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_text("the standings")
    _serve(tmp_path, "127.0.0.1", 0)
    address = capsys.readouterr().out.split()[-1]
    with urllib.request.urlopen(address, timeout=10) as answer:
        assert answer.read() == b"the standings"
