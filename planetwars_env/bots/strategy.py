"""What plays: strategies, which see a `View` and answer with moves, and policies for many games at once."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from planetwars_env.bots.calls import make_scratch, play_bot
from planetwars_env.bots.chart import Chart
from planetwars_env.bots.stated import stated_name
from planetwars_env.codec.checks import checked_actions
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.calls import list_launched, place, put_in_flight
from planetwars_env.engine.random import seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import NO_LIMIT, TURN, Array, allocate
from planetwars_env.graphs.board import directed_edges, longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move, View


@runtime_checkable
class Strategy(Protocol):
    """One player of one game. ``name`` is shown in results; ``compete`` says whether it enters tournaments.

    ``reset(graph, player, rules, seed)`` is called before every game, where the class has it; ``graph`` is a `Chart`,
    ``rules.max_turns`` the last turn of this game.
    """

    name: str
    compete: bool

    def take_turn(self, view: View) -> Sequence[Move]:
        """The moves of this turn, carried out in order; illegal ones are dropped (R8)."""
        ...


@runtime_checkable
class BatchPolicy(Protocol):
    """One player of many games at once: NumPy in, NumPy out, one call for all that wait for it.

    ``limits``, ``fractions`` and ``max_orders`` (0: an action is a whole turn) say what it is shown and how its actions
    are read; they need not be those of the environment it plays in.
    """

    name: str
    compete: bool
    limits: Limits
    fractions: Sequence[float]
    max_orders: int

    def act(self, observation: dict[str, Array]) -> Array:
        """The actions [n, P], or [n] orders, for ``observation``: the "tensors" of n games, masks included."""
        ...


def policy_actions(policy: BatchPolicy, observation: dict[str, Array], shape: tuple[int, ...], choices: int) -> Array:
    """The answer of a policy to ``observation``, an array of ``shape`` with ``choices`` in each slot; ValueError naming it."""
    return checked_actions(policy.act(observation), shape, f"the actions of policy {stated_name(policy)!r}", choices)


def begin_game(strategy: Strategy, graph: Graph, player: int, rules: Rules, seed: int) -> None:
    """Call the strategy's ``reset``, where it has one. What R9 hides of the graph only a built-in bot is handed."""
    reset = getattr(strategy, "reset", None)
    if reset is not None:
        reset(graph if isinstance(strategy, CompiledBot) else Chart.of(graph), player, rules, seed)


class CompiledBot:
    """A built-in bot as a strategy. It plays on a board of its own that holds what the view shows and nothing else."""

    compete = True

    def __init__(self, name: str, code: int) -> None:
        self.name = name
        self._code = code

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
        self._state.clock[0, TURN] = view.turn
        for p, planet in enumerate(view.planets):
            if planet.people is not None:
                self._state.people[0, :, p] = planet.people
        slots = self._state.flights.shape[1]
        for shuttle in view.shuttles:
            edge = self._numbers[shuttle.source, shuttle.destination]
            slot, player = (view.turn + shuttle.turns) % slots, shuttle.player - 1
            put_in_flight(self._state, self._board, 0, player, edge, slot, shuttle.people)
