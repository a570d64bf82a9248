"""Strategies: players of one game, which see a `View` and answer with moves. Every strategy's process imports this module."""

from collections.abc import Sequence
from functools import cached_property
from inspect import Parameter, signature
from typing import Any

from planetwars_env.bots.notes import add_note
from planetwars_env.engine.rules import Rules
from planetwars_env.text import clean_name
from planetwars_env.view import Move, PlanetView, View


class Strategy:
    """Base class of a strategy: one player of one game. Only `take_turn` must be written.

    ``name`` is shown in results, the class's name if it is left out; ``compete`` says whether it enters tournaments.
    An object of any other class that has `take_turn` is as good.

    >>> class Waiter(Strategy):
    ...     def take_turn(self, view):
    ...         return []
    """

    name: str
    compete: bool = True

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def reset(self, graph: Any, player: int, rules: Rules, seed: int) -> None:
        """Called before every game. ``graph``: a `KnownMap`; ``player``: 1 or 2; ``rules.max_turns``: this game's last turn."""

    def take_turn(self, view: View) -> Sequence[Move]:
        """Return the moves of this turn, which are carried out in order; illegal ones are dropped (R8)."""
        raise NotImplementedError(f"{type(self).__name__} has no take_turn(view), which returns the moves of a turn")

    def say(self, text: object) -> None:
        """Write a sentence beside this turn, for pages that show the game and for replays that keep notes."""
        add_note(self, None, text)

    def mark(self, planet: int | PlanetView, text: object = "") -> None:
        """Mark a planet on this turn, by its id, with a few characters of text, where `say` is read too."""
        add_note(self, planet, text)


def player_name(player: Any) -> str:
    """Return its ``name``, else that of its class or function, made harmless.

    ValueError for a name that is not a text, and for a class that cannot be made without arguments, as every game does it.
    """
    if isinstance(player, type) and (needed := required_parameters(player)):
        what = f"{player.__name__}() needs the argument {', '.join(needed)}"
        raise ValueError(f"{what}, but every game makes its player without arguments: give it a default value")
    default = getattr(player, "__name__", None) or type(player).__name__
    name = _stated(player, "name", default)
    if not isinstance(name, str):
        raise ValueError(f"the name of {default} must be a text, not {name!r:.100}")
    return clean_name(name.strip() or default)


def player_competes(player: Any) -> bool:
    """Return whether it enters tournaments: True where it does not say. ValueError for anything but True and False."""
    answer = _stated(player, "compete", True)
    if not isinstance(answer, bool):
        name = getattr(player, "__name__", type(player).__name__)
        raise ValueError(f"compete of {name} must be True or False, not {answer!r:.100}")
    return answer


def required_parameters(function: Any) -> list[str]:
    """Return the names of the parameters without which a function or class cannot be called; [] where it does not tell."""
    optional = Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in parameters if one.default is Parameter.empty and one.kind not in optional]


def _stated(player: Any, key: str, default: Any) -> Any:
    value = getattr(player, key, default)
    if isinstance(player, type) and (callable(value) or isinstance(value, property | cached_property)):
        value = getattr(player(), key)  # methods and properties are an instance's to answer
    return value() if callable(value) else value
