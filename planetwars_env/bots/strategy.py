"""Strategies: players of one game, which see a `View` and answer with moves. Every strategy's process imports this module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planetwars_env.bots.notes import add_note
from planetwars_env.engine.rules import Rules
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
