"""The rule sets by name, as parameters of tests."""

import pytest

import planetwars_env as pw

BY_PRESET = {"planetwars": pw.PLANETWARS, "half_step": pw.PLANETWARS_HALF_STEP, "space_explorers": pw.SPACE_EXPLORERS}
IDS = {"planetwars": "PlanetWars-v0", "half_step": "PlanetWarsHalfStep-v0", "space_explorers": "SpaceExplorers-v0"}
"""The environment of each."""
every_preset = pytest.mark.parametrize("preset", BY_PRESET)
