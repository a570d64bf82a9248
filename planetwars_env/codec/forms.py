"""Forms of an observation: the values of the argument ``observation``, and the batch's arrays in each of them."""

from typing import Any

from planetwars_env.codec.derived import with_derived
from planetwars_env.codec.layout import arrange
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array

OBSERVATION_FORMS = ("tensors", "flat", "derived")


def in_form(form: str, limits: Limits, rules: Rules, observation: Array, edge_index: Array, mask: Array) -> Any:
    """Return one observation or many in one of `OBSERVATION_FORMS`; all but the derived features are views."""
    if form == "flat":
        return observation
    parts = arrange(limits, observation, edge_index, mask)
    return with_derived(parts, rules.coexistence, rules.turns_per_weight) if form == "derived" else parts
