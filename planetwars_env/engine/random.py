"""One generator a game, kept in the game's own arrays: a seed gives the same game in every face of the engine.

xorshift64 (Marsaglia 2003): small, fast, and its shifts cannot overflow, so compiled and plain Python agree bit for bit.
"""

from typing import Any

import numpy as np

from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Array

_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1, _MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def seeded(seed: int, games: int) -> Array:
    """Generator states [games] uint64 for ``seed``, ``seed + 1``, ...: neighbouring seeds give unrelated streams.

    The seed is spread by the finaliser of splitmix64 (Steele, Lea, Flood 2014), whose result is never left at zero.
    """
    start = np.uint64(seed % 2**64)
    word = (start + np.arange(1, games + 1, dtype=np.uint64)) * np.uint64(_GOLDEN)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(_MIX_1)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(_MIX_2)
    word ^= word >> np.uint64(31)
    return np.where(word == 0, np.uint64(_GOLDEN), word)


@part
def below(random: Array, g: int, bound: int) -> Any:
    """A whole number from 0 to ``bound`` - 1 (1 <= bound < 2^31) from game g's generator."""
    word = random[g]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    random[g] = word
    return np.int64(((word >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
