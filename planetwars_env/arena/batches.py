"""Games of a policy played side by side, so that it answers many positions in one call."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from planetwars_env.arena.game_records import FinishedGame, GameKey
from planetwars_env.bots import entry_points as bots
from planetwars_env.bots.bot_games import place_games
from planetwars_env.bots.catalogue import Player
from planetwars_env.bots.strategy import Strategy
from planetwars_env.engine import columns, entry_points
from planetwars_env.engine.random import seeded
from planetwars_env.engine.repetition import Repetitions
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.game import Game
from planetwars_env.graphs.board import directed_edges, pack
from planetwars_env.graphs.graph import Graph
from planetwars_env.sim.external_opponents import PolicyRunner
from planetwars_env.view import Move

_DRAWS = 3
"""Random numbers that an environment draws for graph, opponent and player before a game: so its row plays the same game."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


_Play = Callable[[State, Board, Array, Array], None]
"""Plays one turn in the games ``rows`` [n] as ``players`` [n] (0, 1)."""


def play_batch(
    keys: Sequence[GameKey],
    players: tuple[Player, Player],
    graphs: Sequence[Graph],
    places: Sequence[int],
    rules: Rules,
    seeds: Sequence[int],
    max_turns: int,
    keep_moves: bool = False,
) -> list[FinishedGame]:
    """Play game ``keys[i]`` of two ``players`` on ``graphs[places[i]]``, begun with ``seeds[i]``.

    At least one of the players is a policy; the other may be another one, a compiled bot or a strategy in this process. A
    game is that of an environment's row with this seed. ValueError for graphs beyond the limits of a policy.
    """
    board = pack(graphs, rules)
    state = place_games(board, rules, places, seeds, max_turns)
    for g in range(len(seeds)):
        for _ in range(_DRAWS):
            entry_points.draw(state.random, g, 2)
    entry_points.end_turns(state, board, np.arange(len(seeds)))
    own = np.array([0 if key.first == players[0].name else 1 for key in keys])
    drawn = [graphs[place] for place in places]
    first, other = (_mover(player, board, state, drawn, rules, max_turns) for player in players)
    watched, launches = Repetitions(state, board), _Launches(state, board, keep_moves)
    while len(running := np.flatnonzero(state.status[:, columns.PHASE] == columns.RUNNING)):
        # The other one begins, so that the policy is asked about all games at once.
        for play, side in ((other, 1 - own), (first, own)):
            rows = running[(state.status[running, columns.TURN] - 1) % 2 == side[running]]  # R3
            rows = rows[state.status[rows, columns.PHASE] == columns.RUNNING]
            if len(rows):
                watched.note(rows)
                play(state, board, rows, side[rows])
                launches.note(rows)
                entry_points.end_turns(state, board, rows)
    cut_off = (state.status[:, columns.PHASE] == columns.CUT_OFF).tolist()
    results = zip(
        keys,
        state.status[:, columns.WINNER].tolist(),
        state.status[:, columns.TURN].tolist(),
        ["limit" if cut else "rules" for cut in cut_off],
        [f"{digest:016x}" for digest in launches.digests.tolist()],
        seeds,
        [(one, two) for one, two in watched.found.tolist()],
        launches.moves(drawn) if keep_moves else [None] * len(keys),
        strict=True,
    )
    return [FinishedGame(*game) for game in results]


def _mover(player: Player, board: Board, state: State, graphs: Sequence[Graph], rules: Rules, max_turns: int) -> _Play:
    """Return what plays one turn of the player in some games."""
    if player.batched:
        policy = player.make()
        runner = PolicyRunner(policy, len(graphs), bots.make_scratch(board, state.people.dtype), rules)
        policy.limits.check(graphs)
        return runner.play
    if player.compiled:
        scratch = bots.make_scratch(board, state.people.dtype)

        def play_bot(state: State, board: Board, rows: Array, players: Array) -> None:
            for g, side in zip(rows.tolist(), players.tolist(), strict=True):
                bots.play_bot(state, board, g, side, player.code, scratch)

        return play_bot
    begun: dict[int, tuple[Strategy, Game]] = {}
    limited = replace(rules, max_turns=max_turns)

    def play_strategy(state: State, board: Board, rows: Array, players: Array) -> None:
        for g, side in zip(rows.tolist(), players.tolist(), strict=True):
            if g not in begun:
                strategy = player.make()
                if not callable(getattr(strategy, "take_turn", None)):
                    raise TypeError(f"{player.name!r} is a {type(strategy).__name__} without take_turn(view)")
                game = Game.over_arrays(graphs[g], rules, board, State(*(array[g : g + 1] for array in state)))
                seed = int(entry_points.draw(state.random, g, 2**31 - 1))
                bots.begin_game(strategy, game.graph, side + 1, limited, seed)
                begun[g] = strategy, game
            strategy, game = begun[g]
            game.submit(strategy.take_turn(game.view(side + 1)))

    return play_strategy


class _Launches:
    """Digests [N] uint64 of all that took off in N games, and the moves themselves if they are kept."""

    def __init__(self, state: State, board: Board, keep: bool) -> None:
        self._state, self._board, self._keep = state, board, keep
        edges = state.flights.shape[2]
        self.digests = np.zeros(len(state.status), np.uint64)
        self._weights, self._edges = seeded(0, edges) | np.uint64(1), np.arange(edges)
        self._turns: list[list[dict[int, int]]] = [[] for _ in state.status]

    def note(self, rows: Array) -> None:
        """Take in the turn that was just played in ``rows``, before it ends."""
        status, flights = self._state.status[rows], self._state.flights
        lasting = self._board.edges[status[:, columns.BOARD], columns.TURNS]
        slots = (status[:, columns.TURN, None] + lasting) % flights.shape[1]
        people = flights[rows[:, None], slots, self._edges]
        self.digests[rows] = self.digests[rows] * _FACTOR + (people.astype(np.uint64) @ self._weights) + np.uint64(1)
        if self._keep:
            turns = [dict[int, int]() for _ in rows]
            for i, edge in zip(*(places.tolist() for places in np.nonzero(people)), strict=True):
                turns[i][edge] = int(people[i, edge])
            for g, turn in zip(rows.tolist(), turns, strict=True):
                self._turns[g].append(turn)

    def moves(self, graphs: Sequence[Graph]) -> list[list[list[Move]]]:
        """Return the moves of every turn, of every game."""
        games = []
        for graph, turns in zip(graphs, self._turns, strict=True):
            ends = [(graph.planets[one].id, graph.planets[two].id) for one, two, _ in directed_edges(graph)]
            games.append([[Move(*ends[edge], people) for edge, people in turn.items()] for turn in turns])
        return games
