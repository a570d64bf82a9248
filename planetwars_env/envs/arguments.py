"""The arguments of every environment, checked in one place."""

from collections.abc import Sequence
from typing import Any

from gymnasium.vector import AutoresetMode

from planetwars_env.bots.catalogue import resolve_opponents
from planetwars_env.codec.layout import make_codec
from planetwars_env.codec.limits import CLASSIC, LARGE, Limits
from planetwars_env.engine.rules import PRESETS, Rules, checked_max_turns
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.names import close_name, known_name
from planetwars_env.sim.batch import Setup

FRACTIONS = (0.25, 0.5, 0.75, 1.0)
CUT_OFF_TURNS = 500
"""Where a game of battles is truncated, per turn that a unit of weight takes."""


def make_setup(
    rules: str | Rules,
    autoreset: int,
    opponent: Any = "random",
    graphs: Any = "train",
    player: str | int = "random",
    actions: str = "turn",
    fractions: Sequence[float] = FRACTIONS,
    limits: Limits | str = CLASSIC,
    max_turns: int | None = None,
    max_orders: int = 8,
    single: bool = False,
) -> Setup:
    """The arguments of docs/environment.md as a `Setup`; ValueError says which one is wrong and what would be right."""
    chosen = resolve_rules(rules)
    orders = _choice("actions", actions, {"turn": 0, "order": max_orders})
    if max_orders < 1:
        raise ValueError(f"max_orders must be at least 1, not {max_orders}")
    pool = resolve_graphs(graphs)
    room = resolve_limits(limits)
    make_codec(room, fractions, orders)
    room.check(pool)
    return Setup(
        rules=chosen,
        graphs=pool,
        opponents=resolve_opponents(opponent, single=single),
        player=_choice("player", player, {"random": None, 1: 1, 2: 2}),
        limits=room,
        fractions=tuple(float(fraction) for fraction in fractions),
        max_orders=orders,
        max_turns=turn_limit(chosen, max_turns),
        autoreset=autoreset,
    )


def resolve_autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """A mode of Gymnasium, by its name (NEXT_STEP) or its value (NextStep) too; ValueError for another text."""
    if isinstance(mode, AutoresetMode):
        return mode
    by_value = {one.value.casefold(): one for one in AutoresetMode}
    if isinstance(mode, str) and mode.casefold() in by_value:
        return by_value[mode.casefold()]
    return _choice("autoreset_mode", mode, {one.name: one for one in AutoresetMode})


def resolve_limits(limits: Limits | str) -> Limits:
    """The limits, also by the name of those that have one."""
    if isinstance(limits, Limits):
        return limits
    return _choice("limits", limits, {"CLASSIC": CLASSIC, "LARGE": LARGE})


def resolve_rules(rules: str | Rules) -> Rules:
    """A preset's name or the rules themselves."""
    if isinstance(rules, Rules):
        return rules
    return _choice("rules", rules, PRESETS)


def turn_limit(rules: Rules, max_turns: int | None = None) -> int:
    """The last turn of a game; None: SpaceExplorers' own, and where a game of battles is cut off. ValueError for no number."""
    if max_turns is None:
        return rules.max_turns or CUT_OFF_TURNS * rules.turns_per_weight
    return checked_max_turns(max_turns)


def _choice(argument: str, value: Any, choices: dict[Any, Any]) -> Any:
    names = [choice for choice in choices if isinstance(choice, str)]
    if isinstance(value, str):
        value = known_name(value, names) or value
    if isinstance(value, bool) or not isinstance(value, str | int) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        close = close_name(value, names) if isinstance(value, str) else None
        hint = f"; did you mean {close!r}?" if close else ""
        raise ValueError(f"unknown {argument} {value!r}: choose one of {known}{hint}")
    return choices[value]
