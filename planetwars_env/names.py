"""Names that people type: found whatever their case, or close to one that there is."""

from collections.abc import Iterable
from difflib import get_close_matches


def known_name(name: str, known: Iterable[str]) -> str | None:
    """Return the entry of ``known`` that ``name`` stands for: the same text, else the only one but for its case."""
    names = list(known)
    if name in names:
        return name
    folded = [one for one in names if one.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 else None


def close_name(name: str, known: Iterable[str]) -> str | None:
    """Return the entry of ``known`` that a misspelt ``name`` is closest to; None where none is close."""
    folded = {one.casefold(): one for one in known}
    close = get_close_matches(name.casefold(), folded, n=1)
    return folded[close[0]] if close else None
