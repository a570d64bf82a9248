"""Sizes of an action space, as networks need them."""

from typing import NamedTuple

from planetwars_env.codec.limits import Limits
from planetwars_env.engine.rules import Rules


class ActionSpec(NamedTuple):
    """Action space in slots: "turn" has P slots of 1 + D * K choices, "order" has one slot of 1 + E * K.

    ``coexistence`` and ``turns_per_weight`` are those of the `Rules`, for networks that look ahead. Not ``masked``:
    every edge of every planet can be chosen, and illegal orders do nothing. ``memory``: observations have the table of
    `MemoryWrapper`.
    """

    orders: bool
    limits: Limits
    fractions: int
    coexistence: bool = False
    turns_per_weight: int = 1
    masked: bool = True
    memory: bool = False

    def under(self, rules: Rules) -> "ActionSpec":
        """Return the same action space for games of ``rules``."""
        return self._replace(coexistence=rules.coexistence, turns_per_weight=rules.turns_per_weight)

    @property
    def slots(self) -> int:
        """Number of choices that one action makes."""
        return 1 if self.orders else self.limits.planets

    @property
    def per_slot(self) -> int:
        """Number of choices of a slot; choice 0 waits or ends the turn."""
        return 1 + (2 * self.limits.edges if self.orders else self.limits.degree) * self.fractions
