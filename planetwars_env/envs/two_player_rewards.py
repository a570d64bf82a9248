"""Rewards and infos of both players of one game that a batch shows from one side at a time."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.codec.rewards import Reward, Standing, Transition

Info = dict[str, int]


class TwoPlayerRewards:
    """Accounts of one game. Each player is paid from one of its decisions to the next, or to the end of the game."""

    def __init__(self, reward: Reward) -> None:
        self._reward = reward
        self._infos: list[Info] = [{}, {}]
        self._decisions: list[Info | None] = [None, None]

    def begin(self, info: Info) -> None:
        """Start a new game with the batch's ``info`` of its first position."""
        self._decisions = [None, None]
        self.update(info)

    def update(self, info: Info) -> None:
        """Take in the batch's ``info``, which is that of the player to move, or of the last one to move."""
        asked = info["player"] - 1
        self._infos[asked], self._infos[1 - asked] = info, _from_other_side(info)

    def act(self, player: int) -> None:
        """Note a decision of ``player`` (0, 1): its next reward is measured from here."""
        self._decisions[player] = self._infos[player]

    def pay(self, terminated: bool, truncated: bool, mover: int) -> list[float]:
        """Return the rewards of both players: 0 except for the one who decides next, or for both at the end."""
        over = terminated or truncated
        if over and None in self._decisions:
            self.act(self._decisions.index(None))  # it never came to move: its only step begins where it ends
        due = [(player, info) for player, info in enumerate(self._decisions) if info and (over or player == mover)]
        rewards = [0.0, 0.0]
        if due:
            now, ends = [self._infos[player] for player, _ in due], np.ones(len(due), bool)
            transition = Transition(
                won=np.array([info["won"] if over else 0.0 for info in now]),
                terminated=ends & terminated,
                truncated=ends & truncated,
                before=_standing([info for _, info in due]),
                after=_standing(now),
            )
            for (player, _), value in zip(due, self._reward(transition), strict=True):
                rewards[player] = float(value)
                self._decisions[player] = None
        return rewards

    def info(self, player: int) -> Info:
        """Return the info of ``player`` (0, 1)."""
        return dict(self._infos[player])


def _standing(infos: Sequence[Info]) -> Standing:
    return Standing(*(np.array([info[name] for info in infos], np.float64) for name in Standing._fields))


def _from_other_side(info: Info) -> Info:
    """Return the info of the same position as the opponent counts it."""
    return info | {
        "my_planets": info["opponent_planets"],
        "opponent_planets": info["my_planets"],
        "my_people": info["opponent_people"],
        "opponent_people": info["my_people"],
        "player": 3 - info["player"],
        "won": -info["won"],
    }
