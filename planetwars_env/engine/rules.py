"""The three rule sets as named numbers (docs/rules.md)."""

from dataclasses import dataclass

DEFENCE = 1.1
"""R5: how much a defender counts; the product is truncated."""
SHRINKAGE = 0.1
"""R7: the share of the excess over a planet's size that is lost in a turn; the product is rounded up."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set. ``coexistence``: both players live on a planet and the majority owns it (R6), instead of battle (R5).

    ``turns_per_weight``: turns a shuttle needs for each unit of an edge's weight. ``max_turns``: the turn after whose
    moves the larger population wins (R10, SpaceExplorers), None where only elimination ends a game.
    """

    name: str
    coexistence: bool
    turns_per_weight: int
    max_turns: int | None


PLANETWARS = Rules("PLANETWARS", coexistence=False, turns_per_weight=1, max_turns=None)
PLANETWARS_HALF_STEP = Rules("PLANETWARS_HALF_STEP", coexistence=False, turns_per_weight=2, max_turns=None)
SPACE_EXPLORERS = Rules("SPACE_EXPLORERS", coexistence=True, turns_per_weight=1, max_turns=100)
PRESETS = {rules.name: rules for rules in (PLANETWARS, PLANETWARS_HALF_STEP, SPACE_EXPLORERS)}
