"""Rewards of a step: win or loss, the same with shaping, or the user's own function of the same numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planetwars_env.engine.state import Array


class Standing(NamedTuple):
    """The true state in four numbers a game [N] float64, from the agent's side: a training signal, no observation.

    People count on planets and in flight.
    """

    my_planets: Array
    opponent_planets: Array
    my_people: Array
    opponent_people: Array


class Transition(NamedTuple):
    """One step of N games. ``won`` [N] float64: +1, 0, -1 when the game ended, else 0; ``terminated``, ``truncated`` [N] bool."""

    won: Array
    terminated: Array
    truncated: Array
    before: Standing
    after: Standing


Reward = Callable[[Transition], Array]
"""Any function from a `Transition` of N games to N rewards."""


def win(transition: Transition) -> Array:
    """+1 for a won game, -1 for a lost one, 0 for a draw, a game cut off, and while it goes on."""
    return transition.won


@dataclass(frozen=True, slots=True)
class Shaped:
    """`win` plus gamma * phi(s') - phi(s), which changes no optimal policy (Ng, Harada, Russell 1999).

    phi, between -``scale`` and ``scale``, is the mean of the lead in people and the lead in planets, each as a share of
    what both players have. It is 0 once a game has terminated, and kept when it is truncated. ``gamma`` must be the
    learner's discount. With actions="order" every order is a step of its own: those within a turn change no phi and are worth
    (gamma - 1) * phi, the rest comes with the order that ends the turn. ValueError for a gamma outside [0, 1].
    """

    gamma: float = 0.999
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must lie between 0 and 1, not {self.gamma}")

    def __call__(self, transition: Transition) -> Array:
        """The rewards [N] float64."""
        after = np.where(transition.terminated, 0.0, self.potential(transition.after))
        return transition.won + self.gamma * after - self.potential(transition.before)

    def potential(self, standing: Standing) -> Array:
        """phi [N] float64."""
        people = _lead(standing.my_people, standing.opponent_people)
        planets = _lead(standing.my_planets, standing.opponent_planets)
        return self.scale * (people + planets) / 2


def _lead(mine: Array, opponents: Array) -> Array:
    return (mine - opponents) / np.maximum(mine + opponents, 1)


def resolve_reward(reward: str | Reward) -> Reward:
    """``"win"``, or any function of a `Transition`; ValueError for another name."""
    if reward == "win":
        return win
    if callable(reward):
        return reward if isinstance(reward, Shaped) else _CheckedReward(reward)
    raise ValueError(f'unknown reward {reward!r}: pass "win", pw.Shaped(gamma, scale) or a function of a pw.Transition')


@dataclass(frozen=True)
class _CheckedReward:
    """A function of the user's; ValueError where it does not answer with one number for each game."""

    function: Reward

    def __call__(self, transition: Transition) -> Array:
        rewards = np.asarray(self.function(transition))
        shape = transition.won.shape
        if rewards.shape != shape or rewards.dtype.kind not in "biuf" or not np.isfinite(rewards).all():
            name = getattr(self.function, "__name__", type(self.function).__name__)
            fault = (
                "NaN or infinity among them" if rewards.shape == shape else f"{rewards.dtype} of shape {rewards.shape}"
            )
            raise ValueError(
                f"the rewards of {name!r} must be finite numbers of shape {shape}, one per game, not {fault}"
            )
        return rewards


def rewards_of_both(reward: Reward, transition: Transition, players: Array) -> Array:
    """The rewards [N, 2] of players 1 and 2 for a step of ``players`` [N], whose side ``transition`` takes."""
    before, after = (
        Standing(one.opponent_planets, one.my_planets, one.opponent_people, one.my_people)
        for one in (transition.before, transition.after)
    )
    opponents = transition._replace(won=0.0 - transition.won, before=before, after=after)
    own = np.array(reward(transition), dtype=np.float64)  # the function may answer with one array of its own twice
    other = np.array(reward(opponents), dtype=np.float64)
    first = players == 1
    return np.stack([np.where(first, own, other), np.where(first, other, own)], 1)
