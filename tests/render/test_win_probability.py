"""The probability to win: its features, what it says of a game, and the regression that its coefficients come from."""

from dataclasses import replace

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.engine.rules import PRESETS
from planetwars_env.render.win_probability import features, totals_of, win_curve, win_probability
from scripts.research.win_probability import fitted, probabilities


def test_totals_are_people_planets_room_and_growth() -> None:
    graph = pw.Graph.from_dict(
        {
            "planets": [
                {"id": 1, "size": 100, "habitability": 10, "x": 0, "y": 0, "base": 1},
                {"id": 2, "size": 50, "habitability": 20, "x": 1, "y": 0, "base": 2},
            ],
            "edges": [{"a": 1, "b": 2, "weight": 2}],
        }
    )
    game = pw.Game(graph)
    before = {"turn": 11, "planets": [[1, 1, 40, 0], [2, 2, 0, 47]], "shuttles": [[1, 2, 1, 5, 2]]}
    totals = totals_of(pw.Game.from_dict(graph, {**game.to_dict(), **before}))
    assert totals.tolist() == [[45, 47], [1, 1], [60, 3], [4, 3]]


@pytest.mark.parametrize("rules", PRESETS)
def test_who_has_more_is_ahead_and_nobody_is_when_all_is_equal(rules: str) -> None:
    more, equal = np.array([[90, 30], [5, 2], [80, 30], [9, 3]]), np.full((4, 2), 7)
    for turn in (1, 20, 100, 400):
        chance, mirrored = win_probability(more, turn, rules), win_probability(more[:, ::-1], turn, rules)
        assert chance is not None
        assert chance > 0.5
        assert mirrored == pytest.approx(1 - chance)
        assert win_probability(equal, turn, rules) == 0.5


def test_a_game_ends_with_its_result_and_rules_of_ones_own_have_no_curve() -> None:
    replay = pw.play_match("ai3", "random", "rings", seed=1)
    curve = win_curve(replay)
    assert len(curve) == len(replay.moves) + 1
    assert curve[-1] == (1000 if replay.winner == 1 else 0)
    assert all(0 <= part <= 1000 for part in curve)
    assert win_curve(replace(replay, rules=replace(replay.rules, name="mine"))) == []


def test_the_regression_finds_the_coefficients_that_made_the_data() -> None:
    rng = np.random.default_rng(1)
    rows = rng.uniform(-1, 1, (20_000, 3))
    made = np.array([3.0, -1.0, 0.0])
    won = (rng.random(len(rows)) < probabilities(rows, made)).astype(float)
    assert fitted(rows, won, np.ones(len(rows))) == pytest.approx(made, abs=0.15)


def test_features_do_not_depend_on_the_size_of_the_game() -> None:
    totals = np.array([[40, 20], [4, 2], [30, 10], [6, 2]])
    assert features(totals, 50) == pytest.approx(features(10 * totals, 50))
