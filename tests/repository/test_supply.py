"""Dependencies of the package: few libraries, each pinned to the version that is tested; and the check of its wheel."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.release import release_check
from support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OURS = canonicalize_name(PROJECT["name"])
UNPINNED = {"pip", "setuptools", OURS}
"""pip sets up the environment itself."""
GPU = ("nvidia-", "triton", "cuda-")
"""torch's own on Linux, of the versions that it asks for: not in constraints.txt, but in requirements-cuda.lock."""
ENTRY = re.compile(r"^([\w.-]+)==([^\s;]+)(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
SHA256 = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")


def pins(*names: str) -> dict[str, str]:
    """By name; what only the tools of the second environment need is pinned in a file of its own."""
    texts = [(ROOT / name).read_text() for name in names or ("constraints-tools.txt", "constraints.txt")]
    lines = [line.split("#")[0].strip() for text in texts for line in text.splitlines()]
    found = [line.split("==") for line in lines if line]
    return {str(canonicalize_name(name)): version for name, version in found}


def named() -> list[Requirement]:
    """Everything that pyproject.toml asks for, with all extras."""
    texts = [*PROJECT["dependencies"], *(text for extra in PROJECT["optional-dependencies"].values() for text in extra)]
    return [Requirement(text) for text in texts]


def needed() -> set[str]:
    """The same and, of what is installed here, everything that it pulls in."""
    found: set[str] = set()
    waiting = [(requirement, "") for requirement in named()]
    while waiting:
        requirement, extra = waiting.pop()
        name = str(canonicalize_name(requirement.name))
        if name == OURS or (requirement.marker and not requirement.marker.evaluate({"extra": extra})):
            continue
        new = name not in found
        found.add(name)
        try:
            inner = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        if new or requirement.extras:
            waiting += [
                (Requirement(text), one) for text in inner for one in (requirement.extras or {""}) if new or one
            ]
    return found


def test_the_bare_package_needs_eight_libraries() -> None:
    names = {Requirement(text).name for text in PROJECT["dependencies"]}
    assert names == {"gymnasium", "numpy", "numba", "joblib", "typer", "rich", "PyYAML", "Jinja2"}


def test_a_pin_is_a_version_that_is_asked_for() -> None:
    pinned = pins()
    wrong = [
        str(one) for one in named() if (pin := pinned.get(canonicalize_name(one.name))) and pin not in one.specifier
    ]
    assert not wrong


def test_whatever_is_asked_for_and_pulled_in_is_pinned() -> None:
    """Else a set-up of tomorrow has libraries in it that nobody tested."""
    missing = {name for name in needed() if not name.startswith(GPU)} - pins().keys() - UNPINNED
    assert not missing


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Version and number of hashes of each library in one of the files that `make lock` writes."""
    found = ENTRY.findall((ROOT / name).read_text(encoding="utf-8"))
    return {str(canonicalize_name(library)): (version, len(SHA256.findall(rest))) for library, version, rest in found}


def test_the_hashes_are_of_the_pinned_versions_and_of_no_others() -> None:
    """After a change of constraints.txt: `make lock`."""
    assert {name: version for name, (version, _) in locked("requirements.lock").items()} == pins("constraints.txt")


def test_what_cuda_needs_besides_is_not_pinned_twice() -> None:
    cuda = locked("requirements-cuda.lock")
    assert cuda and not cuda.keys() & pins().keys()
    assert all(name.startswith(GPU) for name in cuda)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-cuda.lock"])
def test_every_library_in_a_lock_has_a_hash(name: str) -> None:
    lines = [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if "==" in line]
    assert len(lines) == len(locked(name)), "an entry that nobody reads"
    assert not [library for library, (_, hashes) in locked(name).items() if not hashes]


# --- the release check ---------------------------------------------------------------------------------------------

OF_A_CHECKOUT = {"dev", "docs", "notebooks", "adapters"}
ELSEWHERE = {"rllib", "torchrl", "tianshou", "supersuit", "verifiers", "openenv"}
"""Tools that are tried with other sets of versions only (`make test-all`)."""


def test_a_wheel_carries_the_licence_and_what_is_promised_of_security() -> None:
    assert {"LICENSE", "SECURITY.md"} <= set(PROJECT["license-files"])
    assert tuple(PROJECT["license-files"]) == release_check.LEGAL


def test_every_extra_of_the_package_is_tried() -> None:
    tried = {extra.name for extra in release_check.EXTRAS} | set(release_check.RESOLVED)
    assert tried == set(PROJECT["optional-dependencies"]) - OF_A_CHECKOUT - ELSEWHERE


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_bare_wheel_is_enough_for_games_bots_and_evaluating_and_says_what_the_rest_needs() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "release" / "release_check.py"), "--bare"]
    done = subprocess.run(script, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("The release is sound.\n")
