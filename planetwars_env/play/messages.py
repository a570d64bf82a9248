"""Messages from the play page: JSON objects whose ``do`` names the action. Everything else is refused."""

import json
from typing import Any

_TURN = {"turn": int}
MESSAGES: dict[str, dict[str, Any]] = {
    "new": {
        "players": list,
        "graph": str,
        "rules": str,
        "seed": int | None,
        "max_turns": int | None,
        "start": int | None,  # a turn of the game before, which is played on from there
    },
    "order": {**_TURN, "moves": list},
    "keep sending": {**_TURN, "moves": list},  # on every turn; the people in percent of those who are there
    "stop sending": {**_TURN, "order": int},  # by its place among the standing orders
    "undo": {**_TURN, "order": int},  # by its place on this turn; -1: the last one
    "end": _TURN,
    "ready": _TURN,  # the next player has taken over
    "give up": {},
    "take back": {},  # the last own turn, and what followed
    "hint": {**_TURN, "by": str},  # what this player would do
    "pause": {"on": bool},
    "step": {},
    "speed": {"turns": int},
    "viewer": {"viewer": int},
    "aim": {**_TURN, "move": list},  # at a destination: what a move will lead to
    "look": {"at": int},  # at an earlier turn
    "console": {"on": bool},  # show what strategies tell while a person plays them
}
"""The actions and the arguments of each; ``turn`` is the turn that the page showed."""
LARGEST = 16_384
"""Bytes of a message."""
_FARTHEST = 2**53
"""Largest whole number that JavaScript represents exactly."""
_LONGEST = 1_000


class MessageError(ValueError):
    """An invalid message; the text says what is wrong."""


def read_message(text: str) -> dict[str, Any]:
    """Return the message; MessageError for everything that the page never sends."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("the message is not JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("do"), str) or message["do"] not in MESSAGES:
        raise MessageError(f"a message is an object whose 'do' is one of {', '.join(MESSAGES)}")
    parts = MESSAGES[message["do"]]
    if message.keys() != {"do", *parts}:
        raise MessageError(f"'{message['do']}' goes with {', '.join(parts) or 'nothing else'}")
    for name, kind in parts.items():
        if not _is(message[name], kind):
            raise MessageError(f"{name} of '{message['do']}' is of the wrong kind, or too large")
    return _with_contents(message)


def within(value: int, least: int, most: int, name: str) -> int:
    """Return the number if it lies between ``least`` and ``most``; MessageError if not."""
    if not least <= value <= most:
        raise MessageError(f"{name} must be from {least} to {most}, not {value}")
    return value


def _with_contents(message: dict[str, Any]) -> dict[str, Any]:
    """Return the message if its lists are valid: a move has three numbers, players are two names."""
    moves = message.get("moves", [message["move"]] if "move" in message else [])
    if not all(_are(move, 3, int) for move in moves):
        raise MessageError("a move must be 3 whole numbers")
    if "players" in message and not _are(message["players"], 2, str):
        raise MessageError("players must be 2 names")
    return message


def _are(values: Any, length: int, kind: Any) -> bool:
    return isinstance(values, list) and len(values) == length and all(_is(value, kind) for value in values)


def _is(value: Any, kind: Any) -> bool:
    """Whether a value has this type and a size that a page can send."""
    if isinstance(value, bool):
        return kind is bool
    if isinstance(value, int) and not -_FARTHEST < value < _FARTHEST:
        return False
    if isinstance(value, str) and len(value) > _LONGEST:
        return False
    return isinstance(value, kind)
