"""Games between compiled bots in one call: on from any state for search, or from the start, each with a print of its moves."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from planetwars_env.bots import calls
from planetwars_env.bots.calls import make_scratch
from planetwars_env.bots.compiled import play_bot
from planetwars_env.codec.checks import checked_actions, checked_row
from planetwars_env.engine.calls import place
from planetwars_env.engine.flights import launched
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.random import seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import (
    BOARD,
    CUT_OFF,
    EDGES,
    NO_LIMIT,
    RUNNING,
    STATUS,
    TURN,
    WINNER,
    Array,
    Board,
    State,
    allocate,
)
from planetwars_env.engine.turn import end_turn, player_to_move
from planetwars_env.game import Game
from planetwars_env.graphs.board import longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph
from planetwars_env.sim.repetition import UNWATCHED, Repetitions, note_position
from planetwars_env.view import Move

_TO_THE_END = 2**31 - 1
"""Turns: more than any game has."""
_PRIME = 2**31 - 1
_FACTORS = (1_103_515_245, 48_271)


class Duels(NamedTuple):
    """What n games came to: ``winners`` [n] (0, 1, 2), ``turns`` [n], ``cut_off`` [n] bool, ``prints`` [n] of their moves.

    ``repeated`` [n]: for player 1 and player 2, whether it was to move in one position three times (sim/repetition.py).
    """

    winners: list[int]
    turns: list[int]
    cut_off: list[bool]
    prints: list[str]
    repeated: list[tuple[bool, bool]]


@kernel
def _play_on(state: State, board: Board, bots, turns, scratch, prints, begin, end, weights, seen, counts, found):
    """Games ``begin`` to ``end`` - 1: whoever is to move moves and the turn ends, until the game or ``turns`` are over."""
    for g in range(begin, end):
        if state.clock[g, TURN] == 0:
            end_turn(state, board, g)
        for _ in range(turns):
            if state.clock[g, STATUS] != RUNNING:
                break
            if found.shape[0]:
                note_position(state, board, g, weights, seen, counts, found)
            player = player_to_move(state, g)
            play_bot(state, board, g, player, bots[g, player], scratch)
            _remember(state, board, g, prints)
            end_turn(state, board, g)


@part
def _remember(state, board, g, prints):
    """Mix this turn's moves into the prints."""
    turn = state.clock[g, TURN]
    for e in range(board.info[state.clock[g, BOARD], EDGES]):
        people = launched(state, board, g, e)
        if people > 0:
            for i in range(2):
                for number in (turn, e, people):
                    prints[g, i] = (prints[g, i] * _FACTORS[i] + number + 1) % _PRIME


def roll_out(
    state: State,
    board: Board,
    bots: Array,
    turns: int,
    begin: int = 0,
    end: int | None = None,
    repetitions: Repetitions | None = None,
) -> Array:
    """Play games ``begin`` to ``end`` - 1 (all) on with bots, in place, to their end or for ``turns`` turns.

    ``bots`` [N, 2] int64: the codes (bots/codes.py) of player 1 and player 2 in every game. The first to move is whoever
    the state says; a game that was only placed is brought into turn 1 before. The prints [N, 2] int64 of the moves.
    ``repetitions`` is told of every position, if there is one.
    """
    games = state.clock.shape[0]
    last = games if end is None else end
    bots = checked_actions(bots, (games, 2), "the codes of the bots")
    if not 0 <= begin <= last <= games:
        raise ValueError(f"games {begin} to {last} were asked for, and there are {games}")
    prints = np.zeros((games, 2), np.int64)
    scratch = make_scratch(board, state.people.dtype)
    notes = repetitions.notes if repetitions else UNWATCHED
    _play_on(state, board, bots, turns, scratch, prints, begin, last, *notes)
    return prints


def play_duels(
    graphs: Sequence[Graph],
    rules: Rules,
    boards: Sequence[int],
    bots: Sequence[tuple[int, int]],
    seeds: Sequence[int],
    max_turns: int | None,
    watch: bool = False,
) -> Duels:
    """Game i on ``graphs[boards[i]]`` between the bots with codes ``bots[i]`` (player 1 first), begun with ``seeds[i]``.

    ``watch``: notice repetitions too.
    """
    board = pack(graphs, rules)
    state = _placed(board, rules, boards, seeds, max_turns)
    watching = Repetitions(state, board) if watch else None
    prints = roll_out(state, board, np.array(bots, np.int64).reshape(-1, 2), _TO_THE_END, repetitions=watching)
    return Duels(
        state.clock[:, WINNER].tolist(),
        state.clock[:, TURN].tolist(),
        (state.clock[:, STATUS] == CUT_OFF).tolist(),
        [f"{a:08x}{b:08x}" for a, b in prints.tolist()],
        [(first, second) for first, second in watching.found.tolist()] if watching else [(False, False)] * len(boards),
    )


def moves_of_duel(
    graph: Graph, rules: Rules, bots: tuple[int, int], seed: int, max_turns: int | None
) -> list[list[Move]]:
    """The moves of a game of `play_duels`, turn by turn: it is played again."""
    board = pack([graph], rules)
    state = _placed(board, rules, [0], [seed], max_turns)
    game, scratch = Game.over_arrays(graph, rules, board, state), make_scratch(board, state.people.dtype)
    moves: list[list[Move]] = []
    game.advance()
    while not game.over:
        calls.play_bot(state, board, 0, game.player - 1, bots[game.player - 1], scratch)
        moves.append(game.launched())
        game.advance()
    return moves


def _placed(board: Board, rules: Rules, boards: Sequence[int], seeds: Sequence[int], max_turns: int | None) -> State:
    """Games that stand before their first turn (R2)."""
    state = allocate(len(boards), board, longest_flight(board), people_type(board))
    state.random[:] = [seeded(seed, 1)[0] for seed in seeds]
    for g, b in enumerate(boards):
        b = checked_row(b, len(board.info), "the board of a game")
        place(state, board, g, b, int(rules.coexistence), NO_LIMIT if max_turns is None else max_turns)
    return state
