"""Cache of machine code: a folder named after the sources, the user's choice of it, and work without any."""

import ast
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest

from planetwars_env.engine import kernel as kernel_module
from planetwars_env.engine import kernel_cache, sources
from support.paths import ROOT

compiled = pytest.mark.skipif(bool(kernel_module.config.DISABLE_JIT), reason="needs the compiler")
SMALL = """
import numpy
from planetwars_env.engine.entry_points import draw
print(draw(numpy.ones(1, numpy.uint64), 0, 100))
"""
GAME = """
import planetwars_env as pw
game = pw.Game(pw.load_graph("rings"))
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
    """The output of a program, and its warnings."""
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
    """One program edits and asks, again and again: learn/ has kernels too; what no kernel imports does not matter.

    Numba alone would go on with the old code: `DEFENCE` stands in rules.py and is used in conquest.py.
    """
    program = """
from pathlib import Path
from planetwars_env.engine.kernel_cache import cache_folder
from planetwars_env.engine.sources import kernel_sources
heeded = ["engine/rules.py", "engine/turn.py", "engine/entry_points.py", "codec/layout.py"]
heeded += ["bots/bot_codes.py", "learn/graph_batch.py"]
for source in [*heeded, "cli/main.py", "arena/report.py"]:
    cache_folder.cache_clear()
    kernel_sources.cache_clear()
    print(cache_folder())
    with (Path("planetwars_env") / source).open("a") as file:
        file.write("# changed\\n")
cache_folder.cache_clear()
print(cache_folder())
"""
    folders = answer(start(program, package, NUMBA_CACHE_DIR=str(package / "cache")))[0].split()
    assert len(set(folders)) == 7 and len(set(folders[-3:])) == 1
    assert all(Path(folder).is_dir() for folder in folders)


def decorated_in_package() -> set[Path]:
    """The modules in which Python itself finds a use of `kernel` or `part`, as decorators or as functions."""
    found = set()
    for path in sources.PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            calls = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", [])
            if any(ast.unparse(call).split(".")[-1] in ("kernel", "part") for call in calls):
                found.add(path)
    return found


def imported_at_the_top(path: Path) -> set[Path]:
    """The same question as sources.py asks, answered by the syntax tree."""
    found = set()
    for node in ast.parse(path.read_bytes()).body:
        assert not isinstance(node, ast.ImportFrom) or not node.level, f"{path} has a relative import"
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            place = sources.PACKAGE.parent.joinpath(*name.split("."))
            found |= {file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()}
    return {file for file in found if file.is_relative_to(sources.PACKAGE)}


def test_every_kernel_and_part_and_what_they_import_is_hashed() -> None:
    hashed = set(sources.kernel_sources())
    decorated = decorated_in_package() - {Path(kernel_module.__file__)}
    assert len(decorated) > 23
    assert not decorated - hashed
    for path in hashed:
        assert not imported_at_the_top(path) - hashed, path


def test_comments_docstrings_and_line_breaks_mean_nothing(tmp_path: Path) -> None:
    file = tmp_path / "rule.py"

    def meaning(text: str) -> str:
        file.write_text(text)
        return sources.fingerprint_of_code([file])

    plain = meaning("def grow(people: int) -> int:\n    return people + 1\n")
    assert plain == meaning(
        '"""Rules."""\n# One.\ndef grow(\n    people: int,\n) -> int:\n    """Two."""\n    return people + 1\n'
    )
    assert plain != meaning("def grow(people: int) -> int:\n    return people + 2\n")
    assert plain != meaning("def grow(people: int) -> int:\n    return people + 1.0\n")


@pytest.mark.long
def test_without_a_folder_to_write_to_it_is_said_once_and_works(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told, warned = answer(start(SMALL, NUMBA_CACHE_DIR=str(tmp_path / "file" / "cache")))
    assert told == answer(start(SMALL))[0]
    assert warned.count("cannot write to") == 1 and "Set NUMBA_CACHE_DIR" in warned


@pytest.mark.long
@pytest.mark.parametrize("program", [SMALL, pytest.param(GAME, marks=pytest.mark.slow)], ids=["a kernel", "a game"])
def test_two_processes_fill_a_cold_cache_at_once(tmp_path: Path, program: str) -> None:
    """Neither stumbles over the other, and one line says that they compile; a third finds everything there."""
    pair = [start(program, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    results = [answer(process) for process in pair]
    assert sum(errors.count("compiles its kernels") for _, errors in results) == 1
    files = sorted(path.name for path in tmp_path.rglob("*.nb*"))
    assert files
    results.append(answer(start(program, NUMBA_CACHE_DIR=str(tmp_path))))
    assert len({output for output, _ in results}) == 1 and not results[-1][1]
    assert files == sorted(path.name for path in tmp_path.rglob("*.nb*"))


@compiled
def test_a_folder_that_is_only_read_gives_its_code_and_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(kernel_cache.READ_ONLY, str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setattr(kernel_cache, "cache_folder", kernel_cache.cache_folder.__wrapped__)

    def doubled(number: int) -> int:
        return 2 * number

    assert kernel_module.kernel(doubled)(3) == 6
    assert not list(tmp_path.iterdir())
    monkeypatch.delenv(kernel_cache.READ_ONLY)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kernel_module.kernel(doubled)(3) == 6
    kept = sorted(tmp_path.rglob("*.nbc"))
    assert kept
    monkeypatch.setenv(kernel_cache.READ_ONLY, str(kernel_cache.cache_folder()))
    again = cast(Any, kernel_module.kernel(doubled))
    assert again(3) == 6 and sum(again.stats.cache_hits.values()) == 1
    assert sorted(tmp_path.rglob("*.nbc")) == kept


@compiled
def test_a_folder_that_takes_no_more_stops_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernel_cache, "cache_folder", kernel_cache.cache_folder.__wrapped__)

    @kernel_module.kernel
    def next_one(number):
        return number + 1

    shutil.rmtree(tmp_path)
    assert next_one(1) == 2


def damaged(path: Path, how: str) -> None:
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes(
        {
            "empty": b"",
            "cut": data[:middle],
            "zeros": bytes(len(data)),
            "garbage": b"not a file of Numba",
            "one byte": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        }[how]
    )


QUICK_DAMAGES = ("nbi", "cut"), ("nbc", "one byte")


@compiled
@pytest.mark.long
@pytest.mark.parametrize(
    ("ending", "how"),
    [
        pytest.param(*damage, marks=() if damage in QUICK_DAMAGES else pytest.mark.slow)
        for damage in product(("nbi", "nbc"), ("empty", "cut", "zeros", "garbage", "one byte"))
    ],
)
def test_a_damaged_file_is_thrown_away_and_compiled_anew(ending: str, how: str, tmp_path: Path) -> None:
    """As an unclean shutdown may leave it. Machine code of which one byte is wrong is not run either."""
    program = """
from planetwars_env.engine.kernel import kernel
@kernel
def thrice(number):
    return 3 * number
print(thrice(4))
"""
    (tmp_path / "program.py").write_text(program)
    run = "import runpy; runpy.run_path({!r})".format(str(tmp_path / "program.py"))
    cache = tmp_path / "cache"
    assert answer(start(run, NUMBA_CACHE_DIR=str(cache)))[0] == "12"
    (file,) = cache.rglob(f"*.{ending}")
    whole = file.read_bytes()
    damaged(file, how)
    assert answer(start(run, NUMBA_CACHE_DIR=str(cache))) == ("12", "")
    if ending == "nbc":  # The index ends in a pickle of sets and tuples, whose bytes may differ.
        assert len(file.read_bytes()) == len(whole)
    assert answer(start(run, NUMBA_CACHE_DIR=str(cache))) == ("12", "")


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such rights there")
@pytest.mark.parametrize(
    ("attack", "why"),
    [
        (lambda folder: folder.chmod(0o777), "others can write to it"),
        (lambda folder: folder.chmod(0o720), "others can write to it"),
        (lambda folder: folder.parent.chmod(0o777), "everybody can write to"),
        (lambda folder: folder.rename(folder.with_name("moved")) and folder.symlink_to("moved"), "it is a link"),
        (lambda folder: os.chown(folder, 12345, -1), "belongs to the user with the number 12345"),
        (lambda folder: os.chown(folder.parent, 12345, -1), "belongs to the user with the number 12345"),
        (lambda folder: os.chown(folder.parent, -1, 12345) or folder.parent.chmod(0o770), "the group with the number"),
    ],
)
def test_a_folder_that_others_could_have_written_is_refused_with_one_warning(
    attack: Callable[[Path], None], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    made = kernel_cache.cache_folder.__wrapped__()
    assert made is not None
    folder = Path(made)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    if "number" in why and os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    attack(folder)
    with pytest.warns(UserWarning, match=f"does not trust .*{why}.*Set NUMBA_CACHE_DIR"):
        assert kernel_cache.cache_folder.__wrapped__() is None
    if folder.stat().st_mode & 0o777 == 0o777:
        told, warned = answer(start(SMALL, NUMBA_CACHE_DIR=str(tmp_path)))
        assert told == answer(start(SMALL))[0] and warned.count("does not trust") == 1
        assert not list(tmp_path.rglob("*.nb*"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_below_one_of_a_group_that_cannot_write_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    os.chown(tmp_path, -1, 12345)
    tmp_path.chmod(0o750)
    assert kernel_cache.cache_folder.__wrapped__() is not None


def test_it_is_said_again_that_kernels_are_compiled_once_the_other_workers_have_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: str(tmp_path))
    for age, said in ((None, 1), (5, 0), (20, 1)):
        if age is not None:
            os.utime(tmp_path / "announced", (time.time() - age, time.time() - age))
        kernel_cache._announce.__wrapped__()
        assert capsys.readouterr().err.count("compiles its kernels") == said


@compiled
def test_kernels_of_other_folders_are_kept_by_the_state_of_the_files_beside_theirs(tmp_path: Path) -> None:
    (tmp_path / "numbers_of_mine.py").write_text("FACTOR = 3\n")
    (tmp_path / "mine.py").write_text(
        "from numbers_of_mine import FACTOR\nfrom planetwars_env.engine.kernel import kernel\n"
        "@kernel\ndef times(number):\n    return FACTOR * number\n"
    )
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import mine; print(mine.times(4))"
    cache = str(tmp_path / "cache")
    assert answer(start(program, NUMBA_CACHE_DIR=cache))[0] == "12"
    (tmp_path / "numbers_of_mine.py").write_text("FACTOR = 5\n")
    assert answer(start(program, NUMBA_CACHE_DIR=cache))[0] == "20"


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
    monkeypatch.setattr(kernel_cache.sys, "platform", platform)
    assert kernel_cache.user_cache() == Path(place)
