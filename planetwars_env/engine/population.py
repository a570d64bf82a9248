"""The rules of one planet that all rule sets share: who owns it, how it grows, how its excess shrinks."""

from planetwars_env.engine.kernel import part
from planetwars_env.engine.rules import SHRINKAGE


def owner_of(first: int, second: int) -> int:
    """The owner of a planet with so many people of player 1 and of player 2: 1, 2, or 0 for nobody (R5, R6)."""
    return 1 if _outnumbers(first, second) else 2 if _outnumbers(second, first) else 0


def _outnumbers(people, others):
    """R6: a planet belongs to the player with strictly more people there; in PlanetWars the other has none."""
    return people > others


outnumbers = part(_outnumbers)


@part
def grown(people, size, growth):
    """R4: people after growth, in double precision, rounded up, stopped at the size; above the size nobody is born.

    The product stands apart from any sum, so that no compiler contracts the two and changes the rounding.
    """
    product = min(people, size) * growth
    whole = int(product)
    rounded_up = whole + (product > whole)
    return people if people > size else min(size, rounded_up)


@part
def shrunk(people, size):
    """R7: a population above the size loses `SHRINKAGE` of its excess, rounded up."""
    excess = max(0, people - size)
    product = SHRINKAGE * excess
    whole = int(product)
    return people - (whole + (product > whole))
