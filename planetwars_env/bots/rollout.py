"""`pw.rollout`: copies of a game played on by built-in bots, in one compiled call."""

import numpy as np

from planetwars_env.bots.bot_codes import built_in_code
from planetwars_env.bots.bot_games import roll_out
from planetwars_env.engine.random import seeded
from planetwars_env.engine.state import State
from planetwars_env.game import Game


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
    roll_out(games, board, np.array([[built_in_code(name) for name in bots]] * copies, np.int64), most)
    rows = [State(*(part[i : i + 1] for part in games)) for i in range(copies)]
    return [Game.over_arrays(game.graph, game.rules, board, row) for row in rows]
