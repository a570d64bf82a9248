"""Games between compiled bots in one call, from the start or, for search, on from any state."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.bots import entry_points
from planetwars_env.bots.bot_codes import built_in_code
from planetwars_env.bots.compiled import play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.codec.checks import checked_actions, checked_row
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import place
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.random import seeded
from planetwars_env.engine.repetition import UNWATCHED, Positions, note_position
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State, allocate
from planetwars_env.engine.turn import end_turn, player_to_move
from planetwars_env.game import Game
from planetwars_env.graphs.board import longest_flight, people_type
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import Move

_TO_THE_END = 2**31 - 1
"""Turns: more than any game has."""


@kernel
def _play(state: State, board: Board, bots, turns, scratch, positions):
    """Play every game to its end or for ``turns`` turns: the bot to move moves, and the turn ends."""
    for g in range(bots.shape[0]):
        if state.status[g, columns.TURN] == 0:
            end_turn(state, board, g)
        for _ in range(turns):
            if positions.found.shape[0]:
                note_position(state, board, g, positions)
            if state.status[g, columns.PHASE] != columns.RUNNING:
                break
            player = player_to_move(state, g)
            play_bot(state, board, g, player, bots[g, player], scratch)
            end_turn(state, board, g)


def play_on(
    state: State, board: Board, bots: Array, turns: int = _TO_THE_END, positions: Positions | None = None
) -> None:
    """Play games on with bots, in place, to their end or for ``turns`` turns.

    ``bots`` [N, 2] int64: the codes (bots/bot_codes.py) of player 1 and player 2 in every game. The first to move is whoever
    the state says; a game that was only placed is brought into turn 1 before. ``positions``: those of the games, to be noted.
    """
    bots = checked_actions(bots, (state.status.shape[0], 2), "the codes of the bots")
    scratch = make_scratch(board, state.people.dtype)
    _play(state, board, bots, turns, scratch, UNWATCHED if positions is None else positions)


def rollout(game: Game, bots: tuple[str, str], turns: int | None = None, copies: int = 1, seed: int = 0) -> list[Game]:
    """Play copies of ``game`` on with two built-in bots and return them; the game itself stays as it is.

    ``bots``: the names of the bots that play for player 1 and for player 2; each plays by its own view. ``turns``: the
    largest number of turns to play; None plays to the end, for which the game needs ``max_turns``. ``copies``: the number
    of rollouts. The bots draw the random numbers of rollout i from ``seed`` + i. ValueError for an unknown bot or a number
    that is too small.

    Copies hold the true position, what the fog hides included.
    """
    if copies < 1 or (turns is not None and turns < 0):
        raise ValueError(f"a rollout takes copies of at least 1 and turns of at least 0, not {copies} and {turns}")
    most = game.max_turns if turns is None else turns
    if most is None:
        raise ValueError("this game has no max_turns and may never end: tell rollout how many turns to play")
    board, state = game.arrays
    games = State(*(np.repeat(part, copies, axis=0) for part in state))
    games.random[:] = seeded(seed, copies)
    play_on(games, board, np.array([[built_in_code(name) for name in bots]] * copies, np.int64), most)
    rows = [State(*(part[i : i + 1] for part in games)) for i in range(copies)]
    return [Game.over_arrays(game.graph, game.rules, board, row) for row in rows]


def moves_of_bot_game(
    graph: Graph, rules: Rules, bots: tuple[int, int], seed: int, max_turns: int | None
) -> list[list[Move]]:
    """The moves of a game that `place_games` began and `play_on` played, turn by turn: it is played again."""
    game, moves = Game(graph, rules, max_turns), list[list[Move]]()
    board, state = game.arrays
    state.random[:] = seeded(seed, 1)
    scratch = make_scratch(board, state.people.dtype)
    while not game.over:
        entry_points.play_bot(state, board, 0, game.player - 1, bots[game.player - 1], scratch)
        moves.append(game.launched())
        game.advance()
    return moves


def place_games(
    board: Board, rules: Rules, boards: Sequence[int], seeds: Sequence[int], max_turns: int | None
) -> State:
    """Games that stand before their first turn (R2)."""
    state = allocate(len(boards), board, longest_flight(board), people_type(board))
    state.random[:] = [seeded(seed, 1)[0] for seed in seeds]
    for g, b in enumerate(boards):
        b = checked_row(b, len(board.info), "the board of a game")
        place(state, board, g, b, int(rules.coexistence), columns.NO_LIMIT if max_turns is None else max_turns)
    return state
