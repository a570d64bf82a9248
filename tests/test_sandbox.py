"""What confines a strategy's process, and what is chosen where a system has less (tests/test_isolation.py has them at work)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from planetwars_env.arena import sandbox
from planetwars_env.arena.sandbox import Sandbox, confined, find_sandbox, visible_paths


@pytest.mark.parametrize(
    ("working", "chosen"),
    [
        ({Sandbox.BUBBLEWRAP, Sandbox.NAMESPACES}, Sandbox.NAMESPACES),
        ({Sandbox.BUBBLEWRAP}, Sandbox.BUBBLEWRAP),
        (set(), Sandbox.NONE),
    ],
)
def test_the_strongest_sandbox_that_works_is_taken(
    working: set[Sandbox], chosen: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_works", lambda one: one in working)
    assert find_sandbox.__wrapped__() is chosen


def test_a_sandbox_whose_program_is_missing_or_does_not_end_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not sandbox._works(Sandbox.BUBBLEWRAP)
    monkeypatch.setattr(sandbox, "supervisor_command", lambda _: ["/no/such/program"])
    assert not sandbox._works(Sandbox.NAMESPACES)


def test_bubblewrap_shows_what_is_visible_for_reading_and_unshares_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "file").touch()
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/bwrap")
    visible = [str(tmp_path / name) for name in ("file", "link", "missing")]
    command = confined(["python", "-c", "pass"], Sandbox.BUBBLEWRAP, visible, [str(tmp_path / "link")])
    walls, program = command[: command.index("--")], command[command.index("--") + 1 :]
    assert walls[0] == "/usr/bin/bwrap" and "--unshare-all" in walls and "--die-with-parent" in walls
    text = " ".join(walls)
    assert f"--ro-bind {visible[0]} {visible[0]}" in text and f"--symlink {tmp_path / 'file'} {visible[1]}" in text
    assert f"--size 4096 --tmpfs {tmp_path / 'link'} --remount-ro {tmp_path / 'link'}" in text
    assert f"--size {16 * 2**20} --tmpfs /strategy --remount-ro / --chdir /strategy" in text
    assert visible[2] not in text and "--bind" not in walls
    assert program == ["python", "-c", "pass"]


def test_without_bubblewrap_the_program_stays_as_it_is() -> None:
    assert confined(["python"], Sandbox.NAMESPACES, ["/usr"], []) == ["python"]


def test_of_the_owners_files_a_strategy_sees_its_own_one(tmp_path: Path) -> None:
    file = tmp_path / "strategy.py"
    shown = visible_paths(str(file))
    assert str(file) in shown and str(tmp_path) not in shown and "/" not in shown
    assert not any(Path(one).is_relative_to(other) for one in shown for other in shown if one != other)
