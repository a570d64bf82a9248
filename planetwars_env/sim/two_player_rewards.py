"""A game that one batch shows from one side at a time, counted from both: what each player is owed, and when."""

import numpy as np

from planetwars_env.codec.rewards import Reward, win
from planetwars_env.sim import fields
from planetwars_env.sim.buffers import StepBuffers
from planetwars_env.sim.result import StepResult, info

_OTHER_SIDE = np.array(
    [
        fields.INFO_TURN,
        fields.INFO_WINNER,
        fields.INFO_OPPONENT_PLANETS,
        fields.INFO_MY_PLANETS,
        fields.INFO_OPPONENT_PEOPLE,
        fields.INFO_MY_PEOPLE,
        fields.INFO_PLAYER,
        fields.INFO_WON,
    ]
)
"""A group of numbers (sim/fields.py) as the opponent counts them, but for the last two."""


class TwoPlayerRewards:
    """One game of both players. Each is paid from one decision to its next, or to the end."""

    def __init__(self, reward: Reward) -> None:
        self._reward = reward
        self._rows = np.zeros(
            (2, fields.RESULT_WIDTH), np.int64
        )  # StepBuffers.result of each player, from its own side
        self._unpaid = [False, False]

    def begin(self, buffers: StepBuffers) -> None:
        """A new game."""
        self._unpaid = [False, False]
        self.take_stock(buffers)

    def take_stock(self, buffers: StepBuffers) -> None:
        """Read both sides off the numbers of whoever the batch asks or asked last."""
        rows, numbers, asked = self._rows, buffers.result[0], buffers.control[0, fields.AGENT_PLAYER]
        rows[:, fields.WON : fields.AFTER] = numbers[fields.WON : fields.AFTER]
        rows[1 - asked, fields.WON] = -numbers[fields.WON]
        rows[asked, fields.SHOWN :] = numbers[fields.SHOWN :]
        rows[1 - asked, fields.SHOWN :] = numbers[fields.SHOWN + _OTHER_SIDE]
        rows[1 - asked, fields.SHOWN + fields.INFO_PLAYER] = 2 - asked
        rows[1 - asked, fields.SHOWN + fields.INFO_WON] *= -1
        rows[:, fields.AFTER : fields.AFTER + fields.GROUP] = rows[:, fields.SHOWN :]

    def act(self, player: int) -> None:
        """A player decides: what follows is measured from here."""
        self._rows[player, fields.BEFORE : fields.BEFORE + fields.GROUP] = self._rows[player, fields.SHOWN :]
        self._unpaid[player] = True

    def pay(self, over: bool, mover: int) -> list[float]:
        """The rewards of both: 0 but for whoever decides again, or for everybody at the end."""
        if over and False in self._unpaid:
            self.act(self._unpaid.index(False))  # it never came to move: its only step begins where it ends
        due = [player for player in (0, 1) if self._unpaid[player] and (over or player == mover)]
        rewards = [0.0, 0.0]
        if due:
            rows = self._rows[due]
            values = rows[:, fields.WON] if self._reward is win else self._reward(StepResult(rows).transition)
            for player, value in zip(due, values, strict=True):
                rewards[player] = float(value)
                self._unpaid[player] = False
        return rewards

    def info(self, player: int) -> dict[str, int]:
        """The info of one player."""
        return info(self._rows[player, fields.SHOWN :].tolist())
