"""Commands that are printed for people: their shell finds each of them."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from planetwars_env.cli.demo import what_next
from planetwars_env.cli.shell import resume_hint, typed
from support.paths import ROOT


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a .venv that runs this process and is not on the PATH; the current folder is it."""
    folder = tmp_path / "check out"
    scripts = folder / ".venv" / "bin"
    scripts.mkdir(parents=True)
    for name in ("python", "planetwars", "tensorboard"):
        (scripts / name).write_text("#!/bin/sh\n")
        (scripts / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(scripts / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(folder)
    return folder


def commands(text: str) -> list[str]:
    """The lines that are indented, without their comments."""
    return [line.split("  #")[0].strip() for line in text.splitlines() if line.startswith("  ")]


def test_every_command_of_the_demos_what_next_is_found_without_activation(checkout: Path) -> None:
    lines = commands(what_next(Path("runs/demo")))
    for line in lines:
        assert shutil.which(shlex.split(line)[0]), line
    assert ".venv/bin/planetwars train --config default" in lines


def test_the_commands_are_short_where_the_shell_finds_them(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{checkout}/.venv/bin:/usr/bin:/bin")
    assert [line.split()[0] for line in commands(what_next(Path("runs/demo")))] == [*["planetwars"] * 3, "tensorboard"]


def test_another_installation_on_the_path_is_not_the_one_that_is_named(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "planetwars"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert typed("planetwars", "--help") == ".venv/bin/planetwars --help"


def test_outside_its_folder_a_program_is_named_in_full_and_quoted(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert shlex.split(typed("planetwars", "--help")) == [str(checkout / ".venv/bin/planetwars"), "--help"]


def test_an_interrupted_run_names_a_command_that_is_found(checkout: Path) -> None:
    (checkout / "checkpoint.safetensors").touch()
    assert resume_hint(checkout).endswith(f": .venv/bin/planetwars train --out '{checkout}' --resume")


def test_make_setup_the_readme_and_the_quickstart_say_how_to_activate() -> None:
    said = subprocess.run(["make", "-n", "setup"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages = [(ROOT / name).read_text().split("    planetwars ")[0] for name in ("README.md", "docs/quickstart.md")]
    for text in (said, *pages):
        assert "source .venv/bin/activate" in text and ".venv/bin/planetwars" in text
