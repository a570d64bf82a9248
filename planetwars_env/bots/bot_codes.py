"""The numbers of opponents inside kernels."""

from planetwars_env.names import chosen_name

SCRATCH_ROWS = 16
"""Rows of the notepad that kernels are given."""

NOOP, RANDOM, AI1, AI2, AI3, ADVISOR = range(6)
"""ADVISOR is ai3 without its timidity: what planner starts from, and an opponent for training."""
EXTERNAL = -1
"""A strategy or an agent that runs outside the kernel."""
SELF_PLAY = -2
"""No opponent: one agent plays both sides, asked for whoever is to move."""

BOTS = {"noop": NOOP, "random": RANDOM, "ai1": AI1, "ai2": AI2, "ai3": AI3}
"""The built-in bots by name."""
COMPILED_BOTS = BOTS | {"advisor": ADVISOR}
"""Everybody compiled that can be played against by name; the advisor is not a step of the ladder."""


def built_in_code(name: str) -> int:
    """The code of the built-in bot of this name, in any case; ValueError for another name, with the closest one."""
    return BOTS[chosen_name(name, BOTS, "no compiled bot is called")]
