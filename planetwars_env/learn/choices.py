"""The sizes of an action space, as networks need them."""

from typing import NamedTuple

from planetwars_env.codec.limits import Limits


class Choices(NamedTuple):
    """The action space: "turn" has P slots of 1 + D * K choices, "order" one slot of 1 + E * K."""

    orders: bool
    limits: Limits
    fractions: int

    @property
    def slots(self) -> int:
        """Choices made at once."""
        return 1 if self.orders else self.limits.planets

    @property
    def per_slot(self) -> int:
        """Entries of a slot; the first one waits or ends the turn."""
        return 1 + (2 * self.limits.edges if self.orders else self.limits.degree) * self.fractions
