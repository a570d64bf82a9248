"""The files around the code that contributors and services read: they parse, and what they name exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.paths import ROOT

FILES = [*ROOT.glob(".github/**/*.yml"), ROOT / ".pre-commit-config.yaml"]
WORKFLOW = ROOT / ".github" / "workflows" / "tests.yml"


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def runs() -> list[str]:
    return [step["run"] for job in parsed(WORKFLOW)["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_configuration_of_a_service_is_yaml(path: Path) -> None:
    assert isinstance(parsed(path), dict)


def test_the_workflow_runs_on_three_systems_with_every_supported_python() -> None:
    matrix = parsed(WORKFLOW)["jobs"]["tests"]["strategy"]["matrix"]
    assert [system.split("-")[0] for system in matrix["os"]] == ["ubuntu", "macos", "windows"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]


def test_the_commands_of_the_workflow_are_those_of_contributing_and_the_makefile() -> None:
    contributing, makefile = ((ROOT / name).read_text(encoding="utf-8") for name in ("CONTRIBUTING.md", "Makefile"))
    for command in runs():
        if command.startswith("make "):
            assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE)
        else:
            assert f"    {command}\n" in contributing


def test_the_windows_commands_name_extras_and_constraints_that_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (install,) = [command for command in runs() if "pip install" in command]
    named = re.search(r"\[(.*?)\]", install)
    assert named and set(named[1].split(",")) <= extras.keys()
    assert (ROOT / install.split(" -c ")[1]).is_file()


def test_the_how_tos_name_files_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("\n## How to ", 1)[1].split("\n## Where ")[0]
    named = set(re.findall(r"\b(?:tests|docs|bots|engine|envs|sim|cli)/[\w/]+\.(?:py|md)", section)) - {
        "tests/cli/test_NAME.py"
    }
    assert len(named) > 15
    for name in named:
        assert (ROOT / name).is_file() or (ROOT / "planetwars_env" / name).is_file(), name


def test_the_fast_tests_are_those_of_existing_folders_without_the_long_ones() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.search(r"^FAST = (.*)$", makefile, re.MULTILINE)
    assert named and [name for name in named[1].split() if not (ROOT / name).exists()] == []
    assert {"engine", "graphs", "codec", "envs", "test_game.py"} == {Path(name).name for name in named[1].split()}
    assert '-m "not slow and not long" $(FAST)' in makefile
