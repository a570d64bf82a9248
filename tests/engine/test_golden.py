"""The recorded games of the original engines, replayed by the oracle and by the engine (docs/differences.md)."""

from collections import Counter

import pytest

from support.implementations import GAME_MAKERS
from support.recorded_games import recorded_games, replay_planetwars, replay_spaceexplorers

every_maker = pytest.mark.parametrize("name", GAME_MAKERS)


@every_maker
def test_every_recorded_planetwars_game_replays_from_its_start(name: str) -> None:
    counts: Counter[str] = Counter()
    for game in recorded_games("planetwars"):
        replay_planetwars(GAME_MAKERS[name], game, counts)
        counts["games"] += 1
    assert counts == {
        "games": 200,
        "turns": 15_888,
        "accepted flags": 21_008,
        "planet-ticks": 194_454,
        "visible sets": 15_728,
    }


@every_maker
def test_every_comparable_planet_tick_of_spaceexplorers_is_equal(name: str) -> None:
    counts: Counter[str] = Counter()
    for game in recorded_games("spaceexplorers"):
        replay_spaceexplorers(GAME_MAKERS[name], game, counts)
        counts["games"] += 1
    assert counts == {"games": 200, "planet-ticks": 116_839, "owners": 116_261, "accepted flags": 13_441}
