"""Environments made by their ids, single and vectorised, and the parameters that most tests of them have."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import planetwars_env as pw

IDS = ["PlanetWars-v0", "PlanetWarsHalfStep-v0", "SpaceExplorers-v0"]
every_id = pytest.mark.parametrize("name", IDS)
both_actions = pytest.mark.parametrize("actions", ["turn", "order"])
both_observations = pytest.mark.parametrize("observation", ["tensors", "flat"])
every_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=[mode.name for mode in AutoresetMode])
GAMES = 6

FORMS: dict[str, dict[str, Any]] = {
    "tensors": {"observation": "tensors"},
    "flat": {"observation": "flat"},
    "derived": {"observation": "derived"},
    "graph": {"observation": "graph"},
    "tensors, state": {"observation": "tensors", "privileged": True},
    "flat, state": {"observation": "flat", "privileged": True},
    "derived, state": {"observation": "derived", "privileged": True},
}
FORMS |= {f"{form}, memory": FORMS[form] for form in ("tensors", "flat", "derived", "tensors, state", "flat, state")}
"""All forms of observations; those whose names end in "memory" have a wrapper."""
every_form = pytest.mark.parametrize("form", FORMS)


def make_form(form: str, name: str = "PlanetWars-v0", **arguments: Any) -> Any:
    """A single environment that shows its observations in a form."""
    env = gymnasium.make(name, **FORMS[form], **arguments)
    return pw.MemoryWrapper(env) if form.endswith("memory") else env


def make_vec_form(form: str, name: str = "PlanetWars-v0", **arguments: Any) -> Any:
    """A vector environment that shows its observations in a form."""
    envs = make_vec(name, **FORMS[form], **arguments)
    return pw.VectorMemoryWrapper(envs) if form.endswith("memory") else envs


def make(name: str = "PlanetWars-v0", **arguments: Any) -> Any:
    return gymnasium.make(name, **arguments).unwrapped


def wait(env: Any) -> Any:
    return np.zeros(env.action_space.shape, np.int64) if env.action_space.shape else 0


def make_vec(
    name: str = "PlanetWars-v0", num_envs: int = GAMES, mode: Any = AutoresetMode.NEXT_STEP, **arguments: Any
) -> Any:
    return gymnasium.make_vec(
        name, num_envs=num_envs, vectorization_mode="vector_entry_point", autoreset_mode=mode, **arguments
    )


def numbered(answer: tuple[Any, ...], native: Any) -> tuple[Any, ...]:
    """An answer of a SyncVectorEnv with the opponents' indices instead of names: infos of vectors hold numbers only."""
    return *answer[:-1], numbered_info(answer[-1], native)


def numbered_info(infos: dict[str, Any], native: Any) -> dict[str, Any]:
    found = {key: value for key, value in infos.items() if key not in ("graph_name", "_graph_name")}
    found["opponent"] = np.array([native.opponents.index(name) if name else 0 for name in infos["opponent"]])
    names = [native.graphs[graph].name for graph in infos["graph"][infos["_graph"]]]
    assert names == infos["graph_name"][infos["_graph_name"]].tolist()
    if "final_info" in infos:
        found["final_info"] = numbered_info(infos["final_info"], native)
    return found
