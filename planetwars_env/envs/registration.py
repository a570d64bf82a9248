"""Environment ids, and the two functions that make environments from them; what an id names is imported on use.

Importing this module registers every id with Gymnasium, without a step limit: truncation counts turns.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import gymnasium

from planetwars_env.names import chosen_name

if TYPE_CHECKING:
    from planetwars_env.envs.arguments import MakeKeywords, VectorKeywords
    from planetwars_env.envs.vector import PlanetWarsVectorEnv

RULES_OF_IDS = {
    "PlanetWars-v0": "PLANETWARS",
    "PlanetWarsHalfStep-v0": "PLANETWARS_HALF_STEP",
    "SpaceExplorers-v0": "SPACE_EXPLORERS",
}
"""Each id and its rules."""
TEXT_ID = "PlanetWarsText-v0"
"""Id of the environment of texts, which takes its rules as an argument."""


def rules_of(name: str) -> str:
    """The rules of an id, with or without the module before it; ValueError listing the known ones."""
    return RULES_OF_IDS[known_id(name)]


def known_id(name: str, more: Sequence[str] = ()) -> str:
    """Return the id of `RULES_OF_IDS` or ``more`` that ``name`` stands for, in any case; ValueError lists the known ones."""
    return chosen_name(name.removeprefix("planetwars_env:"), [*RULES_OF_IDS, *more], "unknown environment id")


def make(id: str = "PlanetWars-v0", **arguments: "Unpack[MakeKeywords]") -> "gymnasium.Env[Any, Any]":
    """One game as a Gymnasium environment: `gymnasium.make` with the arguments of `EnvArguments`.

    ValueError for an unknown id, listing the known ones, and for arguments that cannot be.

    >>> import planetwars_env as pw
    >>> env = pw.make("PlanetWars-v0", opponent="ai2", graphs="test")
    >>> observation, info = env.reset(seed=0)
    """
    return gymnasium.make(known_id(id, [TEXT_ID]), **arguments)


def make_vec(
    id: str = "PlanetWars-v0", num_envs: int = 1, **arguments: "Unpack[VectorKeywords]"
) -> "PlanetWarsVectorEnv":
    """``num_envs`` games in one compiled call a step: the native vector environment of `gymnasium.make_vec`.

    ``arguments``: those of `EnvArguments` and of `PlanetWarsVectorEnv`. ValueError as for `make`.

    >>> import planetwars_env as pw
    >>> envs = pw.make_vec("PlanetWars-v0", num_envs=4, opponent="ai2")
    >>> observations, infos = envs.reset(seed=0)
    """
    made: Any = gymnasium.make_vec(known_id(id), num_envs, vectorization_mode="vector_entry_point", **arguments)
    return made


for _name, _rules in RULES_OF_IDS.items():
    gymnasium.register(
        _name,
        entry_point="planetwars_env.envs.single:PlanetWarsEnv",
        vector_entry_point="planetwars_env.envs.vector:PlanetWarsVectorEnv",
        kwargs={"rules": _rules},
    )
gymnasium.register(TEXT_ID, entry_point="planetwars_env.envs.text_env:PlanetWarsTextEnv")
