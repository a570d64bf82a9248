"""The rules of one planet that all rule sets share: who owns it, how it grows, how its excess shrinks."""

from planetwars_env.engine import rules
from planetwars_env.engine.kernel import part
from planetwars_env.engine.rules import SHRINKAGE

outnumbers = part(rules.outnumbers)


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
