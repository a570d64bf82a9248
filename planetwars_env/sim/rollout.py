"""Many games between compiled bots in one call: from any state on for search, from the start to see who is stronger."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.bots.codes import SCRATCH_ROWS
from planetwars_env.bots.compiled import play_bot
from planetwars_env.engine.calls import place
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.random import seeded
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import RUNNING, STATUS, TURN, WINNER, Array, Board, State, allocate
from planetwars_env.engine.turn import end_turn, player_to_move
from planetwars_env.graphs.board import longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph


@kernel
def _play_on(state: State, board: Board, bots, turns, scratch, begin, end):
    """Games ``begin`` to ``end`` - 1: whoever is to move moves and the turn ends, until the game or ``turns`` are over."""
    for g in range(begin, end):
        if state.clock[g, TURN] == 0:
            end_turn(state, board, g)
        for _ in range(turns):
            if state.clock[g, STATUS] != RUNNING:
                break
            player = player_to_move(state, g)
            play_bot(state, board, g, player, bots[g, player], scratch)
            end_turn(state, board, g)


def roll_out(state: State, board: Board, bots: Array, turns: int, begin: int = 0, end: int | None = None) -> None:
    """Play games ``begin`` to ``end`` - 1 (all) on with bots, in place, to their end or for ``turns`` turns.

    ``bots`` [N, 2] int64: the codes (bots/codes.py) of player 1 and player 2 in every game. The first to move is whoever
    the state says; a game that was only placed is brought into turn 1 before.
    """
    width = max(board.planets.shape[2], board.edges.shape[2])
    scratch = np.zeros((SCRATCH_ROWS, width), state.people.dtype)
    _play_on(state, board, bots, turns, scratch, begin, state.clock.shape[0] if end is None else end)


def play_games(
    graphs: Sequence[Graph],
    bots: Sequence[tuple[int, int]],
    rules: Rules,
    seeds: Sequence[int],
    max_turns: int,
) -> tuple[Array, Array]:
    """One game a row: graph, codes of player 1's and player 2's bot, seed. The winners (1, 2, or 0 for a draw) and last turns.

    ``max_turns``: where the games are cut off, or counted out (SpaceExplorers).
    """
    unique = {id(graph): graph for graph in graphs}
    numbers = {key: b for b, key in enumerate(unique)}
    board = pack(list(unique.values()), rules)
    state = allocate(len(graphs), board, longest_flight(board), people_type(board))
    state.random[:] = [seeded(seed, 1)[0] for seed in seeds]
    for g, graph in enumerate(graphs):
        place(state, board, g, numbers[id(graph)], int(rules.coexistence), max_turns)
    roll_out(state, board, np.array(bots, np.int64).reshape(-1, 2), max_turns)
    return state.clock[:, WINNER].copy(), state.clock[:, TURN].copy()
