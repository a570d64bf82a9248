"""The three rule sets as named numbers, and the rules that Python and kernels share (docs/rules.md). Imports no Numba."""

from dataclasses import dataclass
from operator import index

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


MAX_TURNS = 2**31 - 2
"""The largest turn limit: turns are counted in 32 bits, and the engine looks one turn ahead."""


def checked_max_turns(max_turns: object) -> int:
    """A turn limit that a caller or a file gave; ValueError for anything but a whole number from 1 to `MAX_TURNS`."""
    if isinstance(max_turns, bool) or not hasattr(max_turns, "__index__") or not 1 <= index(max_turns) <= MAX_TURNS:  # pyright: ignore[reportArgumentType]
        raise ValueError(f"max_turns must be a number of turns from 1 to {MAX_TURNS}, not {max_turns!r:.100}")
    return index(max_turns)  # pyright: ignore[reportArgumentType]


def player_on(turn: int) -> int:
    """R3: the player who moves on a turn, 0 (player 1) on odd turns and 1 (player 2) on even ones."""
    return 1 - (turn & 1)


def outnumbers(people: int, others: int) -> bool:
    """R6: a planet belongs to the player with strictly more people there; in PlanetWars the other has none."""
    return people > others


def owner_of(first: int, second: int) -> int:
    """The owner of a planet with so many people of player 1 and of player 2: 1, 2, or 0 for nobody (R5, R6)."""
    return 1 if outnumbers(first, second) else 2 if outnumbers(second, first) else 0


PLANETWARS = Rules("PLANETWARS", coexistence=False, turns_per_weight=1, max_turns=None)
PLANETWARS_HALF_STEP = Rules("PLANETWARS_HALF_STEP", coexistence=False, turns_per_weight=2, max_turns=None)
SPACE_EXPLORERS = Rules("SPACE_EXPLORERS", coexistence=True, turns_per_weight=1, max_turns=100)
PRESETS = {rules.name: rules for rules in (PLANETWARS, PLANETWARS_HALF_STEP, SPACE_EXPLORERS)}
