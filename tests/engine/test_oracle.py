"""The slow oracle itself: its own pieces, the claims of docs/rules.md it leans on, and the games it is asked to play.

The rules are told on it, and on the engine alike, in test_rules.py; the recorded games in test_golden.py.
"""

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.verification.planet_rules import pass_time
from support import oracle
from support.hypothesis_strategies import examples, scripts, scripts_in_midgame
from support.implementations import PRESETS, Script, play_script

every_preset = pytest.mark.parametrize("preset", PRESETS)
PEOPLE = st.integers(0, 60_000_000)


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(1, 2000))
def test_who_lives_alone_grows_as_in_planetwars(size: int, habitability: int, people: int) -> None:
    """So that one growth step serves both games: the shares of SpaceExplorers sum up to the increase.

    Above the size nobody is born (R4), and the planet shrinks (R7).
    """
    expected = min(size, math.ceil(people * (1 + habitability / 100)))
    if people > size:
        expected = people - (people - size + 9) // 10
    for coexistence in (False, True):
        assert pass_time(people, 0, 0, 0, size, habitability, coexistence) == (expected, 0)
        assert pass_time(0, people, 0, 0, size, habitability, coexistence) == (0, expected)


@given(PEOPLE)
def test_the_defence_of_r5_and_the_loss_of_r7_are_the_same_in_doubles(people: int) -> None:
    assert pass_time(people, 0, 0, math.trunc(1.1 * people), 60_000_000, 0, False) == (0, 0)
    assert pass_time(1 + people, 0, 0, 0, 1, 0, False) == (1 + people - math.ceil(0.1 * people), 0)


@pytest.mark.long
@every_preset
def test_the_games_made_up_for_the_engine_are_worth_playing(preset: str) -> None:
    """Legal and illegal moves, games won by either, games without an end and games of many turns all occur."""
    seen: Counter[Any] = Counter()

    @examples(400)  # player 2 wins 7 % of those of the half-step rules
    @given(scripts(preset) | scripts_in_midgame(preset))
    def play(script: Script) -> None:
        trace = play_script(oracle.Game, script)
        for _, accepted, after in trace.steps:
            seen.update(accepted)
            seen["both fly"] += {1, 2} <= {player for _, _, player, _, _ in after["shuttles"]}
        seen["over", trace.end["over"], trace.end["winner"]] += 1
        seen["long"] += len(trace.steps) > 20

    play()
    endings = [("over", True, 1), ("over", True, 2), ("over", False, 0)]
    assert min(seen[what] for what in [True, False, "both fly", "long", *endings]) >= 1, seen
