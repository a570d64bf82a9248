"""Arguments of a batch of games."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from planetwars_env.bots.bot_codes import EXTERNAL, SELF_PLAY
from planetwars_env.bots.catalogue import Player
from planetwars_env.codec.limits import Limits
from planetwars_env.codec.one_game import OneGameCodec
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.graphs.graph import Graph
from planetwars_env.sim import fields


class Autoreset(IntEnum):
    """When a game follows one that is over: with the next step, within the same, or when `Batch.reset` is called."""

    NEXT_STEP = fields.NEXT_STEP
    SAME_STEP = fields.SAME_STEP
    DISABLED = fields.DISABLED


@dataclass(frozen=True)
class BatchSetup:
    """Setup of a batch of games: ``player`` is the agent's (1, 2) or None to draw it, ``max_orders`` 0 for whole turns.

    ``sends``: slots of a planet in an action of a whole turn. ``privileged``: observations without fog are written too.
    """

    rules: Rules
    graphs: Sequence[Graph]
    opponents: Sequence[Player]
    player: int | None
    limits: Limits
    fractions: Sequence[float]
    max_orders: int
    max_turns: int
    autoreset: Autoreset
    privileged: bool = False
    sends: int = 1

    @cached_property
    def codec(self) -> OneGameCodec:
        """The form of observations and actions."""
        return OneGameCodec(self.limits, self.fractions, self.max_orders, self.sends)

    @cached_property
    def opponent_names(self) -> tuple[str, ...]:
        """The names of the opponents, in their order."""
        return tuple(opponent.name for opponent in self.opponents)

    @cached_property
    def self_play(self) -> bool:
        """Whether a game may have no opponent, so that the agent plays both sides."""
        return any(opponent.code == SELF_PLAY for opponent in self.opponents)

    @cached_property
    def has_external(self) -> bool:
        """Whether an opponent may be a strategy or policy outside the kernel."""
        return any(opponent.code == EXTERNAL for opponent in self.opponents)

    def numbers(self) -> Array:
        """Return the setup as the kernel reads it (columns: sim/fields.py)."""
        player = -1 if self.player is None else self.player - 1
        opponents = [opponent.code for opponent in self.opponents]
        tables = fields.FIRST_OPPONENT + len(opponents)
        numbers = self.autoreset, int(self.rules.coexistence), self.max_turns, player, len(opponents), tables
        return np.array([*numbers, *opponents], np.int64)
