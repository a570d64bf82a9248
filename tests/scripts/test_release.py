"""The release check: what a wheel may hold, and the bare wheel tried in an empty environment."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from scripts.release import release_check
from support.paths import ROOT

OF_A_CHECKOUT = {"dev", "docs", "notebooks", "adapters"}
ELSEWHERE = {"rllib", "torchrl", "tianshou", "supersuit", "verifiers", "openenv"}
"""Tools that are tried with other sets of versions only (`make test-all`)."""


def test_a_wheel_carries_the_licence_and_what_is_promised_of_security() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"LICENSE", "SECURITY.md"} <= set(project["license-files"])
    assert tuple(project["license-files"]) == release_check.LEGAL


def test_every_extra_of_the_package_is_tried() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {extra.name for extra in release_check.EXTRAS} | set(release_check.RESOLVED) == set(
        extras
    ) - OF_A_CHECKOUT - ELSEWHERE


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_bare_wheel_is_enough_for_games_bots_and_evaluating_and_says_what_the_rest_needs() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "release" / "release_check.py"), "--bare"]
    done = subprocess.run(script, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("The release is sound.\n")
