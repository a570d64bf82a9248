"""The environment ids. Light: what they name is imported when an environment is made."""

import gymnasium

_PRESETS = {
    "PlanetWars-v0": "PLANETWARS",
    "PlanetWarsHalfStep-v0": "PLANETWARS_HALF_STEP",
    "SpaceExplorers-v0": "SPACE_EXPLORERS",
}
"""Each id and its rules."""


def register_all() -> None:
    """Register every id with Gymnasium, without a step limit: truncation counts turns."""
    for name, rules in _PRESETS.items():
        gymnasium.register(
            name,
            entry_point="planetwars_env.envs.single:PlanetWarsEnv",
            vector_entry_point="planetwars_env.envs.vector:PlanetWarsVectorEnv",
            kwargs={"rules": rules},
        )


def rules_of(name: str) -> str:
    """The rules of an id, with or without the module before it; ValueError listing the known ones."""
    rules = _PRESETS.get(name.removeprefix("planetwars_env:"))
    if rules is None:
        raise ValueError(f"unknown environment id {name!r}: choose one of {', '.join(_PRESETS)}")
    return rules
