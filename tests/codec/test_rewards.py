"""Rewards as functions of a transition, by hand (tests/envs/test_env.py has them in games)."""

from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.codec.rewards import Standing, Transition, resolve_reward, rewards_of_both, win

EVEN = (2.0, 2.0, 10.0, 10.0)
AHEAD = (3.0, 1.0, 30.0, 10.0)  # half of all people and half of all planets ahead
GONE = (0.0, 0.0, 0.0, 0.0)
ALONE = (1.0, 0.0, 1.0, 0.0)


def standing(*games: tuple[float, float, float, float]) -> Standing:
    return Standing(*(np.array(column) for column in zip(*games, strict=True)))


def step(before: Standing, after: Standing, won: float = 0, terminated: bool = False) -> Transition:
    games = len(before.my_people)
    ends = np.full(games, terminated)
    return Transition(np.full(games, float(won)), ends, np.zeros(games, bool), before, after)


def test_the_potential_is_the_mean_lead_in_people_and_planets_by_what_both_have() -> None:
    positions = standing(EVEN, AHEAD, (1, 3, 10, 30), (4, 0, 5, 0), (1, 3, 30, 10), (2, 2, 9, 1))
    assert pw.Shaped().potential(positions) == pytest.approx([0, 0.5, -0.5, 1, 0, 0.4])
    assert pw.Shaped(scale=3).potential(positions) == pytest.approx([0, 1.5, -1.5, 3, 0, 1.2])

    assert pw.Shaped().potential(standing(GONE, ALONE)) == pytest.approx([0, 1])  # nobody leads where nobody is


def test_shaping_is_the_discounted_gain_of_potential_which_ends_with_the_game_and_the_win_is_added() -> None:
    shaped = pw.Shaped(gamma=0.9, scale=2)
    assert shaped(step(standing(EVEN, AHEAD), standing(AHEAD, AHEAD))) == pytest.approx([0.9, 0.9 - 1])
    shaped = pw.Shaped(gamma=0.9)
    assert shaped(step(standing(AHEAD), standing(AHEAD), won=1, terminated=True)) == pytest.approx([1 - 0.5])
    assert shaped(step(standing(AHEAD), standing(AHEAD), won=-1)) == pytest.approx([-1 + 0.45 - 0.5])


def test_discounts_and_scales_left_out_are_the_documented_ones_and_cannot_be_changed() -> None:
    assert pw.Shaped() == pw.Shaped(0.999, 1.0)
    assert pw.Shaped(0).gamma == 0 and pw.Shaped(1).gamma == 1
    with pytest.raises(AttributeError):
        pw.Shaped().gamma = 0.5  # type: ignore[misc]


def test_a_reward_is_a_name_or_any_function() -> None:
    def own(transition: Transition) -> np.ndarray:
        return 2 * transition.won

    transition = step(standing(EVEN), standing(EVEN), won=1)
    assert resolve_reward("win") is win and win(transition).tolist() == [1]
    assert resolve_reward(own)(transition).tolist() == [2]
    with pytest.raises(ValueError, match="unknown reward 'victory'"):
        resolve_reward("victory")


def test_the_rewards_of_both_players_are_those_of_a_step_counted_from_either_side() -> None:
    def planets_taken(transition: Transition) -> np.ndarray:
        return transition.won + transition.after.my_planets - transition.before.my_planets

    taken = step(standing(EVEN, EVEN), standing(AHEAD, AHEAD), won=1)
    players = np.array([1, 2])
    assert rewards_of_both(planets_taken, taken, players).tolist() == [[2, -2], [-2, 2]]
    assert rewards_of_both(win, taken, players).tolist() == [[1, -1], [-1, 1]]
    shaped = rewards_of_both(pw.Shaped(0.9), taken, players)
    assert shaped == pytest.approx(np.array([[1.45, -1.45], [-1.45, 1.45]]))


@pytest.mark.parametrize(
    ("rewards", "found"),
    [
        (np.zeros(3), r"float64 of shape \(3,\)"),
        (np.array([np.nan, 0.0]), "NaN or infinity among them"),
        (None, r"object of shape \(\)"),
        (0.0, r"float64 of shape \(\)"),
    ],
)
def test_a_reward_that_is_not_one_number_per_game_is_an_error(rewards: Any, found: str) -> None:
    def mine(transition: Any) -> Any:
        return rewards

    envs = pw.PlanetWarsVectorEnv(2, reward=mine)
    envs.reset(seed=0)
    with pytest.raises(
        ValueError, match=rf"the rewards of 'mine' must be finite numbers of shape \(2,\), one per game, not {found}"
    ):
        envs.step(np.zeros((2, 21), np.int64))
