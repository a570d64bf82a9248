"""The result of a step by name: rewards, ends, infos."""

from collections.abc import Sequence

import numpy as np

from planetwars_env.codec.rewards import Standing, Transition
from planetwars_env.engine.state import Array
from planetwars_env.sim import fields


def info(numbers: Sequence[int]) -> dict[str, int]:
    """The info of one game from a group of its numbers (sim/fields.py): the true state, to measure by, not to play by."""
    turn, winner, my_planets, opponent_planets, my_people, opponent_people, player, won = numbers
    return {
        "turn": turn,
        "winner": winner,
        "my_planets": my_planets,
        "opponent_planets": opponent_planets,
        "my_people": my_people,
        "opponent_people": opponent_people,
        "player": player,
        "won": won,
    }


INFO = tuple(info(range(fields.GROUP)))
"""The keys of an info, in the order of a group of numbers in sim/fields.py."""


class StepResult:
    """The last step of N games, read from its numbers [N, 27] (`StepBuffers.result`)."""

    def __init__(self, numbers: Array) -> None:
        self._numbers = numbers

    @property
    def won(self) -> Array:
        """[N] int64: +1, 0 or -1 where a game ended in this step, else 0."""
        return self._numbers[:, fields.WON]

    @property
    def terminated(self) -> Array:
        """[N] bool: ended by the rules."""
        return self._numbers[:, fields.TERMINATED] > 0

    @property
    def truncated(self) -> Array:
        """[N] bool: ended by a limit that is no rule."""
        return self._numbers[:, fields.TRUNCATED] > 0

    @property
    def now(self) -> Array:
        """[N, 8] int64: the numbers of `INFO`, of the game that is shown now."""
        return self._numbers[:, fields.SHOWN :]

    @property
    def after(self) -> Array:
        """[N, 8] int64: the numbers of `INFO` after the step; those of the last game where a new one began in it."""
        return self._numbers[:, fields.AFTER : fields.AFTER + fields.GROUP]

    @property
    def mover(self) -> Array:
        """[N] int64: the player (1, 2) that the agent was in this step."""
        return self._numbers[:, fields.AFTER + fields.INFO_PLAYER]

    @property
    def transition(self) -> Transition:
        """Numbers that a reward is computed from."""
        return Transition(
            won=self.won.astype(np.float64),
            terminated=self.terminated,
            truncated=self.truncated,
            before=_standing(self._numbers, fields.BEFORE),
            after=_standing(self._numbers, fields.AFTER),
        )

    def of(self, g: int) -> tuple[int, bool, bool, dict[str, int]]:
        """Game g: won, terminated, truncated, and its info."""
        numbers = self._numbers[g].tolist()
        won, terminated, truncated = numbers[: fields.AFTER]
        return won, terminated > 0, truncated > 0, info(numbers[fields.SHOWN :])


def _standing(result: Array, group: int) -> Standing:
    return Standing(
        *(
            result[:, group + place].astype(np.float64)
            for place in (
                fields.INFO_MY_PLANETS,
                fields.INFO_OPPONENT_PLANETS,
                fields.INFO_MY_PEOPLE,
                fields.INFO_OPPONENT_PEOPLE,
            )
        )
    )
