"""Sandboxes of a strategy's process, and the choice on systems that have less (test_isolation.py has them at work)."""

import sys
from pathlib import Path

import pytest

from planetwars_env.arena import sandbox
from planetwars_env.arena.isolation import Isolated
from planetwars_env.arena.sandbox import NoSandboxError, Sandbox, choose_sandbox, find_sandbox
from support.command_line import run, succeed
from support.paths import SPREADER
from support.strategy_files import bot


@pytest.mark.parametrize(
    ("working", "chosen"),
    [
        ({Sandbox.LANDLOCK, Sandbox.NAMESPACES}, Sandbox.NAMESPACES),
        ({Sandbox.LANDLOCK}, Sandbox.LANDLOCK),
        (set(), Sandbox.NONE),
    ],
)
def test_the_strongest_sandbox_that_works_is_taken(
    working: set[Sandbox], chosen: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_works", lambda one: one in working)
    assert find_sandbox.__wrapped__() is chosen


def test_a_sandbox_that_cannot_be_set_up_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_SYSTEM", ("/no/such/folder",))  # without the libraries that Python needs
    assert not sandbox._works(Sandbox.NAMESPACES) and not sandbox._works(Sandbox.LANDLOCK)
    monkeypatch.setattr(sys, "executable", "/no/such/program")
    assert not sandbox._works(Sandbox.NAMESPACES)


def test_without_a_sandbox_strategies_from_files_are_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "find_sandbox", lambda: Sandbox.NONE)
    mark = tmp_path / "it_ran"
    (tmp_path / "bad.py").write_text(bot("Bad", above=f"open({str(mark)!r}, 'w')"))
    bad = str(tmp_path / "bad.py")
    for command in (
        ["rank", bad, "random", "--graphs", "duel", "--out", str(tmp_path / "run")],
        ["grade", bad],
        ["play", "--against", bad, "--terminal"],
    ):
        result = run(*command)
        assert result.exit_code == 1 and "--unsafe" in result.output and "all your rights" in result.output
        assert result.output.count("Error:") == 1 and "Traceback" not in result.output
    assert not mark.exists()
    with pytest.raises(NoSandboxError):
        Isolated(bad)
    assert choose_sandbox(unsafe=True) is Sandbox.NONE
    words = ["rank", SPREADER, "noop", "--graphs", "duel", "--jobs", "1", "--max-turns", "4", "--out", tmp_path]
    assert "delete your files" in succeed(*words, "--unsafe").output
