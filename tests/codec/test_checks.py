"""Arrays and numbers from callers: what does not fit is told with what would, before a kernel reads it."""

from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.codec.checks import checked_actions, checked_observation, checked_row

LIMITS = pw.CLASSIC


def observed() -> tuple[dict[str, Any], int]:
    """The observation of one game with an axis of games, and the width of its mask."""
    observation, mask = pw.Game(pw.load_graph("rings")).observe()
    return {name: np.asarray(part)[None] for name, part in observation.items()}, len(mask)


def test_an_observation_that_fits_is_handed_on_as_it_is() -> None:
    observation, width = observed()
    checked = checked_observation(LIMITS, width, observation)
    assert all(checked[name] is observation[name] for name in checked)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: parts.pop("planets"), "the observation lacks planets: it needs planets, edges"),
        (
            lambda parts: parts.update(planets=parts["planets"].astype("f8")),
            r"planets .* must be float32 .* not float64",
        ),
        (
            lambda parts: parts.update(edges=parts["edges"][:, :-1]),
            r"edges of the observation must be float32 of shape",
        ),
        (lambda parts: parts.update(clock=parts["clock"][0, 0]), r"must be float32 of shape \(0,"),
        (lambda parts: parts.update(clock=np.repeat(parts["clock"], 2, 0)), r"must be float32 of shape \(2,"),
    ],
)
def test_an_observation_that_does_not_fit_is_told(change: Any, message: str) -> None:
    observation, width = observed()
    change(observation)
    with pytest.raises(ValueError, match=message):
        checked_observation(LIMITS, width, observation)


def test_rows_are_counted_from_0_to_the_last() -> None:
    assert [checked_row(row, 3, "the row") for row in (0, 1, np.int8(2))] == [0, 1, 2]
    for row in (-1, 3, 10**12):
        with pytest.raises(IndexError, match=f"the row must lie between 0 and 2, not {row}"):
            checked_row(row, 3, "the row")


def test_actions_have_a_shape_a_type_and_a_range() -> None:
    assert checked_actions([[1, 5]], (1, 2), "actions", 6).tolist() == [[1, 5]]
    for actions, message in (
        ([0, 5], "actions must be integers of shape"),
        ([[0.0, 5.0]], "actions must be integers of shape"),
        ([[0, 6]], "actions must lie between 0 and 5, but 6 stands at"),
        ([[-1, 0]], "actions must lie between 0 and 5, but -1 stands at"),
    ):
        with pytest.raises(ValueError, match=message):
            checked_actions(actions, (1, 2), "actions", 6)
