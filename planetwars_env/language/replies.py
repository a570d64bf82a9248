"""Grammar of replies: lines such as ``send 3 -> 7: 12``, or JSON, become moves; what is wrong is explained."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.graphs.graph import neighbours_by_id
from planetwars_env.text import clean_name
from planetwars_env.view import Move, View

REPLY_FORM = "send 3 -> 7: 12"
"""Example of a move in a reply."""
_LONGEST = 100_000
"""Characters of a reply that are read."""
_MOST = 1_000
"""Moves of a reply that are read."""
_LARGEST = 10**9
_NUMBER = "(-?[0-9]{1,10})"
_SEND = re.compile(
    rf"send\s+{_NUMBER}\s*(?:->|=>|→|to)\s*{_NUMBER}(?:\s*[:,]\s*|\s+){_NUMBER}(?:\s+people)?\s*\.?", re.IGNORECASE
)
_WAIT = re.compile(r"(?:wait|end|end turn|pass)\.?", re.IGNORECASE)
_FENCE = re.compile(r"```[a-z]*\s*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_BULLET = re.compile(r"^[-•>\s]+|^[0-9]{1,3}[.)]\s+")
_EMPHASIS = str.maketrans("", "", "*`")
_FIELDS = ("source", "destination", "people")


class ParsedReply(NamedTuple):
    """Moves of a reply. ``moves``: the legal ones; ``asked``: all that were well formed, of which R8 drops the others.

    ``problems``: one sentence per part that is left out, with what would be right; ``malformed``: parts that are not moves.
    """

    moves: list[Move]
    asked: list[Move]
    problems: list[str]
    malformed: int


def parse_moves(reply: object, view: View, rules: Rules = PLANETWARS) -> ParsedReply:
    """Parse a reply to the text of ``view``: lines such as ``send 3 -> 7: 12``, or JSON such as ``[[3, 7, 12]]``.

    It never raises: parts that are wrong are left out, and ``problems`` says for each what would be right. It uses nothing
    but the view, so a problem tells nothing of what the fog hides.

    >>> import planetwars_env as pw
    >>> view = pw.Game(pw.load_graph("duel")).view(1)
    >>> pw.parse_moves("send 1 -> 2: 1", view).moves
    [Move(source=1, destination=2, people=1)]
    """
    if not isinstance(reply, str):
        return ParsedReply([], [], [f"a reply is a text, not {_quoted(reply)}; to send people: {REPLY_FORM}"], 1)
    asked: list[Move] = []
    problems: list[str] = []
    for part in _parts(reply[:_LONGEST]):
        if isinstance(part, str):
            problems.append(part)
        elif len(asked) < _MOST:
            asked.append(part)
    malformed = len(problems)
    if len(reply) > _LONGEST or len(asked) == _MOST:
        problems.append(f"only the first {_LONGEST:,} characters and {_MOST:,} moves of a reply are read; write fewer")
    faults = list(faults_in(asked, view, rules))
    problems += [
        f"send {one[0]} -> {one[1]}: {one[2]}: {fault}" for one, fault in zip(asked, faults, strict=True) if fault
    ]
    legal = [move for move, fault in zip(asked, faults, strict=True) if not fault]
    return ParsedReply(legal, asked, problems, malformed)


def _parts(reply: str) -> Iterator[Move | str]:
    """Yield each part of a reply: a move, or a sentence on what is not a move. Of fenced blocks only the last one counts."""
    blocks = _FENCE.findall(reply)
    text = blocks[-1] if blocks else reply
    if text.strip().startswith(("[", "{")):
        yield from _parts_of_json(text)
        return
    others = []
    lines = [_BULLET.sub("", line.translate(_EMPHASIS).strip()).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    for line in lines:
        if match := _SEND.fullmatch(line):
            yield _move(*map(int, match.groups()))
        elif line.casefold().startswith("send"):
            yield f"{_quoted(line)} is not a move; write it as {REPLY_FORM}"
        elif not _WAIT.fullmatch(line):
            others.append(line)
    if others:
        ignored = (
            "1 line is not a move and was" if len(others) == 1 else f"{len(others):,} lines are not moves and were"
        )
        yield f"{ignored} passed over: {_quoted(others[0])}; a move is a line of its own: {REPLY_FORM}"
    elif not lines:
        yield f"the reply is empty; to send people: {REPLY_FORM}; to send nobody: wait"


def _parts_of_json(text: str) -> Iterator[Move | str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        yield f"the reply is not JSON ({clean_name(fault)}); write [[3, 7, 12]], or lines such as {REPLY_FORM}"
        return
    if isinstance(value, dict) and "moves" in value:
        value = value["moves"]
    elif isinstance(value, dict) or (isinstance(value, list) and len(value) == 3 and all(map(_is_whole, value))):
        value = [value]
    if not isinstance(value, list):
        yield f"the moves must be a list, not {_quoted(value)}; write [[3, 7, 12]]"
        return
    for one in value[:_MOST]:
        numbers: Any = [one.get(field) for field in _FIELDS] if isinstance(one, dict) else one
        if isinstance(numbers, list) and len(numbers) == 3 and all(map(_is_whole, numbers)):
            yield _move(*numbers)
        else:
            yield f"{_quoted(one)} is not a move; write [3, 7, 12]: source, destination, people, in whole numbers"


def _move(source: int, destination: int, people: int) -> Move | str:
    if max(map(abs, (source, destination, people))) >= _LARGEST:
        return f"{_quoted([source, destination, people])} is not a move; its numbers must be below {_LARGEST:,}"
    return Move(source, destination, people)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def faults_in(moves: Iterable[Move], view: View, rules: Rules) -> Iterator[str]:
    """Yield the fault of each move with what would be right, by what the view shows (R8), empty for a legal one.

    The people of a legal move are gone for those behind it.
    """
    left = {planet.id: view.my_people(planet) for planet in view.planets}
    near = neighbours_by_id(left, view.edges)

    def own() -> str:
        return _listed(id for id, there in left.items() if there)

    for source, destination, people in moves:
        if source not in near:
            yield f"there is no planet {source}; you have people on {own()}"
        elif destination not in near[source]:
            yield f"no edge joins {source} and {destination}; the neighbours of {source} are {_listed(near[source])}"
        elif people < 1:
            yield f"people must be at least 1, not {people}"
        elif rules.coexistence and not view.planet(source).visible:
            yield ""  # from memory: it may come to nothing
        elif not left[source]:
            yield f"nobody of yours is on planet {source}; you have people on {own()}"
        elif people > left[source]:
            yield f"only {left[source]} of your people are left on planet {source}; send at most {left[source]}"
        else:
            left[source] -= people
            yield ""


def _listed(ids: Iterable[int]) -> str:
    planets = sorted(ids)
    more = f" and {len(planets) - 12} more" if len(planets) > 12 else ""
    return ", ".join(map(str, planets[:12])) + more if planets else "none that you see"


def _quoted(value: object) -> str:
    """Return the beginning of a value in quotation marks, in ASCII."""
    return f'"{clean_name(value, 60).encode("ascii", "backslashreplace").decode()}"'
