"""The rules of one planet that all rule sets share: who owns it, how it grows, how its excess shrinks.

The numbers are whole but of type float64, whose arithmetic processors do on several planets at once.
"""

import numpy as np

from planetwars_env.engine import rules
from planetwars_env.engine.kernel import part
from planetwars_env.engine.rules import SHRINKAGE

outnumbers = part(rules.outnumbers)


@part
def grown(people, size, growth):
    """R4: people after growth, in double precision, rounded up, stopped at the size; above the size nobody is born.

    The product stands apart from any sum, so that no compiler contracts the two and changes the rounding.
    """
    return max(np.float64(people), np.ceil(min(people * growth, np.float64(size))))


@part
def loss(people, size):
    """R7: a population above the size loses `SHRINKAGE` of its excess, rounded up."""
    return np.ceil(SHRINKAGE * max(0.0, np.float64(people) - np.float64(size)))
