"""Policies as opponents, and both sides of a game."""

import gymnasium
import numpy as np
import pytest

import planetwars_env as pw
from support.environments import make_vec
from support.opponents import FirstLegal


class FirstLegalTwice(FirstLegal):
    """The same, and then half of what is left along the same edge."""

    sends = 2

    def act(self, observation):
        choices = observation["action_mask"].reshape(len(observation["action_mask"]), 2, self.limits.planets, -1)
        return choices[..., 1:].any(axis=-1).astype(int).reshape(len(choices), -1)


class FirstLegalStrategy:
    """The same player, turn by turn and planet by planet, from the view."""

    name = "first legal, by view"
    compete = False

    def take_turn(self, view):
        ways = {planet.id: [] for planet in view.planets}
        for edge in view.edges:
            ways[edge.a].append(edge.b)
            ways[edge.b].append(edge.a)
        able = [planet for planet in view.owned_by(view.player) if ways[planet.id]]
        return [pw.Move(p.id, min(ways[p.id]), max(1, view.my_people(p) // 2)) for p in able]


class FirstLegalTwiceStrategy(FirstLegalStrategy):
    def take_turn(self, view):
        first = super().take_turn(view)
        left = [view.my_people(view.planet(move.source)) - move.people for move in first]
        return first + [m._replace(people=max(1, n // 2)) for m, n in zip(first, left, strict=True) if n]


def play(opponent, steps=60, **arguments):
    envs = make_vec(num_envs=16, opponent=opponent, graphs="test", **arguments)
    observations, _ = envs.reset(seed=5)
    envs.action_space.seed(5)
    trace = [observations]
    for _ in range(steps):
        observations, *_ = envs.step(envs.action_space.sample())
        trace.append(observations)
    return trace


@pytest.mark.parametrize(
    ("policy", "strategy"), [(FirstLegal, FirstLegalStrategy), (FirstLegalTwice, FirstLegalTwiceStrategy)]
)
def test_a_policy_plays_as_the_strategy_that_makes_its_moves(policy, strategy):
    """Player 2 draws no seed of its own before the first move, so both see the same games."""
    by_policy = play(policy(), player=1)
    by_strategy = play(strategy, player=1)
    for first, second in zip(by_policy, by_strategy, strict=True):
        for key in first:
            np.testing.assert_array_equal(first[key], second[key])


def test_a_policy_is_asked_once_for_all_games_that_wait_for_it():
    policy = FirstLegal()
    play(policy, steps=40, player=1)
    assert policy.asked == 40


def test_a_policy_that_gives_orders_is_asked_until_its_turns_end():
    policy = FirstLegal(max_orders=3)
    play(policy, steps=20, player=1)
    assert 20 <= policy.asked <= 60


def test_a_policy_with_limits_below_the_graphs_is_refused():
    with pytest.raises(ValueError, match="planets"):
        play(FirstLegal(limits=pw.Limits(4, 36, 13, 8)))


@pytest.mark.parametrize("actions", ["turn", "order"])
def test_one_agent_plays_both_sides_turn_by_turn(actions):
    env = gymnasium.make("PlanetWars-v0", opponent="self", graphs="test", actions=actions, reward=pw.Shaped(0.9))
    observation, info = env.reset(seed=3)
    rng, paid = np.random.default_rng(3), 0
    for _ in range(200):
        turn, mover = info["turn"], env.get_wrapper_attr("player")
        assert mover == 2 - turn % 2
        if actions == "turn":  # nothing of what the other side saw a moment ago is left
            shown, _ = env.get_wrapper_attr("game").observe(mover)
            assert all(np.array_equal(observation[key], numbers) for key, numbers in shown.items())
        legal = np.flatnonzero(env.get_wrapper_attr("action_masks")())
        action = int(rng.choice(legal)) if actions == "order" else env.action_space.sample()
        observation, reward, terminated, truncated, info = env.step(action)
        assert reward == info["rewards"][mover - 1] == pytest.approx(-info["rewards"][2 - mover])
        paid += reward != 0
        if terminated or truncated:
            observation, info = env.reset()
    assert paid
