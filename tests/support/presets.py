"""The rule sets by name, as parameters of tests."""

import pytest

import planetwars_env as pw

BY_PRESET = {
    "planetwars": pw.PLANETWARS,
    "half_step": pw.PLANETWARS_HALF_STEP,
    "space_explorers": pw.SPACE_EXPLORERS,
}
every_preset = pytest.mark.parametrize("preset", BY_PRESET)
