"""Colours of pages, light and dark, and of pictures, which are light.

The players' are from Okabe and Ito's palette for colour-blind readers. All are as dark or as light as words (contrast 4.5)
and edges and borders (3) must be.
"""

from typing import NamedTuple


class Palette(NamedTuple):
    """Colours as #rrggbb: of the players, the tints of their planets, and everything else.

    ``heat``: of the rings that `pw.draw` draws around planets.
    """

    ground: str
    panel: str
    ink: str
    soft: str
    line: str
    planet: str
    fog: str
    nobody: str
    player_1: str
    player_2: str
    tint_1: str
    tint_2: str
    heat: str


_COLOURS = {  # light and dark
    "ground": ("#ffffff", "#11161f"),
    "panel": ("#f3f5f8", "#1a212d"),
    "ink": ("#1b2330", "#edf1f7"),
    "soft": ("#5c6675", "#a2acbb"),
    "line": ("#808b99", "#708097"),
    "planet": ("#ffffff", "#1d2532"),
    "fog": ("#eceff3", "#171d28"),
    "nobody": ("#5f6b7a", "#8d98a8"),
    "player_1": ("#0072b2", "#56b4e9"),
    "player_2": ("#b34d00", "#f08a3c"),
    "tint_1": ("#e3f0f8", "#1b3548"),
    "tint_2": ("#fbeadd", "#43301f"),
    "heat": ("#a1006b", "#e58cc0"),
}
LIGHT, DARK = (Palette(**{name: both[place] for name, both in _COLOURS.items()}) for place in (0, 1))


def owner_colour(owner: int | None) -> str:
    """Return the colour of player 1 or 2 in pictures, else that of neutral and hidden planets."""
    return {1: LIGHT.player_1, 2: LIGHT.player_2}.get(owner or 0, LIGHT.nobody)


def ground_colour(owner: int | None) -> str:
    """Return the colour of the empty part of a planet in pictures."""
    return {1: LIGHT.tint_1, 2: LIGHT.tint_2}.get(owner or 0, LIGHT.planet)


def mixed(ground: str, colour: str, fraction: float) -> str:
    """Return a mixture: ``fraction`` (0 to 1) of ``colour``, the rest ``ground``."""
    pairs = [(int(ground[i : i + 2], 16), int(colour[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(below + (above - below) * fraction):02x}" for below, above in pairs)
