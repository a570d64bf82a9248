"""The generator of a game: the published ones, number for number, so that a seed gives the same game for ever."""

import pytest

from planetwars_env.engine.entry_points import draw
from planetwars_env.engine.random import seeded

pytestmark = pytest.mark.kernels

WORDS = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
"""The first outputs of splitmix64 after seed 0, as its authors publish them."""


def xorshift64(word: int) -> int:
    """Marsaglia's triple 13, 7, 17, in whole numbers of any size."""
    word ^= word << 13 & 2**64 - 1
    word ^= word >> 7
    return word ^ (word << 17 & 2**64 - 1)


def test_neighbouring_seeds_are_the_sequence_of_splitmix64() -> None:
    assert seeded(0, 4).tolist() == WORDS
    assert [int(seeded(seed, 1)[0]) for seed in range(4)] == WORDS
    assert seeded(1, 3).tolist() == WORDS[1:]


def test_seeds_of_any_size_count_modulo_2_to_the_64() -> None:
    assert seeded(2**64, 2).tolist() == seeded(0, 2).tolist()
    assert seeded(-1, 2).tolist() == seeded(2**64 - 1, 2).tolist()
    assert seeded(-1, 2)[1] == WORDS[0]


def test_no_state_is_zero_from_which_nothing_would_follow() -> None:
    assert seeded(2**64 - 1, 1).tolist() == [0x9E3779B97F4A7C15]


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 1000, 2**31 - 1])
def test_numbers_below_a_bound_are_the_upper_half_of_xorshift64_scaled(bound: int) -> None:
    states, words = seeded(5, 3), [int(word) for word in seeded(5, 3)]
    for _ in range(50):
        for g in (2, 0):
            words[g] = xorshift64(words[g])
            assert draw(states, g, bound) == (words[g] >> 32) * bound >> 32
    assert states.tolist() == words
