"""Strategies: players of one game, which see a `View` and answer with moves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.bots.known_map import KnownMap
from planetwars_env.bots.notes import add_note
from planetwars_env.engine.columns import NO_LIMIT, TURN
from planetwars_env.engine.entry_points import list_launched, place, put_in_flight
from planetwars_env.engine.random import seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import allocate
from planetwars_env.graphs.board import directed_edges, longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph
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


def begin_game(strategy: Strategy, graph: Graph, player: int, rules: Rules, seed: int) -> None:
    """Call the strategy's ``reset``, where it has one. What R9 hides of the graph only a built-in bot is handed."""
    reset = getattr(strategy, "reset", None)
    if reset is not None:
        reset(graph if isinstance(strategy, CompiledBot) else KnownMap.of(graph), player, rules, seed)


class CompiledBot(Strategy):
    """A built-in bot as a strategy. It plays on a board of its own that holds what the view shows and nothing else."""

    compete = True

    def __init__(self, name: str, code: int) -> None:
        self.name = name
        self._code = code

    def __repr__(self) -> str:
        return f"CompiledBot({self.name})"

    def reset(self, graph: Graph, player: int, rules: Rules, seed: int) -> None:
        """Learn the graph and the rules; ``seed`` starts the bot's own generator."""
        self._graph, self._player, self._rules = graph, player - 1, rules
        self._board = pack([graph], rules)
        self._edges = directed_edges(graph)
        self._state = allocate(1, self._board, longest_flight(self._board), people_type(self._board))
        self._state.random[:] = seeded(seed, 1)
        self._scratch = make_scratch(self._board, self._state.people.dtype)
        self._numbers = {
            (graph.planets[source].id, graph.planets[target].id): e for e, (source, target, _) in enumerate(self._edges)
        }

    def take_turn(self, view: View) -> list[Move]:
        """The bot's moves."""
        self._recall(view)
        play_bot(self._state, self._board, 0, self._player, self._code, self._scratch)
        launched, planets = np.zeros(len(self._edges), np.int64), self._graph.planets
        list_launched(self._state, self._board, 0, launched)
        return [
            Move(planets[self._edges[e][0]].id, planets[self._edges[e][1]].id, int(launched[e]))
            for e in np.flatnonzero(launched)
        ]

    def _recall(self, view: View) -> None:
        """Put the position of the view on the bot's own board; hidden planets stay empty."""
        generator = self._state.random.copy()
        place(self._state, self._board, 0, 0, int(self._rules.coexistence), self._rules.max_turns or NO_LIMIT)
        self._state.random[:] = generator
        self._state.people[:] = 0
        self._state.status[0, TURN] = view.turn
        for p, planet in enumerate(view.planets):
            if planet.people is not None:
                self._state.people[0, :, p] = planet.people
        slots = self._state.flights.shape[1]
        for shuttle in view.shuttles:
            edge = self._numbers[shuttle.source, shuttle.destination]
            slot, player = (view.turn + shuttle.turns) % slots, shuttle.player - 1
            put_in_flight(self._state, self._board, 0, player, edge, slot, shuttle.people)
