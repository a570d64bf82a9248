"""Contestants of a tournament: players with labels of their own, and the fingerprint of what each is made of."""

import hashlib
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from planetwars_env.bots.catalogue import Player, resolve_player
from planetwars_env.bots.module_search import find_module
from planetwars_env.bots.source_files import read_source
from planetwars_env.engine.sources import PACKAGE, fingerprint_of_code

_DECIDING = ("engine", "bots", "codec")
"""The folders whose code decides a game."""


def contestants_of(players: Sequence[Any]) -> list[Player]:
    """Return one contestant per player. ValueError for fewer than two, an unknown name, and two with the same name."""
    found = [contestant_of(player) for player in players]
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"{', '.join(twice)}: named twice: every player takes part once, and two files need different names"
        )
    if len(found) < 2:
        raise ValueError("a tournament needs at least two players: name another one, for example ai1")
    return found


def contestant_of(player: Any) -> Player:
    """Resolve a player; a strategy from a file or ``module:Class`` is not loaded, since it plays in its own process."""
    found = resolve_player(player, isolate=True)
    if found.isolated and sys.platform != "linux":
        raise ValueError(
            f"{player} would play in a process of its own here, which needs Linux (on Windows: WSL). "
            f"'planetwars evaluate {player} --in-process' plays it in this process, on every system"
        )
    return found


def fingerprint_player(player: Player) -> str:
    """Return a fingerprint of everything that decides how the player plays. ValueError for an object, which has none."""
    if not player.spec:
        raise ValueError(f"{player.name} is an object: to keep games in a folder, name players by name, file or folder")
    if player.isolated:
        return _of_strategy(player.spec)
    folder = Path(player.spec)
    return _of_agent(folder) if folder.is_dir() else _of_package()


def _of_strategy(name: str) -> str:
    """Return a fingerprint of the files of a strategy, or of the file of an installed module."""
    source = read_source(name)
    if source is not None:
        return source.fingerprint()
    file = find_module(name.partition(":")[0])
    return name if file is None else hashlib.sha256(name.encode() + file.read_bytes()).hexdigest()[:16]


def _of_agent(folder: Path) -> str:
    """Return a fingerprint of an agent: its configuration, its weights and the package."""
    digest = hashlib.sha256(_of_package().encode())
    for part in sorted([*folder.glob("*.yaml"), *folder.glob("*.safetensors")]):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _of_package() -> str:
    """Return a fingerprint of the code of the rules, the bots and the observations, without comments."""
    return fingerprint_of_code(path for folder in _DECIDING for path in sorted((PACKAGE / folder).glob("*.py")))
