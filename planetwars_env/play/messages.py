"""What the page may say: JSON objects whose ``do`` names what to do. Everything else is refused here."""

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
    },
    "order": {**_TURN, "move": list},
    "undo": _TURN,
    "end": _TURN,
    "ready": _TURN,  # the curtain may rise
    "give up": {},
    "pause": {"on": bool},
    "step": {},
    "speed": {"turns": int},
    "fog": {"viewer": int},
}
"""What may be done, and what has to be said with it; ``turn`` is the turn that the page showed."""
LARGEST = 16_384
"""Bytes of a message."""
_FARTHEST = 2**53
"""What a page can count to."""
_LONGEST = 1_000


class MessageError(ValueError):
    """A message that is none, with what is wrong."""


def read_message(text: str) -> dict[str, Any]:
    """The message; MessageError for everything that the page would not say."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("this is no JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("do"), str) or message["do"] not in MESSAGES:
        raise MessageError(f"a message is an object whose 'do' is one of {', '.join(MESSAGES)}")
    parts = MESSAGES[message["do"]]
    if message.keys() != {"do", *parts}:
        raise MessageError(f"'{message['do']}' goes with {', '.join(parts) or 'nothing else'}")
    for name, kind in parts.items():
        if not _is(message[name], kind):
            raise MessageError(f"{name} of '{message['do']}' is of the wrong kind, or too large")
    return _with_contents(message)


def _with_contents(message: dict[str, Any]) -> dict[str, Any]:
    """Lists hold what they should: a move three numbers, players two names."""
    for name, length, kind in (("move", 3, int), ("players", 2, str)):
        values = message.get(name)
        if values is not None and not (len(values) == length and all(_is(value, kind) for value in values)):
            raise MessageError(f"{name} must be {length} {'whole numbers' if kind is int else 'names'}")
    return message


def _is(value: Any, kind: Any) -> bool:
    """Numbers and names of some size are none: no page has them."""
    if isinstance(value, bool):
        return kind is bool
    if isinstance(value, int) and not -_FARTHEST < value < _FARTHEST:
        return False
    if isinstance(value, str) and len(value) > _LONGEST:
        return False
    return isinstance(value, kind)
