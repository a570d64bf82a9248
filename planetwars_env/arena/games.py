"""One game between two players, turn by turn, with its moves, its faults and its replay."""

import hashlib
import json
from dataclasses import replace
from typing import Any, NamedTuple

from planetwars_env.arena.isolation import Fault, ForfeitError
from planetwars_env.arena.players import GamePlayer, open_player
from planetwars_env.bots.catalogue import Player, resolve_player
from planetwars_env.bots.notes import TurnNotes
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import resolve_rules, turn_limit
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import MoveCounts, play_counted
from planetwars_env.replay import Replay
from planetwars_env.view import Move

_DROPPED_SHOWN = 50
"""Dropped moves of one turn that a replay shows."""

Moves = list[list[Move]]
"""The moves of every turn."""


class GameOutcome(NamedTuple):
    """GameOutcome of a game. ``winner``: 0, 1, 2; ``ended``: "rules", "limit" or "forfeit"; ``faults``: of player 1 and player 2.

    ``moves``: as they were submitted, turn by turn; ``legal``: the same without those that were dropped (R8); ``shown``: the
    same with the first dropped ones of each turn; ``counts``: of the moves of player 1 and player 2.
    """

    winner: int
    turns: int
    ended: str
    moves: Moves
    legal: Moves
    faults: tuple[list[Fault], list[Fault]]
    shown: Moves
    counts: tuple[MoveCounts, MoveCounts]


def play_game(
    players: tuple[GamePlayer, GamePlayer],
    graph: Graph,
    rules: Rules,
    seeds: tuple[int, int],
    max_turns: int | None,
    console: list[TurnNotes] | None = None,
) -> GameOutcome:
    """Play one game. A player that forfeits loses; if neither player can begin, it is a draw.

    ``console``: takes the notes that the players leave on their turns.
    """
    game = Game(graph, rules, max_turns)
    moves: Moves = []
    legal: Moves = []
    shown: Moves = []
    counts = [MoveCounts(), MoveCounts()]

    def outcome(winner: int, ended: str) -> GameOutcome:
        faults = list(players[0].faults), list(players[1].faults)
        return GameOutcome(winner, game.turn, ended, moves, legal, faults, shown, (counts[0], counts[1]))

    try:
        lost = [not _begins(one, game, player, seeds[player - 1]) for player, one in enumerate(players, 1)]
        if any(lost):
            return outcome(0 if all(lost) else 2 if lost[0] else 1, "forfeit")
        while not game.over:
            try:
                turn = list(players[game.player - 1].moves(game))
            except ForfeitError:
                return outcome(3 - game.player, "forfeit")
            moves.append(turn)
            side = game.player - 1
            notes = None if console is None else players[side].notes(game.turn)
            accepted, count = play_counted(game, turn)
            if console is not None and notes is not None and (notes := notes._replace(dropped=count.dropped)).told:
                console.append(notes)
            counts[side] = counts[side].plus(count)
            legal.append([move for move, carried_out in zip(turn, accepted, strict=True) if carried_out])
            dropped = [i for i, carried_out in enumerate(accepted) if not carried_out][_DROPPED_SHOWN:]
            shown.append([turn[i] for i in sorted({*range(len(turn))}.difference(dropped))])
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
    notes: list[TurnNotes] | None = [] if console else None
    outcome = play_game((open_player(one), open_player(other)), graph, rules, (seed, seed + 1), limit, notes)
    replay = Replay.of(graph, rules, (one.name, other.name), seed, limit, outcome.moves)
    return replace(replay, console=tuple(notes or ())), outcome


def fingerprint_moves(moves: Moves) -> str:
    """Return a fingerprint of a game's moves: games with the same one on the same graph are equal."""
    return hashlib.sha256(json.dumps(moves).encode()).hexdigest()[:16]


def _begins(one: GamePlayer, game: Game, player: int, seed: int) -> bool:
    try:
        one.begin(game, player, seed)
    except ForfeitError:
        return False
    return True
