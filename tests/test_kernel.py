"""Where machine code is kept: a folder named after the sources, the user's wishes, and what happens where none can be had."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from planetwars_env.engine import kernel as kernel_module

compiled = pytest.mark.skipif(bool(kernel_module.config.DISABLE_JIT), reason="needs the compiler")
ROOT = Path(__file__).resolve().parents[1]
FOLDER = "from planetwars_env.engine.kernel import cache_folder; print(cache_folder())"
GAME = """
import planetwars_env as pw
game = pw.Game(pw.load_graph({graph!r}))
for _ in range(30):
    game.play([])
print(game.people())
"""


def start(program: str, package: Path = ROOT, **environment: str) -> subprocess.Popen[str]:
    clean = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=package,
        env={**clean, "PYTHONPATH": str(package), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a program prints, and its warnings."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip(), err


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that may be edited."""
    for folder in ("planetwars_env", "graphs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "train.dot"))
    return tmp_path


def test_a_change_in_any_source_with_kernels_leads_to_another_folder(package: Path) -> None:
    """One program edits and asks, again and again: a comment is enough; what holds no kernels does not matter."""
    program = """
from pathlib import Path
from planetwars_env.engine.kernel import cache_folder
for source in ["engine/rules.py", "engine/turn.py", "codec/layout.py", "bots/codes.py", "sim/desk.py", "cli/__init__.py"]:
    cache_folder.cache_clear()
    print(cache_folder())
    with (Path("planetwars_env") / source).open("a") as file:
        file.write("# changed\\n")
cache_folder.cache_clear()
print(cache_folder())
"""
    (package / "planetwars_env" / "cli" / "__init__.py").touch()
    folders = answer(start(program, package, NUMBA_CACHE_DIR=str(package / "cache")))[0].split()
    assert len(set(folders)) == 6 and folders[-1] == folders[-2]
    assert all(Path(folder).is_dir() for folder in folders)


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_the_users_choice_of_a_folder_is_respected(variable: str, tmp_path: Path) -> None:
    folder, warned = answer(start(FOLDER, ROOT, **{variable: str(tmp_path / "mine")}))
    assert Path(folder).is_relative_to(tmp_path / "mine") and not warned


def test_an_edited_number_of_another_module_is_heeded_at_once(package: Path) -> None:
    """Numba alone would go on with the old one: `DEFENCE` stands in rules.py and is used in conquest.py."""
    battle = """
import planetwars_env as pw
graph = pw.load_graph("duel")
state = {"turn": 21, "over": False, "winner": 0, "planets": [[1, 1, 9, 0], [2, 2, 0, 100]], "shuttles": [[1, 2, 1, 60, 1]]}
game = pw.Game.from_dict(graph, state)
game.advance()
print(game.people()[1])
"""
    cache = str(package / "cache")
    before = answer(start(battle, package, NUMBA_CACHE_DIR=cache))[0]
    rules = package / "planetwars_env" / "engine" / "rules.py"
    rules.write_text(rules.read_text().replace("DEFENCE = 1.1", "DEFENCE = 2.0"))
    after = answer(start(battle, package, NUMBA_CACHE_DIR=cache))[0]
    assert (before, after) == ("(0, 55)", "(0, 105)")  # 105 people: 115.5 - 60, and 210 - 60 but no more than there are


def test_without_a_folder_to_write_to_it_is_said_once_and_works(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told, warned = answer(start(GAME.format(graph="duel"), NUMBA_CACHE_DIR=str(tmp_path / "file" / "cache")))
    assert told == answer(start(GAME.format(graph="duel")))[0]
    assert warned.count("cannot write to") == 1 and "Set NUMBA_CACHE_DIR" in warned


def test_two_processes_fill_a_cold_cache_at_once(tmp_path: Path) -> None:
    """Neither stumbles over the other; a third finds everything there."""
    pair = [start(GAME.format(graph="rings"), NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    told = {answer(process) for process in pair}
    files = sorted(path.name for path in tmp_path.rglob("*.nb*"))
    assert files
    told.add(answer(start(GAME.format(graph="rings"), NUMBA_CACHE_DIR=str(tmp_path))))
    assert len(told) == 1
    assert files == sorted(path.name for path in tmp_path.rglob("*.nb*"))


@compiled
def test_what_is_compiled_for_the_first_time_runs_and_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernel_module, "cache_folder", kernel_module.cache_folder.__wrapped__)

    @kernel_module.part
    def twice(number):
        return 2 * number

    @kernel_module.kernel
    def four_times(number):
        return twice(twice(number))

    assert four_times(3) == 12
    assert list(tmp_path.rglob("*.nbc"))


@compiled
def test_a_folder_that_takes_no_more_stops_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernel_module, "cache_folder", kernel_module.cache_folder.__wrapped__)

    @kernel_module.kernel
    def next_one(number):
        return number + 1

    shutil.rmtree(tmp_path)
    assert next_one(1) == 2


def test_without_a_folder_a_warning_names_the_place_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="cannot write to .*file.*Set NUMBA_CACHE_DIR"):
        assert kernel_module.cache_folder.__wrapped__() is None


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {"NUMBA_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ("linux", {"XDG_CACHE_HOME": "/b", "LOCALAPPDATA": "/c"}, "/b/planetwars-env"),
        ("win32", {"LOCALAPPDATA": "/c"}, "/c/planetwars-env"),
        ("linux", {"LOCALAPPDATA": "/c", "HOME": "/home/me"}, "/home/me/.cache/planetwars-env"),
    ],
)
def test_the_cache_lies_where_users_and_systems_want_it(
    platform: str, variables: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(kernel_module.sys, "platform", platform)
    assert kernel_module._user_cache() == Path(place)
