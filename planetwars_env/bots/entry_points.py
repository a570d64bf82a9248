"""The bots as Python calls them, one turn at a time (`strategy.py`, replays); whole games have a kernel in `sim`."""

from typing import Any

import numpy as np

from planetwars_env.bots import compiled
from planetwars_env.bots.bot_codes import SCRATCH_ROWS
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Array, Board

play_bot = kernel(compiled.play_bot)


def make_scratch(board: Board, people: Any) -> Array:
    """The notepad [SCRATCH_ROWS, the larger of P and E] for kernels with bots or codecs; ``people``: the state's type."""
    return np.zeros((SCRATCH_ROWS, max(board.planets.shape[2], board.edges.shape[2])), people)
