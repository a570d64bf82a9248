"""Games of two players, turn by turn, and the players of a game: in this process, or in processes of their own."""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.arena.game_store import NO_KEY, NO_TIME, FinishedGame, GameKey, Moves, TurnTimes
from planetwars_env.arena.isolation import Fault, ForfeitError, Isolated, ResourceLimits
from planetwars_env.bots.catalogue import Kind, Player, resolve_player
from planetwars_env.bots.entry_points import begin_game
from planetwars_env.bots.language_model import LanguageModel
from planetwars_env.bots.notes import TurnNotes, notes_of_turn, take_notes
from planetwars_env.bots.policy import is_policy
from planetwars_env.engine.repetition import note_positions, watch
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.game import Game, turn_limit, whole_move
from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import NO_MOVES, MoveCounts, play_counted, total
from planetwars_env.replay import Replay
from planetwars_env.sim.external_opponents import PolicyRunner
from planetwars_env.view import Move


def open_player(player: Player, limits: ResourceLimits | None = None) -> "GamePlayer":
    """Return a player that is ready for games; ``limits``: of a strategy from a file. ValueError for "self"."""
    if player.kind is Kind.SELF:
        raise ValueError("'self' is not a player of a game: name a bot, an agent or a strategy")
    return Isolated(player, limits) if player.isolated else TrustedPlayer(player)


_PROCESSES = 6
"""Strategies from files that one process keeps loaded."""
_kept: "OrderedDict[tuple[str, str, ResourceLimits], Isolated]" = OrderedDict()
"""The strategies that this process keeps from game to game of a tournament, the last used last."""


def open_kept(player: Player, limits: ResourceLimits, fingerprint: str = "") -> "GamePlayer":
    """Return a player that is ready; ValueError for a strategy with another ``fingerprint`` than when the games began."""
    if not player.isolated:
        return open_player(player)
    place = player.spec, fingerprint_player(player), limits
    if fingerprint and fingerprint != place[1]:
        raise ValueError(
            f"{player.spec} was edited while its games were played. The finished games are those of its older version: "
            "choose another folder (--out) for the new one"
        )
    if place not in _kept:
        _kept[place] = Isolated(player, limits)
    _kept.move_to_end(place)
    while len(_kept) > _PROCESSES:
        _kept.popitem(last=False)[1].close()
    return _kept[place]


def close_strategies() -> None:
    """End the strategies' processes of this process; those of workers end with the workers."""
    while _kept:
        _kept.popitem()[1].close()


class TrustedPlayer:
    """Player in this process, for one game after another: a bot, an agent, a strategy or a policy; its errors are raised."""

    faults: Sequence[Fault] = ()

    def __init__(self, player: Player) -> None:
        self.name, self._make = player.name, player.make
        self._player, self._seconds = 0, 0.0
        self._plays: Any = None
        self._runner: PolicyRunner | None = None

    def begin(self, game: Game, player: int, seed: int) -> None:
        """A game begins, with a new instance."""
        self._plays, self._player, self._runner = self._make(), player, None
        if is_policy(self._plays):
            self._runner = PolicyRunner(self._plays, 1, game.rules, [game.graph])
        elif not callable(getattr(self._plays, "take_turn", None)):
            raise TypeError(f"{self.name!r} is a {type(self._plays).__name__} without take_turn(view)")
        else:
            begin_game(self._plays, game.graph, player, replace(game.rules, max_turns=game.max_turns), seed)

    def moves(self, game: Game) -> Sequence[Move]:
        """The moves of this turn; of a policy the launches on a copy of the game."""
        start = time.perf_counter()
        if self._runner is None:
            turn = self._plays.take_turn(game.view(self._player))
        else:
            twin = game.copy()
            board, state = twin.arrays
            self._runner.play(state, board, np.zeros(1, np.int64), np.full(1, game.player - 1))
            turn = twin.launched()
        moves = [whole_move(move) for move in turn]
        self._seconds = time.perf_counter() - start
        return moves

    def notes(self, turn: int) -> TurnNotes:
        """The notes since the last call; what is printed here goes to the terminal."""
        return notes_of_turn(turn, self._player, take_notes(self._plays), seconds=self._seconds)

    def take_printed(self) -> str:
        """Return the transcript of a language model; others print to the terminal."""
        return self._plays.take_printed() if isinstance(self._plays, LanguageModel) else ""

    def end(self) -> None:
        """Nothing is left behind."""

    def close(self) -> None:
        """Nothing still runs."""


GamePlayer = TrustedPlayer | Isolated
"""Player of games, which begins, moves, and leaves notes; an isolated one may raise ForfeitError."""

_DROPPED_KEPT = 50
"""Dropped moves of one turn that a replay shows."""


def play_game(
    players: tuple[GamePlayer, GamePlayer],
    graph: Graph,
    rules: Rules,
    seeds: tuple[int, int],
    max_turns: int | None,
    key: GameKey = NO_KEY,
) -> FinishedGame:
    """Play one game. A player that forfeits loses; if neither player can begin, it is a draw."""
    game = Game(graph, rules, max_turns)
    board, state = game.arrays
    positions, only = watch(state), np.zeros(1, np.int64)
    recorded: Moves = []
    counts, times, notes, lost, number = [NO_MOVES, NO_MOVES], [NO_TIME, NO_TIME], list[TurnNotes](), list[int](), 0

    def note(side: int, turn: int, count: MoveCounts = NO_MOVES) -> None:
        counts[side] = total(counts[side], count)
        left = players[side].notes(turn)._replace(dropped=count.dropped)
        notes.extend([left] if left.worth_reading else [])

    try:
        for side, (one, seed) in enumerate(zip(players, seeds, strict=True)):
            start = time.perf_counter()
            try:
                one.begin(game, side + 1, seed)
            except ForfeitError:
                lost.append(side)
            times[side] = TurnTimes(0, time.perf_counter() - start)
        while not (lost or game.over):
            note_positions(state, board, only, positions)
            side, number, start, turn = game.player - 1, game.turn, time.perf_counter(), list[Move]()
            try:
                turn = list(players[side].moves(game))
            except ForfeitError:
                lost.append(side)
            taken = time.perf_counter() - start
            times[side] = times[side].plus(TurnTimes(1, taken, taken))
            if not lost:
                accepted, count = play_counted(game, turn)
                note(side, number, count)
                dropped = [i for i, carried_out in enumerate(accepted) if not carried_out][_DROPPED_KEPT:]
                recorded.append([turn[i] for i in sorted({*range(len(turn))}.difference(dropped))])
        for side in lost:
            note(side, number)
    finally:
        for one in players:
            one.end()
    note_positions(state, board, only, positions)
    winner, ended = game.winner, "limit" if game.cut_off else "rules"
    if lost:
        winner, ended = 0 if len(lost) == 2 else 2 - lost[0], "forfeit"
    fingerprint = f"{int(positions.fingerprints[0]):016x}"
    repeated = bool(positions.found[0, 0]), bool(positions.found[0, 1])
    faults = list(players[0].faults), list(players[1].faults)
    more = {"counts": (counts[0], counts[1]), "times": (times[0], times[1]), "notes": tuple(notes)}
    return FinishedGame(key, winner, game.turn, ended, fingerprint, seeds[0], repeated, recorded, faults, **more)


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
    played = play_game((open_player(one), open_player(other)), graph, rules, (seed, seed + 1), limit)
    replay = Replay.of(graph, rules, (one.name, other.name), seed, limit, played.moves or [])
    return replace(replay, console=played.notes if console else ())
