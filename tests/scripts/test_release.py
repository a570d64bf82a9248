"""The release check: what a wheel may hold, and the bare wheel tried in an empty environment."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
import typer

from scripts.release import release_check
from support.paths import ROOT

OF_A_CHECKOUT = {"dev", "docs", "notebooks", "adapters"}
ELSEWHERE = {"rllib", "torchrl", "tianshou", "supersuit", "verifiers", "openenv"}
"""Tools that are tried with other sets of versions only (`make test-all`)."""


def contents() -> list[str]:
    """The names in a wheel that is as it should be."""
    package = [path.relative_to(ROOT).as_posix() for path in release_check.files_under(ROOT / "planetwars_env")]
    data = [
        f"{place}/{path.relative_to(ROOT / source).as_posix()}"
        for source, place in release_check.DATA.items()
        for path in release_check.files_under(ROOT / source)
    ]
    about = [
        f"planetwars_env-0.2.0.dist-info/{name}"
        for name in ("METADATA", *(f"licenses/{one}" for one in release_check.LEGAL))
    ]
    return [*package, *data, *about]


def test_a_wheel_with_package_and_data_is_sound() -> None:
    release_check.check_wheel(contents())


@pytest.mark.parametrize("stray", ["tests/test_game.py", "agents/x/config.yaml", "planetwars_env/__pycache__/game.pyc",
                                   "planetwars_env/tests/support/oracle.py", "planetwars_env/left_behind.py"])  # fmt: skip
def test_a_wheel_that_holds_anything_else_is_not(stray: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        release_check.check_wheel([*contents(), stray])
    assert stray in capsys.readouterr().err


@pytest.mark.parametrize(
    "lost",
    [
        "planetwars_env/_data/graphs/test.dot",
        "planetwars_env/py.typed",
        "planetwars_env-0.2.0.dist-info/licenses/SECURITY.md",
    ],
)
def test_a_wheel_that_lacks_something_is_not(lost: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        release_check.check_wheel([name for name in contents() if name != lost])
    assert lost.rpartition("/licenses/")[2] in capsys.readouterr().err


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
