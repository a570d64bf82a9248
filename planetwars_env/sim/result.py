"""The result of a step by name: rewards, ends, infos."""

from typing import Any

import numpy as np

from planetwars_env.codec.rewards import Standing, Transition
from planetwars_env.engine.state import Array
from planetwars_env.sim import fields

INFO = ("turn", "winner", *Standing._fields, "player", "won", "opponent", "graph")
"""The keys of an info, in the order of a group of numbers in sim/fields.py."""


class StepResult:
    """The last step of N games, read from its numbers [N, 33] (`StepBuffers.result`)."""

    def __init__(self, numbers: Array) -> None:
        self._numbers = numbers
        self._first = numbers[0, : fields.AFTER]

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
        """[N] bool: ended by a limit that is not a rule."""
        return self._numbers[:, fields.TRUNCATED] > 0

    @property
    def shown(self) -> Array:
        """[N, 10] int64: the numbers of `INFO`, of the game that is shown now."""
        return self._numbers[:, fields.SHOWN : fields.AFTER]

    @property
    def after(self) -> Array:
        """[N, 10] int64: the numbers of `INFO` after the step; those of the last game where a new one began in it."""
        return self._numbers[:, fields.AFTER : fields.BEFORE]

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

    def of_first(self) -> tuple[int, bool, bool, dict[str, Any]]:
        """Of the first game: won, terminated, truncated, and its info: the true state, to measure by, not to play by."""
        # Spelled out, because a call and a list more take a twentieth of a step of a single environment.
        (
            won, terminated, truncated,
            turn, winner, mine, theirs, my_people, their_people, player, decided, opponent, graph,
        ) = self._first.tolist()  # fmt: skip
        info: dict[str, Any] = {
            "turn": turn,
            "winner": winner,
            "my_planets": mine,
            "opponent_planets": theirs,
            "my_people": my_people,
            "opponent_people": their_people,
            "player": player,
            "won": decided,
            "opponent": opponent,
            "graph": graph,
        }
        return won, terminated > 0, truncated > 0, info


def _standing(result: Array, group: int) -> Standing:
    first = group + fields.INFO_MY_PLANETS  # these four columns have the order of a Standing
    return Standing(*result[:, first : first + len(Standing._fields)].T.astype(np.float64))
