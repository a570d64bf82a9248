"""Messages from the play page on a game at the server: JSON objects whose ``do`` names the action; others are refused."""

import json
from typing import Any

MESSAGES: dict[str, dict[str, Any]] = {
    "play": {"turn": int, "moves": list},  # the turn of a person
    "give up": {},
    "take back": {},  # the last own turn, and what followed
    "pause": {"on": bool},
    "step": {},
    "speed": {"turns": int},
    "console": {"on": bool},  # show what strategies tell while a person plays them
    "whole": {},  # everything of a game that no person plays any more
    "replay": {"notes": bool},
    "leave": {},  # the page plays another game
}
"""The actions and the arguments of each, besides ``id``, a number for the answer; ``turn``: that the page showed."""
LARGEST = 65_536
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
    parts = {"id": int, **MESSAGES[message["do"]]}
    if message.keys() != {"do", *parts}:
        raise MessageError(f"'{message['do']}' goes with {', '.join(parts)}")
    for name, kind in parts.items():
        if not _is(message[name], kind):
            raise MessageError(f"{name} of '{message['do']}' is of the wrong kind, or too large")
    if not all(are(move, 3, int) for move in message.get("moves", [])):
        raise MessageError("a move must be 3 whole numbers")
    return message


def within(value: int, least: int, most: int, name: str) -> int:
    """Return the number if it lies between ``least`` and ``most``; MessageError if not."""
    if not least <= value <= most:
        raise MessageError(f"{name} must be from {least} to {most}, not {value}")
    return value


def are(values: Any, length: int, kind: Any) -> bool:
    """Return whether this is a list of so many values of a type."""
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
