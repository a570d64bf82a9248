"""Contestants of a tournament: players with labels of their own, and the fingerprint of what each is made of."""

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

from planetwars_env.arena.isolation import Isolated, ResourceLimits
from planetwars_env.arena.sandbox import NoSandboxError
from planetwars_env.bots.catalogue import Kind, Player, parse_player, player_names
from planetwars_env.bots.source_files import find_module
from planetwars_env.engine.sources import PACKAGE, fingerprint_of_code
from planetwars_env.text import clean_name, clean_text

_DECIDING = ("engine", "bots", "codec")
"""The folders whose code decides a game."""


def contestant_of(player: Any) -> Player:
    """Resolve a player; a strategy from a file or ``module:Class`` is not loaded, since it plays in its own process."""
    resolved = parse_player(player)
    resolved = resolved if resolved.isolated else resolved.load()
    if resolved.isolated and sys.platform != "linux":
        raise ValueError(
            f"{player} would play in a process of its own here, which needs Linux (on Windows: WSL). "
            f"'planetwars evaluate {player} --in-process' plays it in this process, on every system"
        )
    return resolved


class Submission(NamedTuple):
    """Submission of a ``student``, or another contestant: the ``player``, None if it cannot be loaded for ``reason``.

    ``place``: the file, folder or command as it was handed in. Known once it is loaded: ``strategy``, the name that it gives
    itself, and ``competes``, whether it wants to take part in tournaments.
    """

    student: str
    place: str
    player: Player | None
    reason: str = ""
    strategy: str = ""
    competes: bool = False


def load_submissions(found: Sequence[Submission], limits: ResourceLimits) -> list[Submission]:
    """Load every submission once, in a process of its own; one that cannot be loaded has no player then, but a reason."""

    def load(one: Submission) -> Submission:
        if one.player is None or not one.player.isolated:
            return one if one.player is None else one._replace(strategy=one.player.name, competes=True)
        try:
            with Isolated(one.player, limits) as strategy:
                one = one._replace(strategy=strategy.name, competes=strategy.compete)
                if strategy.faults:  # its last line is what tables show, so it names the place
                    before, _, _ = strategy.faults[-1].text.strip().rpartition("\n")
                    reason = f"{before}\n{strategy.faults[-1].summary or 'it gives no reason'}".strip()
                    return one._replace(player=None, reason=reason)
                return one
        except NoSandboxError:
            raise
        except Exception as fault:  # whatever its files have caused stops nobody else
            return one._replace(player=None, reason=clean_text(f"{type(fault).__name__}: {fault}"))

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(load, found))


def load_contestants(given: Sequence[Submission], limits: ResourceLimits) -> list[Submission]:
    """Load players; return them under the names that they give themselves, and last the students' submissions that are broken.

    ValueError lists what else cannot be loaded.
    """
    loaded = load_submissions(given, limits)
    broken = [one for one in loaded if one.player is None]
    if texts := [(one.place, one.reason) for one in broken if not one.student]:
        reasons = [
            f"{spec} cannot be loaded: {text if chr(10) not in text else chr(10) + indent(text, '    ')}"
            for spec, text in texts
        ]
        raise ValueError("\n".join(["no game was played, because", *reasons]))
    able = [one for one in loaded if one.player is not None]
    named = distinct_names([one.player._replace(name=one.strategy) for one in able if one.player is not None])
    return [*(one._replace(player=new, strategy=new.name) for one, new in zip(able, named, strict=True)), *broken]


def load_players(players: Sequence[Player], limits: ResourceLimits) -> list[Player]:
    """Return players under the names that they give themselves. ValueError lists those that cannot be loaded."""
    loaded = load_contestants([Submission("", one.spec, one) for one in players], limits)
    return [one.player for one in loaded if one.player is not None]


def load_one(player: Player, limits: ResourceLimits) -> Submission:
    """Load a player as a submission of its own, under its own name; ValueError where it cannot be loaded."""
    (one,) = load_contestants([Submission("", player.spec, contestant_of(player))], limits)
    return one._replace(student=one.strategy)


def distinct_names(players: Sequence[Player]) -> list[Player]:
    """Add the file or folder to the name of every strategy that shares its name with another player, or bears a bot's."""
    known = {name.casefold() for name in player_names()}
    named = []
    for player in players:
        folded = player.name.casefold()
        others = {other.spec for other in players if other.name.casefold() == folded} - {player.spec}
        if player.kind.foreign and (others or folded in known):
            # The shortest end of the path, in whole parts, that is not an end of the others.
            parts = Path(player.spec).parts
            ends = ("/".join(parts[-count:]) for count in range(1, len(parts) + 1))
            different = (end for end in ends if not any(f"/{other}".endswith(f"/{end}") for other in others))
            place = next(different, player.spec)
            player = player._replace(name=f"{clean_name(player.name, 50)} ({clean_name(place[-45:])})")
        named.append(player)
    return named


def numbered_names(names: Iterable[str]) -> list[str]:
    """Return the names, with a number behind each that another one before it has, in any case of letters."""
    numbered: dict[str, str] = {}
    for name in names:
        label, number = name, 1
        while label.casefold() in numbered:
            number += 1
            label = f"{name} ({number})"
        numbered[label.casefold()] = label
    return list(numbered.values())


def fingerprint_player(player: Player) -> str:
    """Return a fingerprint of everything that decides how the player plays. ValueError for an object, which has none."""
    if not player.spec:
        raise ValueError(f"{player.name} is an object: to keep games in a folder, name players by name, file or folder")
    if player.kind is Kind.LANGUAGE_MODEL:
        return _of_module(player.spec.removeprefix("llm:"))
    if player.kind.foreign:
        source = player.files()
        return _of_module(player.spec) if source is None else source.fingerprint()
    if not player.kind.learned:
        return _of_package()
    digest = hashlib.sha256(_of_package().encode())
    for part in sorted([*player.folder.glob("*.yaml"), *player.folder.glob("*.safetensors")]):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]


def _of_module(name: str) -> str:
    """Return a fingerprint of the file of a module."""
    file = find_module(name.partition(":")[0])
    return name if file is None else hashlib.sha256(name.encode() + file.read_bytes()).hexdigest()[:16]


@cache
def _of_package() -> str:
    """Return a fingerprint of the code of the rules, the bots and the observations, without comments."""
    return fingerprint_of_code(path for folder in _DECIDING for path in sorted((PACKAGE / folder).glob("*.py")))
