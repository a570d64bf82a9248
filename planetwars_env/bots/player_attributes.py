"""Attributes that a player states about itself, ``name`` and ``compete``, read in one place.

Either may be a value, a property or a method, of a class, an instance or a function that makes instances.
"""

from functools import cached_property
from typing import Any

from planetwars_env.text import clean_name


def player_name(player: Any) -> str:
    """Return its ``name``, else that of its class or function, made harmless. ValueError for a name that is no text."""
    default = getattr(player, "__name__", None) or type(player).__name__
    found = _stated(player, "name", default)
    if not isinstance(found, str):
        raise ValueError(f"the name of {_label(player)} must be a text, not {found!r:.100}")
    return clean_name(found.strip() or default)


def player_competes(player: Any) -> bool:
    """Return whether it enters tournaments: True where it does not say. ValueError for anything but True and False."""
    found = _stated(player, "compete", True)
    if not isinstance(found, bool):
        raise ValueError(f"compete of {_label(player)} must be True or False, not {found!r:.100}")
    return found


def _stated(player: Any, key: str, default: Any) -> Any:
    found = getattr(player, key, default)
    if isinstance(player, type) and (callable(found) or isinstance(found, property | cached_property)):
        found = getattr(player(), key)  # methods and properties are an instance's to answer
    return found() if callable(found) else found


def _label(player: Any) -> str:
    return player.__name__ if isinstance(player, type) else type(player).__name__
