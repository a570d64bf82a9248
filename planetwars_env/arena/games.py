"""One game between two players, turn by turn, with its moves, its faults and its replay."""

import hashlib
import json
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from planetwars_env.arena.isolation import Fault, ForfeitError
from planetwars_env.arena.players import GamePlayer, open_player
from planetwars_env.bots.catalogue import Player, resolve_player
from planetwars_env.bots.notes import TurnNotes
from planetwars_env.engine.repetition import Repetitions
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import resolve_rules, turn_limit
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import NO_MOVES, MoveCounts, play_counted, total
from planetwars_env.replay import Replay
from planetwars_env.view import Move

_DROPPED_KEPT = 50
"""Dropped moves of one turn that a replay shows."""

Moves = list[list[Move]]
"""The moves of every turn."""


class TurnTimes(NamedTuple):
    """Time of a player by the clock: its ``turns``, all ``seconds`` with those before the first turn, the ``slowest`` turn."""

    turns: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def plus(self, other: "TurnTimes") -> "TurnTimes":
        """Return the times of both together."""
        return TurnTimes(self.turns + other.turns, self.seconds + other.seconds, max(self.slowest, other.slowest))


NO_TIME = TurnTimes()


class GameOutcome(NamedTuple):
    """Result of one game. ``winner``: 0, 1, 2; ``ended``: "rules", "limit" or "forfeit"; ``faults``: of player 1 and player 2.

    ``moves``: as they were submitted, turn by turn; ``legal``: the same without those that were dropped (R8); ``recorded``: the
    same with the first dropped ones of each turn; ``counts``, ``times``: of player 1 and player 2; ``notes``: that the players
    left on their turns; ``repeated``: for player 1 and player 2, whether it was to move in one position three times.
    """

    winner: int
    turns: int
    ended: str
    moves: Moves
    legal: Moves
    faults: tuple[list[Fault], list[Fault]]
    recorded: Moves
    counts: tuple[MoveCounts, MoveCounts]
    times: tuple[TurnTimes, TurnTimes]
    notes: tuple[TurnNotes, ...]
    repeated: tuple[bool, bool]


def play_game(
    players: tuple[GamePlayer, GamePlayer], graph: Graph, rules: Rules, seeds: tuple[int, int], max_turns: int | None
) -> GameOutcome:
    """Play one game. A player that forfeits loses; if neither player can begin, it is a draw."""
    game = Game(graph, rules, max_turns)
    board, state = game.arrays
    watched, only = Repetitions(state, board), np.zeros(1, np.int64)
    moves: Moves = []
    legal: Moves = []
    recorded: Moves = []
    counts, times, notes = [NO_MOVES, NO_MOVES], [NO_TIME, NO_TIME], list[TurnNotes]()

    def note(side: int, turn: int, count: MoveCounts = NO_MOVES) -> None:
        counts[side] = total(counts[side], count)
        left = players[side].notes(turn)._replace(dropped=count.dropped)
        notes.extend([left] if left.worth_reading else [])

    def outcome(winner: int, ended: str) -> GameOutcome:
        faults = list(players[0].faults), list(players[1].faults)
        both = (counts[0], counts[1]), (times[0], times[1])
        repeated = bool(watched.found[0, 0]), bool(watched.found[0, 1])
        return GameOutcome(winner, game.turn, ended, moves, legal, faults, recorded, *both, tuple(notes), repeated)

    try:
        lost = []
        for side, (one, seed) in enumerate(zip(players, seeds, strict=True)):
            start = time.perf_counter()
            try:
                one.begin(game, side + 1, seed)
            except ForfeitError:
                lost.append(side)
            times[side] = TurnTimes(0, time.perf_counter() - start)
        if lost:
            for side in lost:
                note(side, 0)
            return outcome(0 if len(lost) == 2 else 2 - lost[0], "forfeit")
        while not game.over:
            watched.note(only)
            side, number, start = game.player - 1, game.turn, time.perf_counter()
            try:
                turn = list(players[side].moves(game))
            except ForfeitError:
                turn = None
            taken = time.perf_counter() - start
            times[side] = times[side].plus(TurnTimes(1, taken, taken))
            if turn is None:
                note(side, number)
                return outcome(2 - side, "forfeit")
            accepted, count = play_counted(game, turn)
            note(side, number, count)
            moves.append(turn)
            legal.append([move for move, carried_out in zip(turn, accepted, strict=True) if carried_out])
            dropped = [i for i, carried_out in enumerate(accepted) if not carried_out][_DROPPED_KEPT:]
            recorded.append([turn[i] for i in sorted({*range(len(turn))}.difference(dropped))])
        return outcome(game.winner, "limit" if game.cut_off else "rules")
    finally:
        for one in players:
            one.end()


def play_match(
    first: Any,
    second: Any,
    graph: Graph | str,
    rules: str | Rules = PLANETWARS,
    seed: int = 0,
    max_turns: int | None = None,
    console: bool = False,
) -> Replay:
    """Play one game, ``first`` as player 1 and ``second`` as player 2; each is whatever an environment takes as ``opponent``.

    ``seed`` starts the random number generators of both. ``max_turns``: None for what the environments use (500; half-step
    1,000; SpaceExplorers' own 100). ``console``: keep what `Strategy.say` and `Strategy.mark` tell. The replay knows the
    ``winner`` and the ``turns``. Strategies from files play in this process, and their errors pass. ValueError for an unknown
    player or rules, GraphError for an unknown graph, TypeError for a move that is not three whole numbers.

    >>> import planetwars_env as pw
    >>> pw.play_match("ai1", "random", "duel", seed=0, max_turns=4)
    Replay(ai1 against random on duel: cut off on turn 4)
    """
    graph = graph if isinstance(graph, Graph) else load_graph(graph)
    rules = resolve_rules(rules)
    limit = turn_limit(rules, max_turns)
    one, other = resolve_player(first, single=True), resolve_player(second, single=True)
    return play_replayed(one, other, graph, rules, seed, limit, console)[0]


def play_replayed(
    one: Player, other: Player, graph: Graph, rules: Rules, seed: int, limit: int | None, console: bool = False
) -> tuple[Replay, GameOutcome]:
    """Play one game of two players in this process; ``seed`` and the number after it are theirs."""
    outcome = play_game((open_player(one), open_player(other)), graph, rules, (seed, seed + 1), limit)
    replay = Replay.of(graph, rules, (one.name, other.name), seed, limit, outcome.moves)
    return replace(replay, console=outcome.notes if console else ()), outcome


def fingerprint_moves(moves: Moves) -> str:
    """Return a fingerprint of a game's moves: games with the same one on the same graph are equal."""
    return hashlib.sha256(json.dumps(moves).encode()).hexdigest()[:16]
