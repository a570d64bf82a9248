"""Lookup of names that users type: without regard to case, and the closest name for a suggestion."""

from collections.abc import Iterable
from difflib import get_close_matches


def known_name(name: str, known: Iterable[str]) -> str | None:
    """Return the entry of ``known`` that equals ``name``, or else the only one that differs in case only."""
    names = list(known)
    if name in names:
        return name
    folded = [entry for entry in names if entry.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 else None


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return "; did you mean '...'?" with the entry of ``known`` closest to a misspelt ``name``, or "" if none is close."""
    folded = {entry.casefold(): entry for entry in known}
    close = get_close_matches(name.casefold(), folded, n=1) if isinstance(name, str) else []
    return f"; did you mean {folded[close[0]]!r}?" if close else ""


def chosen_name(name: str, known: Iterable[str], problem: str) -> str:
    """Return `known_name`; where there is none, ValueError with the ``problem``, all names and the closest one."""
    names = list(known)
    found = known_name(name, names)
    if found is None:
        raise ValueError(f"{problem} {name!r}: choose one of {', '.join(names)}{suggestion(name, names)}")
    return found
