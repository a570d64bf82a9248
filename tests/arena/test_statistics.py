"""Interquartile mean and its stratified bootstrap interval, against rliable 1.2.0 and numbers worked out by hand."""

import pytest

from planetwars_env.arena.results import bootstrap_interval, interquartile_mean

SCORES = [
    [0.555, 0.396, 0.318, 0.526, 0.659, 0.213],
    [0.813, 0.693, 0.211, 0.466, 0.83, 0.239],
    [0.178, 0.503, 0.452, 0.28, 0.812, 0.11],
    [0.688, 0.776, 0.716, 0.303, 0.439, 0.541],
    [0.191, 0.87, 0.628, 0.608, 0.45, 0.655],
]
RLIABLE = 0.5116875, (0.41224844, 0.59975156)
"""Its `aggregate_iqm` of SCORES, and its interval from 20,000 resamples."""


def test_a_quarter_is_cut_at_either_end() -> None:
    assert interquartile_mean([1, 2, 3, 4]) == 2.5
    assert interquartile_mean([-100, 1, 2, 3, 4, 5, 6, 1000]) == 3.5
    assert interquartile_mean([7]) == 7
    assert interquartile_mean([1, 2, 9]) == 4, "of three none is cut"


def test_mean_and_interval_are_those_of_rliable_and_the_same_every_time() -> None:
    low, high = bootstrap_interval(SCORES) or (0, 0)
    mean, interval = RLIABLE
    assert interquartile_mean(SCORES) == pytest.approx(mean)
    assert (low, high) == pytest.approx(interval, abs=0.008)
    assert bootstrap_interval(SCORES) == (low, high)
    assert bootstrap_interval(SCORES[:1]) is None


def test_runs_are_drawn_within_a_task() -> None:
    """Tasks that differ while the runs agree leave nothing to chance."""
    assert bootstrap_interval([[0.1, 0.9, 0.5]] * 4) == pytest.approx((0.5, 0.5))
