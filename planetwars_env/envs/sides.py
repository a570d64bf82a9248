"""A game that one batch shows from one side at a time, counted from both: what each player is owed, and when."""

import numpy as np

from planetwars_env.codec.rewards import Reward, win
from planetwars_env.envs.results import transition
from planetwars_env.sim.desk import (
    AFTER,
    AGENT,
    BEFORE,
    GROUP,
    MY_PEOPLE,
    MY_PLANETS,
    NOW,
    ON_TURN,
    OUTCOME_WIDTH,
    PLAYER_IS,
    RIVAL_PEOPLE,
    RIVAL_PLANETS,
    WINNER_IS,
    WON,
    WON_IS,
    Desk,
)

_OTHER_SIDE = np.array([ON_TURN, WINNER_IS, RIVAL_PLANETS, MY_PLANETS, RIVAL_PEOPLE, MY_PEOPLE, PLAYER_IS, WON_IS])
"""A group of numbers (sim/desk.py) as the rival counts them, but for the last two."""


class Sides:
    """One game of both players. Each is paid from one decision to its next, or to the end."""

    def __init__(self, reward: Reward) -> None:
        self._reward = reward
        self._rows = np.zeros((2, OUTCOME_WIDTH), np.int64)  # Desk.outcome of each player, from its own side
        self._unpaid = [False, False]

    def begin(self, desk: Desk) -> None:
        """A new game."""
        self._unpaid = [False, False]
        self.take_stock(desk)

    def take_stock(self, desk: Desk) -> None:
        """Read both sides off the numbers of whoever the batch asks or asked last."""
        rows, numbers, asked = self._rows, desk.outcome[0], desk.seat[0, AGENT]
        rows[:, WON:AFTER] = numbers[WON:AFTER]
        rows[1 - asked, WON] = -numbers[WON]
        rows[asked, NOW:] = numbers[NOW:]
        rows[1 - asked, NOW:] = numbers[NOW + _OTHER_SIDE]
        rows[1 - asked, NOW + PLAYER_IS] = 2 - asked
        rows[1 - asked, NOW + WON_IS] *= -1
        rows[:, AFTER : AFTER + GROUP] = rows[:, NOW:]

    def act(self, player: int) -> None:
        """A player decides: what follows is measured from here."""
        self._rows[player, BEFORE : BEFORE + GROUP] = self._rows[player, NOW:]
        self._unpaid[player] = True

    def pay(self, over: bool, mover: int) -> list[float]:
        """The rewards of both: 0 but for whoever decides again, or for everybody at the end."""
        if over and False in self._unpaid:
            self.act(self._unpaid.index(False))  # it never came to move: its only step begins where it ends
        due = [player for player in (0, 1) if self._unpaid[player] and (over or player == mover)]
        rewards = [0.0, 0.0]
        if due:
            rows = self._rows[due]
            values = rows[:, WON] if self._reward is win else self._reward(transition(rows))
            for player, value in zip(due, values, strict=True):
                rewards[player] = float(value)
                self._unpaid[player] = False
        return rewards

    def numbers(self, player: int) -> list[int]:
        """The group of numbers that an info tells."""
        return self._rows[player, NOW:].tolist()
