"""One game between two players, turn by turn: faults are counted, moves are kept."""

import hashlib
import json
from typing import NamedTuple

from planetwars_env.arena.isolation import Fault, ForfeitError
from planetwars_env.arena.players import GamePlayer
from planetwars_env.engine.rules import Rules
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move

Moves = list[list[Move]]
"""The moves of every turn."""


class Outcome(NamedTuple):
    """Outcome of a game. ``winner``: 0, 1, 2; ``ended``: "rules", "limit" or "forfeit"; ``faults``: of player 1 and player 2.

    ``moves``: as they were submitted, turn by turn; ``legal``: the same without those that were dropped (R8).
    """

    winner: int
    turns: int
    ended: str
    moves: Moves
    legal: Moves
    faults: tuple[list[Fault], list[Fault]]


def play_game(
    players: tuple[GamePlayer, GamePlayer], graph: Graph, rules: Rules, seeds: tuple[int, int], max_turns: int | None
) -> Outcome:
    """One game. A player that forfeits it loses, and where neither can even begin it is a draw."""
    game = Game(graph, rules, max_turns)
    moves: Moves = []
    legal: Moves = []

    def outcome(winner: int, ended: str) -> Outcome:
        faults = list(players[0].faults), list(players[1].faults)
        return Outcome(winner, game.turn, ended, moves, legal, faults)

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
            legal.append([move for move, carried_out in zip(turn, game.play(turn), strict=True) if carried_out])
        return outcome(game.winner, "limit" if game.cut_off else "rules")
    finally:
        for one in players:
            one.end()


def print_of(moves: Moves) -> str:
    """A fingerprint of a game's moves: games with the same one on the same board are the same game."""
    return hashlib.sha256(json.dumps(moves).encode()).hexdigest()[:16]


def _begins(one: GamePlayer, game: Game, player: int, seed: int) -> bool:
    try:
        one.begin(game, player, seed)
    except ForfeitError:
        return False
    return True
