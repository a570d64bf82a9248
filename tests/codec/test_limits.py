"""The shapes that observations and actions are made for."""

from __future__ import annotations

import dataclasses

import pytest

import planetwars_env as pw


def test_the_two_limits_are_those_that_checkpoints_were_made_for() -> None:
    assert dataclasses.astuple(pw.CLASSIC) == (21, 36, 13, 8)
    assert dataclasses.astuple(pw.LARGE) == (60, 120, 16, 8)


@pytest.mark.parametrize(
    ("changed", "least"), [({"planets": 1}, 2), ({"edges": 0}, 1), ({"degree": 0}, 1), ({"horizon": 0}, 1)]
)
def test_smaller_limits_are_refused(changed: dict[str, int], least: int) -> None:
    name, number = next(iter(changed.items()))
    with pytest.raises(ValueError, match=f"limits: {name} must be at least {least}, not {number}"):
        dataclasses.replace(pw.CLASSIC, **changed)


def test_a_board_fits_up_to_the_limit_itself_and_the_first_that_does_not_is_named() -> None:
    k4, duel = pw.load_graph("k4"), pw.load_graph("duel")
    pw.Limits(4, 6, 3, 1).check([k4, duel])
    with pytest.raises(ValueError, match="graph k4 has degree 3, the limits allow 2: pass limits="):
        pw.Limits(4, 6, 2, 1).check([duel, k4])
