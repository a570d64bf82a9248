"""One match for people, bots, search and tests: the engine's batch, one game wide, behind ids and plain values."""

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from planetwars_env.codec.derived import OBSERVATION_FORMS, in_form
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, Limits
from planetwars_env.codec.one_game import OneGameCodec, one_game_codec
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import count, end_turn, list_launched, look, place, put_in_flight, send
from planetwars_env.engine.rules import MAX_TURNS, PLANETWARS, Rules, checked_max_turns, owner_of, player_on
from planetwars_env.engine.state import Board, State, allocate
from planetwars_env.graphs.board import longest_flight, most_people, pack, people_type
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move, Shuttle, View, make_view

CUT_OFF_TURNS = 500
"""Turn at which a game of battles is cut off where nobody says otherwise, per turn that a unit of weight takes."""
EdgeNumbers = Mapping[tuple[int, int], int]
"""The number of the directed edge between two ids."""


def turn_limit(rules: Rules, max_turns: int | None = None) -> int:
    """The last turn of a game; None: the rules' own, or where a game of battles is cut off. ValueError for another value."""
    if max_turns is None:
        return rules.max_turns or CUT_OFF_TURNS * rules.turns_per_weight
    return checked_max_turns(max_turns)


class Game:
    """A game on ``graph`` that stands in turn 1: time has passed once, player 1 is to move (R3).

    ``max_turns``: the last turn, None for the preset's own limit (100 in SpaceExplorers, else none). Battle games are cut
    off there without a winner, SpaceExplorers counts the people (R10). ValueError where it is below 1.
    """

    def __init__(self, graph: Graph, rules: Rules = PLANETWARS, max_turns: int | None = None) -> None:
        limit = rules.max_turns if max_turns is None else checked_max_turns(max_turns)
        board = pack([graph], rules)
        self._adopt(graph, rules, board, allocate(1, board, longest_flight(board), people_type(board)))
        place(self._state, self._board, 0, 0, int(rules.coexistence), limit or columns.NO_LIMIT)
        end_turn(self._state, self._board, 0)

    @classmethod
    def over_arrays(cls, graph: Graph, rules: Rules, board: Board, state: State) -> "Game":
        """A game over arrays that stand already, one game wide: what is done to one is done to the other."""
        game = object.__new__(cls)
        game._adopt(graph, rules, board, state)
        return game

    def _adopt(self, graph: Graph, rules: Rules, board: Board, state: State) -> None:
        self.graph = graph
        self.rules = rules
        self._board = board
        self._state = state
        self._fitting: set[Limits] = set()
        self.edge_numbers = graph.edge_numbers

    @property
    def arrays(self) -> tuple[Board, State]:
        """The packed graph and the state, one game wide, as compiled code takes them; changing them changes the game."""
        return self._board, self._state

    def __repr__(self) -> str:
        open_game = "drawn" if self.over else f"player {self.player} to move"
        state = f"won by player {self.winner}" if self.winner else open_game
        return f"Game({self.rules.name} on {self.graph.name or 'an unnamed graph'}, turn {self.turn}, {state})"

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return int(self._state.status[0, columns.TURN])

    @property
    def player(self) -> int:
        """The player to move: 1 on odd turns, 2 on even ones."""
        return 1 + player_on(self.turn)

    @property
    def over(self) -> bool:
        """Whether the game has ended, by the rules or by its limit."""
        return bool(self._state.status[0, columns.PHASE] != columns.RUNNING)

    @property
    def cut_off(self) -> bool:
        """Whether a turn limit, not the rules, ended the game."""
        return bool(self._state.status[0, columns.PHASE] == columns.CUT_OFF)

    @property
    def winner(self) -> int:
        """1 or 2; 0 for a draw, and while the game goes on."""
        return int(self._state.status[0, columns.WINNER])

    @property
    def max_turns(self) -> int | None:
        """The last turn, None where there is no limit."""
        limit = int(self._state.status[0, columns.LIMIT])
        return None if limit == columns.NO_LIMIT else limit

    def people(self) -> list[tuple[int, int]]:
        """The true state: people of player 1 and of player 2 on every planet, in the order of ``graph.planets``."""
        return [(int(first), int(second)) for first, second in self._state.people[0, :, : len(self.graph.planets)].T]

    def shuttles(self) -> tuple[Shuttle, ...]:
        """The true state: everything in flight, sorted."""
        ids = [planet.id for planet in self.graph.planets]
        flights, edges = self._state.flights[0], self._board.edges[self._state.status[0, columns.BOARD]]
        shuttles = []
        for slot, e in np.argwhere(flights):
            source, target, flight = (int(value) for value in edges[:3, e])
            to_go = (int(slot) - self.turn - 1) % len(flights) + 1
            player = 1 + player_on(self.turn + to_go - flight)
            shuttles.append(Shuttle(ids[source], ids[target], player, int(flights[slot, e]), to_go))
        return tuple(sorted(shuttles))

    def view(self, player: int) -> View:
        """Return the view of ``player`` (1 or 2) at this moment (R9)."""
        if player not in (1, 2):
            raise ValueError(f"player must be 1 or 2, not {player!r}")
        visible = self._look(player)
        return make_view(self.graph, self.turn, player, visible, self._state.people[0], self.shuttles())

    def submit(self, moves: Iterable[Move]) -> list[bool]:
        """Carry out moves of the player to move, in order, now (R8); True for each that was legal, the others are dropped.

        RuntimeError when the game is over; TypeError, and nothing is carried out, where a move is not three whole numbers.
        """
        if self.over:
            raise RuntimeError(f"the game is over since turn {self.turn}; no move can be submitted")
        accepted, most = [], np.iinfo(self._state.people.dtype).max
        for source, destination, people in [whole_move(move) for move in moves]:
            edge = self.edge_numbers.get((source, destination), -1)
            possible = edge >= 0 and 1 <= people <= most
            accepted.append(possible and bool(send(self._state, self._board, 0, self.player - 1, edge, people)))
        return accepted

    def advance(self) -> None:
        """End the turn: time passes, and the other player is to move, or the game is over. RuntimeError when it was over."""
        if self.over:
            raise RuntimeError(f"the game is over since turn {self.turn}; it cannot go on")
        end_turn(self._state, self._board, 0)

    def play(self, moves: Iterable[Move]) -> list[bool]:
        """`submit` and `advance`: one whole turn."""
        accepted = self.submit(moves)
        self.advance()
        return accepted

    def observe(
        self,
        player: int | None = None,
        *,
        limits: Limits = CLASSIC,
        fractions: Sequence[float] = FRACTIONS,
        actions: str = "turn",
        observation: str = "tensors",
        max_orders: int = 8,
        sends: int = 1,
        orders: int = 0,
    ) -> tuple[Any, Any]:
        """The observation and the flat action mask [A] int8 of ``player`` (None: whoever is to move), as environments have them.

        The arguments are those of the environments (`EnvArguments`); ``orders``: given so far this turn. For a player who is
        not to move only waiting is legal. ValueError for a wrong argument, also where the graph exceeds ``limits``.

        >>> import planetwars_env as pw
        >>> game = pw.Game(pw.load_graph("rings"), max_turns=500)
        >>> observation, mask = game.observe()
        >>> game.decode(game.encode([pw.Move(1, 2, 1)]))
        [Move(source=1, destination=2, people=1)]
        """
        if player not in (None, 1, 2):
            raise ValueError(f"player must be 1 or 2, not {player!r}")
        if observation not in OBSERVATION_FORMS:
            raise ValueError(f"unknown observation {observation!r}: choose one of {', '.join(OBSERVATION_FORMS)}")
        codec = self._codec(limits, fractions, actions, max_orders, sends)
        player = self.player if player is None else player
        row, edges, mask = codec.observe(self._state, self._board, player - 1, orders)
        if player != self.player:
            mask = codec.only_waiting()
        return in_form(observation, limits, self.rules, row, edges, mask), mask

    def decode(
        self,
        action: Any,
        *,
        limits: Limits = CLASSIC,
        fractions: Sequence[float] = FRACTIONS,
        actions: str = "turn",
        sends: int = 1,
    ) -> list[Move]:
        """The legal moves that ``action`` of the player to move stands for. ValueError for another shape or type."""
        people = self._codec(limits, fractions, actions, sends=sends).decode(self._state, self._board, action)
        return _moves(people, self.edge_numbers)

    def encode(
        self,
        moves: Iterable[Move],
        *,
        limits: Limits = CLASSIC,
        fractions: Sequence[float] = FRACTIONS,
        actions: str = "turn",
        sends: int = 1,
    ) -> Any:
        """The action [sends * P] of ``moves`` of the player to move, or one order (int); the inverse of `decode`.

        Each move becomes the fraction that sends nearest to its number of people. ValueError for what no action says: an
        illegal move, more than ``sends`` moves from one planet, and with actions="order" two moves.
        """
        orders = []
        for source, destination, people in map(whole_move, moves):
            if (edge := self.edge_numbers.get((source, destination))) is None:
                raise ValueError(f"no edge joins the planets of the move {(source, destination, people)}")
            orders.append((edge, people, str((source, destination, people))))
        return self._codec(limits, fractions, actions, sends=sends).encode(self._state, self._board, orders)

    def copy(self) -> "Game":
        """An independent copy, for search."""
        twin = object.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin._state = State(*(array.copy() for array in self._state))
        return twin

    def to_dict(self) -> dict[str, Any]:
        """The true state in a form for JSON; `from_dict` is the inverse.

        ``visible``: ids that the player to move sees; ``planets``: [id, owner, people of player 1, of player 2];
        ``shuttles``: [source, destination, player, people, turns to go].
        """
        visible = self._look(self.player)
        return {
            "turn": self.turn,
            "player": self.player,
            "over": self.over,
            "winner": self.winner,
            "visible": [planet.id for planet, seen in zip(self.graph.planets, visible, strict=True) if seen],
            "planets": [
                [planet.id, owner_of(first, second), first, second]
                for planet, (first, second) in zip(self.graph.planets, self.people(), strict=True)
            ],
            "shuttles": [list(shuttle) for shuttle in self.shuttles()],
        }

    @classmethod
    def from_dict(
        cls, graph: Graph, state: Mapping[str, Any], rules: Rules = PLANETWARS, max_turns: int | None = None
    ) -> "Game":
        """The game of a `to_dict`; owners, the player and the visible ids follow from the rest and are not read.

        ValueError naming the planet or shuttle that cannot be: unknown, negative, above what a graph can hold, two
        players on a planet of a battle game, a shuttle with more turns to go than its edge takes, or one whose player
        was not to move on the turn it must have been launched.
        """
        game = cls(graph, rules, max_turns)
        try:
            people, arrivals, flights, totals, status = (array[0] for array in game._state[:5])
            for array in (people, arrivals, flights, totals):
                array[:] = 0
            most, limit = most_people(game._board), int(status[columns.LIMIT])
            last = MAX_TURNS if limit == columns.NO_LIMIT else limit
            turn = status[columns.TURN] = _number(state["turn"], "turn", 1, last)
            status[columns.WINNER] = _number(state["winner"], "winner", 0, 2)
            for planet, _owner, first, second in state["planets"]:
                if planet not in graph.index:
                    raise ValueError(f"planet {planet} is not on this graph")
                column = people[:, graph.index[planet]]
                column[:] = [_number(one, f"the people on planet {planet}", 0, most) for one in (first, second)]
                if column.all() and not rules.coexistence:
                    both = f"people of both players ({first}, {second})"
                    raise ValueError(f"planet {planet} holds {both}, which {rules.name} has not")
            for shuttle in (Shuttle(*values) for values in state["shuttles"]):
                edge, name = game.edge_numbers.get((shuttle.source, shuttle.destination)), f"shuttle {tuple(shuttle)}"
                if edge is None:
                    raise ValueError(f"no edge for {name}")
                flight = int(game._board.edges[status[columns.BOARD], columns.TURNS, edge])
                to_go = _number(shuttle.turns, f"the turns to go of {name}", 1, flight)
                if shuttle.player != 1 + player_on(turn + to_go - flight):
                    raise ValueError(f"{name} would have been launched on the other player's turn")
                there = int(flights[(turn + to_go) % len(flights), edge])
                people_in_it = _number(shuttle.people, f"the people of {name}", 1, most)
                _number(there + people_in_it, "the people of shuttles that are one", 1, most)
                _put_in_flight(shuttle, game._board, game._state, game.edge_numbers)
            _number(int(people.sum()) + int(flights.sum()), "the number of all people", 0, most)
            count(game._state, 0, len(graph.planets))
            status[columns.PHASE] = columns.RUNNING
            if state["over"]:
                alive = (status[columns.OWNED_1 :] > 0) | (totals[columns.FLYING_1 :] > 0)
                undecided = alive.all() and not status[columns.WINNER] and not rules.coexistence
                status[columns.PHASE] = columns.CUT_OFF if undecided else columns.ENDED
        except (TypeError, LookupError, OverflowError) as fault:
            raise ValueError(f"this is not a position of a game as to_dict gives it ({fault!r})") from fault
        return game

    def launched(self) -> list[Move]:
        """The moves of this turn so far, as the true state shows them: one for each directed edge that was used."""
        return launched_moves(self._board, self._state, 0, self.edge_numbers)

    def _codec(
        self, limits: Limits, fractions: Sequence[float], actions: str, max_orders: int = 1, sends: int = 1
    ) -> OneGameCodec:
        codec = one_game_codec(limits, tuple(fractions), actions, max_orders, sends)
        if limits not in self._fitting:
            limits.check([self.graph])
            self._fitting.add(limits)
        return codec

    def _look(self, player: int) -> Any:
        visible = np.zeros(self._board.planets.shape[2], np.int8)
        look(self._state, self._board, 0, player - 1, visible)
        return visible[: len(self.graph.planets)]


def launched_moves(board: Board, state: State, g: int, edges: EdgeNumbers) -> list[Move]:
    """The moves of this turn so far in row ``g`` of ``state``: one for each directed edge that was used."""
    people = np.zeros(len(edges), np.int64)
    list_launched(state, board, g, people)
    return _moves(people, edges)


def _moves(people: Any, edges: EdgeNumbers) -> list[Move]:
    """One move for each directed edge along which ``people`` [E] are sent."""
    ends = list(edges)
    return [Move(*ends[e], int(people[e])) for e in np.flatnonzero(people)]


def whole_move(move: Any) -> Move:
    """The move in plain whole numbers; TypeError where it is not three of them."""
    try:
        return Move(*(operator.index(number) for number in move))
    except TypeError:
        raise TypeError(f"a move is (source, destination, people) in whole numbers, not {move!r}") from None


def write_view(view: View, board: Board, state: State, edges: EdgeNumbers) -> None:
    """Make ``state``, one game wide, the position of ``view``; what the fog hides is empty."""
    for array in state[:4]:
        array[:] = 0
    state.status[0, columns.TURN] = view.turn
    for p, planet in enumerate(view.planets):
        if planet.people is not None:
            state.people[0, :, p] = planet.people
    for shuttle in view.shuttles:
        _put_in_flight(shuttle, board, state, edges)


def _put_in_flight(shuttle: Shuttle, board: Board, state: State, edges: EdgeNumbers) -> None:
    slot = (int(state.status[0, columns.TURN]) + shuttle.turns) % state.flights.shape[1]
    edge = edges[shuttle.source, shuttle.destination]
    put_in_flight(state, board, 0, shuttle.player - 1, edge, slot, shuttle.people)


def _number(value: Any, name: str, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must lie between {least} and {most}, not {number}")
    return number
