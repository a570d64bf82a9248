"""N games side by side with their agents and opponents: the arrays, their threads, and the strategies outside the kernel."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from planetwars_env.bots.bot_codes import EXTERNAL
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.codec.checks import checked_row
from planetwars_env.codec.entry_points import write_observations
from planetwars_env.engine.columns import BOARD, LIMIT, TURN
from planetwars_env.engine.entry_points import copy_game
from planetwars_env.engine.kernel import compiled_for
from planetwars_env.engine.random import seeded
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.game import Game
from planetwars_env.graphs.board import board_pool, longest_flight, people_type
from planetwars_env.sim import fields
from planetwars_env.sim.buffers import Observations, allocate_buffers
from planetwars_env.sim.external_opponents import ExternalOpponents
from planetwars_env.sim.result import StepResult
from planetwars_env.sim.setup import BatchSetup
from planetwars_env.sim.step import RESET_GAMES, RESUME_GAMES, STEP_GAMES, run


class Batch:
    """``games`` games. Reads and writes its arrays in place; ``buffers`` holds what agents see (shapes: sim/buffers.py).

    ``threads``: slices of the batch that run side by side. ValueError for graphs beyond the limits.
    """

    def __init__(self, games: int, setup: BatchSetup, threads: int = 1) -> None:
        setup.limits.check(setup.graphs)
        self.setup = setup
        self._boards = board_pool(setup.graphs, setup.rules)
        self.codec = setup.codec.arrays
        self.state = self._boards.allocate(games)
        self.buffers = allocate_buffers(games, setup.limits, setup.privileged)
        self.result = StepResult(self.buffers.result)
        self.actions = np.zeros((games, setup.codec.slots), np.int64)
        if threads < 1:
            raise ValueError(f"num_threads must be at least 1, not {threads}")
        bounds = np.linspace(0, games, min(threads, games) + 1).astype(int).tolist()
        self._slices = list(pairwise(bounds))
        self._scratch = [make_scratch(self.board, self.state.people.dtype) for _ in self._slices]
        self.opponent_weights = DrawWeights(games, len(setup.opponents))
        self.graph_weights = DrawWeights(games, len(setup.graphs))
        self._tables = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._calls = self._make_calls()
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._external = ExternalOpponents()

    @property
    def games(self) -> int:
        """The number of games."""
        return self.buffers.control.shape[0]

    @property
    def board(self) -> Board:
        """The boards of the setup's graphs; those that no game has needed yet may be empty."""
        return self._boards.board

    @property
    def graph_names(self) -> Sequence[str]:
        """The names of the setup's graphs."""
        return self._boards.names

    @property
    def current(self) -> Observations:
        """Current observations of the agents, with masks (`show_masks`)."""
        return self._observations(fields.CURRENT)

    @property
    def final(self) -> Observations:
        """Observations at the end of a game, for games that began anew in the same step, with masks."""
        return self._observations(fields.FINAL)

    def observation(self, final: bool = False, fog: bool = True) -> Array:
        """[N, L] float32: the current observations alone, or the ``final`` ones; without fog if the setup is privileged."""
        return self.buffers.observation[(fields.FINAL if final else 0) + (0 if fog else fields.CURRENT_STATE)]

    @property
    def players(self) -> Array:
        """[N] int32: 0 where the agent is player 1, 1 where it is player 2."""
        return self.buffers.control[:, fields.AGENT_PLAYER]

    @property
    def opponents(self) -> Array:
        """[N] int32: the place of each game's opponent in the setup's list."""
        return self.buffers.control[:, fields.OPPONENT_INDEX]

    @property
    def orders(self) -> Array:
        """[N] int32: orders that the agent has given this turn."""
        return self.buffers.control[:, fields.ORDERS]

    @property
    def fresh(self) -> Array:
        """[N] bool: the agent has not yet acted in this game."""
        return self.buffers.control[:, fields.FRESH] > 0

    def show_masks(self) -> None:
        """Write the masks now, and from now on in every step, which takes 1.1 to 1.2 times as long then."""
        mask, codec = self.buffers.mask, self.setup.codec
        if mask.shape[2]:
            return
        self.buffers = self.buffers._replace(mask=np.zeros((*mask.shape[:2], codec.mask_width), np.int8))
        self._calls = self._make_calls()
        spare = [np.zeros_like(array[0, :1]) for array in self.buffers[2:4]]
        for g in np.flatnonzero(self.state.status[:, TURN]):  # games that have begun
            game, player = np.array([g]), self.players[[g]]
            rows = [*spare, self.buffers.mask[fields.CURRENT, g : g + 1]]
            write_observations(self.state, self.board, self.codec, game, player, 0, self._scratch[0], *rows)
            self.buffers.mask[fields.FINAL, g] = codec.only_waiting()

    def set_next(self, rows: Array, graphs: Array, opponents: Array) -> None:
        """Decide the next games of ``rows`` [n]: ``graphs`` and ``opponents`` [n] by their places."""
        self.buffers.control[rows, fields.NEXT_BOARD] = graphs
        self.buffers.control[rows, fields.NEXT_OPPONENT] = opponents

    def seed(self, seed: int) -> None:
        """Row i gets the generator of seed + i."""
        self.state.random[:] = seeded(seed, self.games)

    def seed_rows(self, seeds: Sequence[int | None]) -> None:
        """Row i gets the generator of its own seed; None leaves it as it is."""
        for g, seed in enumerate(seeds):
            if seed is not None:
                self.state.random[g] = seeded(seed, 1)[0]

    def reset(
        self,
        rows: Array | None = None,
        graph: Array | None = None,
        player: Array | None = None,
        opponent: Array | None = None,
    ) -> None:
        """New games in ``rows``, [N] bool or indices (all).

        ``graph`` and ``opponent`` are places [N] in their lists, ``player`` [N] is 1 or 2: for these games only, drawn if None.
        """
        control = self.buffers.control
        control[slice(None) if rows is None else rows, fields.STAGE] = fields.RESET_DUE
        chosen = [fields.NEXT_BOARD, fields.NEXT_PLAYER, fields.NEXT_OPPONENT]
        kept = control[:, chosen]
        control[:, fields.NEXT_BOARD] = fields.DRAWN if graph is None else graph
        control[:, fields.NEXT_PLAYER] = fields.DRAWN if player is None else np.asarray(player) - 1
        if opponent is not None:
            control[:, fields.NEXT_OPPONENT] = opponent
        if graph is not None or player is not None or opponent is not None:
            self.check()
        self._run(RESET_GAMES)
        control[:, chosen] = kept

    def restart_strategies(self) -> Array:
        """Begin the games again in which a strategy has moved that this batch does not hold; return their rows [n].

        Arrays that were saved and put back do not hold the memory of strategies outside the kernel. Such a game
        begins again on the same board, with the same player and opponent, from the row's own random number generator.
        """
        control, status = self.buffers.control, self.state.status
        outside = [opponent.code == EXTERNAL and not opponent.batched for opponent in self.setup.opponents]
        running = (control[:, fields.STAGE] == fields.AGENT_MOVES) & (status[:, TURN] > 1)
        rows = np.flatnonzero(running & np.array(outside)[self.opponents])
        self.reset(rows, status[:, BOARD], self.players + 1, self.opponents)
        return rows

    def rebuild(self, setup: BatchSetup) -> None:
        """Go on with ``setup``, which may hold more graphs and opponents, and draw the next games by the present weights."""
        if len(setup.graphs) > len(self.setup.graphs):
            self._boards = board_pool(setup.graphs, setup.rules)
            self.state = moved(self.state, self.board)
            self._scratch = [make_scratch(self.board, self.state.people.dtype) for _ in self._slices]
        self.setup = setup
        self._external.release(self)
        control = self.buffers.control
        control[:, fields.OPPONENT_TABLE], opponents = self.opponent_weights.tables()
        control[:, fields.GRAPH_TABLE], graphs = self.graph_weights.tables()
        self._tables = opponents, graphs
        self._calls = self._make_calls()

    def step(self) -> None:
        """Carry out ``actions`` [N, sends * P or 1] int64, let opponents answer, and begin new games where that is due."""
        self._run(STEP_GAMES)

    def check(self) -> None:
        """ValueError where a number in the arrays, which anybody may write to, would lead a kernel beyond an array."""
        control, status, boards = self.buffers.control, self.state.status, self.board.info.shape[0]
        places = len(self.setup.opponents)
        for name, numbers, least, most in (
            ("player", control[:, fields.AGENT_PLAYER], 0, 1),
            ("opponent", control[:, fields.OPPONENT_INDEX], 0, places - 1),
            ("stage", control[:, fields.STAGE], 0, fields.RESET_DUE),
            ("board", status[:, BOARD], 0, boards - 1),
            ("turn", status[:, TURN], 0, 2**31 - 2),
            ("next board", control[:, fields.NEXT_BOARD], fields.DRAWN, boards - 1),
            ("next player", control[:, fields.NEXT_PLAYER], fields.DRAWN, 1),
            ("next opponent", control[:, fields.NEXT_OPPONENT], fields.DRAWN, places - 1),
            ("opponents' table", control[:, fields.OPPONENT_TABLE], 0, len(self._tables[0]) // places),
            ("graphs' table", control[:, fields.GRAPH_TABLE], 0, len(self._tables[1]) // boards),
        ):
            if numbers.min() < least or numbers.max() > most:
                wrong = int(numbers.min() if numbers.min() < least else numbers.max())
                raise ValueError(f"the {name} of a game must lie between {least} and {most}, not {wrong}")

    def copy_game(self, source: int, target: int) -> None:
        """Row ``target`` becomes row ``source``, generator, observation and mask included; in microseconds, for search.

        A strategy outside the kernel keeps its own memory: copy games against compiled bots, or before its first turn.
        """
        source, target = (checked_row(row, self.games, "the row of a game") for row in (source, target))
        copy_game(self.state, source, self.state, target)
        self.buffers.control[target] = self.buffers.control[source]
        self.buffers.result[target] = self.buffers.result[source]
        for array in (self.buffers.observation, self.buffers.edge_index, self.buffers.mask):
            array[:: fields.CURRENT_STATE, target] = array[:: fields.CURRENT_STATE, source]

    def set_game(self, g: int, game: Game) -> None:
        """Row ``g`` becomes ``game``, with the agent as the player to move; opponent, generator and turn limit stay the row's.

        ValueError for a game of other rules, on a graph that is not in the pool, that is over or beyond the turn limit.
        """
        g, setup = checked_row(g, self.games, "the row of a game"), self.setup
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, not {type(game).__name__}")
        if game.rules != setup.rules:
            raise ValueError(f"the game has the rules {game.rules.name}, the environment {setup.rules.name}")
        if game.over or game.turn > setup.max_turns:
            end = "is over" if game.over else f"exceeds the environment's {setup.max_turns} turns"
            raise ValueError(f"the game {end} in turn {game.turn}: only a game that goes on can be put into a row")
        place = self._boards.place(game.graph)
        self._boards.make(np.array([place]))
        self._external.forget(g)
        move(game.arrays[1], State(*(array[g : g + 1] for array in self.state)))
        self.state.status[g, [BOARD, LIMIT]] = place, setup.max_turns
        control = [fields.AGENT_PLAYER, fields.FRESH, fields.ORDERS, fields.STAGE]
        self.buffers.control[g, control] = game.player - 1, 1, 0, fields.GAME_SET
        self._run(RESET_GAMES)

    def game(self, g: int) -> Game:
        """Row g as a `Game` over the same arrays: what is done to one is done to the other."""
        g = checked_row(g, self.games, "the row of a game")
        row = State(*(array[g : g + 1] for array in self.state))
        return Game.over_arrays(self.setup.graphs[int(row.status[0, BOARD])], self.setup.rules, self.board, row)

    def empty_games(self, games: int) -> State:
        """Room for copies of ``games`` games, to simulate on."""
        return State(*(np.zeros((games, *array.shape[1:]), array.dtype) for array in self.state))

    def __getstate__(self) -> dict[str, Any]:
        """All but threads and what is made of the rest; the graphs are those of the boards, which copies share."""
        kept = {**self.__dict__, "_pool": None, "setup": replace(self.setup, graphs=())}
        del kept["result"], kept["_calls"]
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, setup=replace(state["setup"], graphs=state["_boards"].graphs))
        self._boards.make(self.state.status[:, BOARD])
        self.result = StepResult(self.buffers.result)  # it holds views of the array
        self._calls = self._make_calls()

    def _observations(self, which: int) -> Observations:
        self.show_masks()
        buffers = self.buffers
        return Observations(buffers.observation[which], buffers.edge_index[which], buffers.mask[which])

    def _make_calls(self) -> list[list[Callable[[], None]]]:
        """The kernel with its arguments: for every task, a call a slice."""
        setup = self.setup.numbers()
        setup[fields.GRAPH_TABLES] += len(self._tables[0])
        arrays = (*self.state, *self.board, *self.codec, *self.buffers, np.concatenate([setup, *self._tables]))
        slices = [
            (*arrays, scratch, self.actions, *ends) for ends, scratch in zip(self._slices, self._scratch, strict=True)
        ]
        compiled: Any = compiled_for(run, (*slices[0], STEP_GAMES))
        return [[partial(compiled, *call, task) for call in slices] for task in (STEP_GAMES, RESUME_GAMES, RESET_GAMES)]

    def _run(self, task: int) -> None:
        """Run the kernel, and then, as long as games wait for them, make boards and the moves of opponents outside it."""
        control = self.buffers.control
        while True:
            calls = self._calls[task]
            if len(calls) == 1:
                calls[0]()
            else:
                if self._pool is None or self._pool[0] != os.getpid():  # a fork leaves its parent's threads behind
                    self._pool = (os.getpid(), ThreadPoolExecutor(len(calls) - 1, "planetwars"))
                jobs = [self._pool[1].submit(call) for call in calls[1:]]
                calls[0]()
                for job in jobs:
                    job.result()
            if not (self.setup.has_external or self._boards.lazy):
                return
            wanted = np.flatnonzero(control[:, fields.STAGE] == fields.BOARD_WANTED)
            if len(wanted):
                self._boards.make(control[wanted, fields.ORDERS])
            moving = np.flatnonzero(control[:, fields.STAGE] == fields.EXTERNAL_MOVES)
            if len(moving):
                self._external.move(self, moving)
            if not len(wanted) and not len(moving):
                return
            task = RESUME_GAMES


class DrawWeights:
    """Weights [N, K] of K places in N games; all alike until they are set, which leaves a seed its games."""

    def __init__(self, games: int, places: int) -> None:
        self._shape = games, places
        self._weights: Array | None = None

    def set(self, rows: Array, places: Sequence[int], weights: Sequence[float] | Array | None, added: int = 0) -> None:
        """Draw ``places`` only in the games of ``rows``, with ``weights`` (None: all alike). ValueError for wrong weights.

        ``added``: places that are new, which other games do not draw.
        """
        given = np.ones(len(places)) if weights is None else np.asarray(weights, np.float64)
        if given.shape != (len(places),) or not np.isfinite(given).all() or (given < 0).any() or not given.sum() > 0:
            raise ValueError(
                f"weights must be {len(places)} numbers of 0 or more, one of them above 0, not {weights!r:.200}"
            )
        games, known = self._shape
        self._shape = games, known + added
        before = np.ones((games, known)) if self._weights is None else self._weights
        self._weights = np.concatenate([before, np.zeros((games, added))], 1)
        row = np.zeros(known + added)
        np.add.at(row, np.asarray(places, np.int64), given)
        self._weights[rows] = row

    def tables(self) -> tuple[Array, Array]:
        """Return each game's table [N], from 1 on and 0 without one, and the thresholds of all tables, one after another."""
        if self._weights is None:
            return np.zeros(self._shape[0], np.int32), np.zeros(0, np.int64)
        rows, table = np.unique(self._weights, axis=0, return_inverse=True)
        sums = rows.cumsum(1)
        thresholds = np.round(sums / sums[:, -1:] * fields.SCALE).astype(np.int64)
        return table.reshape(-1).astype(np.int32) + 1, thresholds.reshape(-1)


def moved(state: State, board: Board) -> State:
    """Return the games of ``state`` in arrays that are large enough for ``board``; the same arrays where they are."""
    games, slots = state.flights.shape[:2]
    larger = allocate(games, board, max(slots, longest_flight(board)), people_type(board))
    if all(old.shape == new.shape and old.dtype == new.dtype for old, new in zip(state, larger, strict=True)):
        return state
    larger.random[:] = state.random
    move(state, larger)
    return larger


def move(source: State, target: State) -> None:
    """Copy the games of ``source``, all but their random number generators, into arrays of another shape.

    Planets, edges and landing slots that ``target`` has no room for are those of other boards, and empty.
    """
    planets, edges = (min(source[i].shape[2], target[i].shape[2]) for i in (0, 2))
    before, now = source.flights.shape[1], target.flights.shape[1]
    rows, turns = np.arange(source.flights.shape[0]), source.status[:, TURN]
    for array in (target.people, target.arrivals, target.flights):
        array[:] = 0
    target.people[:, :, :planets] = source.people[:, :, :planets]
    for to_go in range(1, min(before, now) + 1):
        old, new = (turns + to_go) % before, (turns + to_go) % now
        target.arrivals[rows, new, :, :planets] = source.arrivals[rows, old, :, :planets]
        target.flights[rows, new, :edges] = source.flights[rows, old, :edges]
    target.totals[:] = source.totals
    target.status[:] = source.status
