"""What is installed with the package: few libraries, each pinned to the version that is tested."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OURS = canonicalize_name(PROJECT["name"])
UNPINNED = {"pip", "setuptools", OURS}
"""pip sets up the environment itself."""


def pins() -> dict[str, str]:
    """By name; what only the tools of the second environment need is pinned in a file of its own."""
    texts = [(ROOT / name).read_text() for name in ("constraints-tools.txt", "constraints.txt")]
    lines = [line.split("#")[0].strip() for text in texts for line in text.splitlines()]
    found = [line.split("==") for line in lines if line]
    return {str(canonicalize_name(name)): version for name, version in found}


def named() -> list[Requirement]:
    """Everything that pyproject.toml asks for, with all extras."""
    texts = [*PROJECT["dependencies"], *(text for extra in PROJECT["optional-dependencies"].values() for text in extra)]
    return [Requirement(text) for text in texts]


def needed() -> set[str]:
    """The same and everything that it pulls in here, as far as it is installed."""
    found: set[str] = set()
    waiting = [(requirement, "") for requirement in named()]
    while waiting:
        requirement, extra = waiting.pop()
        name = str(canonicalize_name(requirement.name))
        if name == OURS or (requirement.marker and not requirement.marker.evaluate({"extra": extra})):
            continue
        try:
            inner = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        new = name not in found
        found.add(name)
        if new or requirement.extras:
            waiting += [
                (Requirement(text), one) for text in inner for one in (requirement.extras or {""}) if new or one
            ]
    return found


def test_the_bare_package_needs_six_libraries() -> None:
    names = {Requirement(text).name for text in PROJECT["dependencies"]}
    assert names == {"gymnasium", "numpy", "numba", "typer", "rich", "PyYAML"}


def test_every_library_that_is_asked_for_is_pinned() -> None:
    missing = {canonicalize_name(one.name) for one in named()} - pins().keys() - UNPINNED
    assert not missing


def test_a_pin_is_a_version_that_is_asked_for() -> None:
    pinned = pins()
    wrong = [
        str(one) for one in named() if (pin := pinned.get(canonicalize_name(one.name))) and pin not in one.specifier
    ]
    assert not wrong


def test_whatever_is_pulled_in_is_pinned_too() -> None:
    """Else a set-up of tomorrow has libraries in it that nobody tested."""
    gpu = ("nvidia-", "triton", "cuda-")  # torch's own, on Linux, of the versions that it asks for
    missing = {name for name in needed() if not name.startswith(gpu)} - pins().keys() - UNPINNED
    assert not missing
