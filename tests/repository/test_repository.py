"""The files around the code that contributors and services read: they parse, and what they name exists."""

import re
from typing import Any

import yaml

from support.paths import ROOT

FILES = [*ROOT.glob(".github/**/*.yml"), ROOT / ".pre-commit-config.yaml"]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_configuration_of_a_service_is_yaml_and_the_workflow_runs_everywhere() -> None:
    parsed: dict[str, Any] = {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES}
    assert all(isinstance(one, dict) for one in parsed.values())
    jobs = parsed["tests.yml"]["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    assert [system.split("-")[0] for system in matrix["os"]] == ["ubuntu", "macos", "windows"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in (step["run"] for job in jobs.values() for step in job["steps"] if "run" in step):
        if command.startswith("make "):
            assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE)
        else:
            assert f"    {command}\n" in CONTRIBUTING


def test_the_how_tos_name_files_that_exist() -> None:
    section = CONTRIBUTING.split("\n## How to ", 1)[1].split("\n## Where ")[0]
    named = set(re.findall(r"\b(?:tests|docs|bots|engine|envs|sim|cli)/[\w/]+\.(?:py|md)", section))
    assert len(named) > 15
    for name in named:
        assert (ROOT / name).is_file() or (ROOT / "planetwars_env" / name).is_file(), name
