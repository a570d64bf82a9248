"""Who takes part in a tournament: names resolved once, each with a label, a fingerprint and a way of playing."""

import hashlib
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from planetwars_env.bots.catalogue import bot_names, canonical_name, resolve_opponent
from planetwars_env.bots.codes import BOTS
from planetwars_env.bots.loading import agent_folder, module_file
from planetwars_env.engine.sources import PACKAGE, fingerprint_of_code
from planetwars_env.files import read_file
from planetwars_env.text import clean_name

_LARGEST = 64 * 2**20
"""Bytes of a strategy's file."""

_DECIDING = ("engine", "bots", "codec")
"""The folders whose code decides a game."""


class Contestant(NamedTuple):
    """``label`` stands in tables, ``spec`` is what was named, ``code`` that of a compiled bot, else None.

    ``foreign``: a .py file or module:Class, which plays in a process of its own. ``print``: changes when it may play otherwise.
    """

    label: str
    spec: str
    code: int | None
    foreign: bool
    print: str


def contestants_of(names: Sequence[str]) -> list[Contestant]:
    """One contestant a name; ValueError for fewer than two, for an unknown name and for two with one label."""
    found = [contestant_of(name) for name in names]
    labels = [one.label for one in found]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)}: named twice, or two files of one name; every contestant needs its own")
    if len(found) < 2:
        raise ValueError("a tournament needs at least two contestants")
    return found


def contestant_of(name: str) -> Contestant:
    """A bot, an agent's name or folder, a .py file, module:Class; ValueError for what the catalogue does not know."""
    name = canonical_name(name)
    if name in bot_names():
        return Contestant(name, name, BOTS.get(name), False, _print_of_package())
    if name.endswith(".py"):
        path = Path(name).absolute()  # of a link, not of its target
        if not path.is_file():
            raise ValueError(f"strategy file {name} does not exist")
        _need_linux(name)
        print_of_file = hashlib.sha256(read_file(path, _LARGEST)).hexdigest()[:16]
        return Contestant(clean_name(path.stem), str(path), None, True, print_of_file)
    if ":" in name:
        _need_linux(name)
        return Contestant(clean_name(name), name, None, True, _print_of_module(name))
    label, folder = clean_name(resolve_opponent(name).name), agent_folder(name)
    if folder is not None:
        return Contestant(label, str(folder.resolve()), None, False, _print_of_agent(folder))
    return Contestant(label, name, None, False, _print_of_package())


def _need_linux(name: str) -> None:
    """ValueError where a strategy cannot be confined: its supervisor uses Linux's process control and namespaces."""
    if sys.platform != "linux":
        raise ValueError(
            f"{name} would play in a process of its own here, which needs Linux (on Windows: WSL). "
            f"'planetwars evaluate {name}' without --course plays it in this process, on every system"
        )


def _print_of_module(name: str) -> str:
    """Of a ``module:Class`` and the module's file, which is found without running it; of the name where there is no file."""
    source = module_file(name.partition(":")[0])
    return name if source is None else hashlib.sha256(name.encode() + source.read_bytes()).hexdigest()[:16]


def _print_of_agent(folder: Path) -> str:
    """Of its configuration, its weights and the package."""
    digest = hashlib.sha256(_print_of_package().encode())
    for part in sorted([*folder.glob("*.yaml"), *folder.glob("*.safetensors")]):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _print_of_package() -> str:
    """Of the code of the rules, the bots and the agents' observations, without its comments."""
    return fingerprint_of_code(path for folder in _DECIDING for path in sorted((PACKAGE / folder).glob("*.py")))
