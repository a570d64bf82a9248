"""A native VecEnv of Stable-Baselines3: one compiled call a step, masks without a Python loop, small infos."""

import time
from typing import Any, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode

from planetwars_env.bots.catalogue import listed
from planetwars_env.envs.arguments import EnvKeywords
from planetwars_env.envs.memory import VectorMemoryWrapper
from planetwars_env.envs.next_games import Weights
from planetwars_env.envs.registration import rules_of
from planetwars_env.envs.vector import PlanetWarsVectorEnv
from planetwars_env.shipped import pip_line

try:
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn
except ModuleNotFoundError as fault:
    raise ModuleNotFoundError(
        f"{fault.name} is not installed, and the VecEnv needs it: {pip_line('train')}", name=fault.name
    ) from None


_DEFAULTS: EnvKeywords = {"observation": "flat"}
"""Another default than `EnvArguments` has: "MlpPolicy", with which everybody begins, takes one Box."""
_NO_SELF = (
    'opponent="self" is not for Stable-Baselines3: consecutive steps would belong to different players, whose values it '
    "adds up as one. Train against a list of bots, and call set_opponents with pw.SB3Policy(...) of a saved copy of the "
    'model now and then; or use pw.make_vec(..., opponent="self") with a trainer that tells the players apart'
)


class PlanetWarsVecEnv(VecEnv):
    """The vector environment in SAME_STEP mode behind SB3's interface (rewards float32, the old four values)."""

    def __init__(self, venv: PlanetWarsVectorEnv | VectorMemoryWrapper) -> None:
        self._venv = venv
        self._games: Any = venv.unwrapped
        if "self" in self._games.opponents:
            raise ValueError(_NO_SELF)
        self._returns, self._lengths = np.zeros(venv.num_envs), np.zeros(venv.num_envs, np.int64)
        self._started = time.monotonic()
        super().__init__(venv.num_envs, venv.single_observation_space, venv.single_action_space)

    def __repr__(self) -> str:
        return f"PlanetWarsVecEnv({self._venv})"

    def reset(self) -> VecEnvObs:
        """New games; seeds given by `seed` are consumed here."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observation, _ = self._venv.reset(seed=seeds, options=self._options[0] or None)
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """The step; infos are empty but at the end of a game.

        There they hold its numbers as those of `PlanetWarsEnv`, its last observation, and "episode" as `Monitor` gives it.
        """
        observation, rewards, terminated, truncated, infos = self._venv.step(self._actions)
        done = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        elapsed = round(time.monotonic() - self._started, 6)
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for g in np.flatnonzero(done):
            # as a single environment gives it
            info = {key: values[g].item() for key, values in infos["final_info"].items() if not key.startswith("_")}
            rows[g] = {
                **info,
                "opponent": self._games.opponents[info["opponent"]],
                "graph_name": self._games.graphs[info["graph"]].name,
                "episode": {"r": round(float(self._returns[g]), 6), "l": int(self._lengths[g]), "t": elapsed},
                "terminal_observation": infos["final_obs"][g],
                "TimeLimit.truncated": bool(truncated[g]),
            }
        self._returns[done] = 0
        self._lengths[done] = 0
        return observation, rewards.astype(np.float32), done, rows

    def set_opponents(self, opponents: Any = None, *, weights: Weights = None, rows: Any = None) -> None:
        """Let games that begin from now on draw one of ``opponents``: `PlanetWarsVectorEnv.set_opponents`.

        For self-play add a frozen copy of the model now and then: ``venv.set_opponents(pw.SB3Policy("step-10000.zip"))``.
        """
        if any(isinstance(opponent, str) and opponent.casefold() == "self" for opponent in listed(opponents)):
            raise ValueError(_NO_SELF)
        self._games.set_opponents(opponents, weights=weights, rows=rows)

    def set_graphs(self, graphs: Any = None, *, weights: Weights = None, rows: Any = None) -> None:
        """Let games that begin from now on draw one of ``graphs``: `PlanetWarsVectorEnv.set_graphs`."""
        self._games.set_graphs(graphs, weights=weights, rows=rows)

    def action_masks(self) -> np.ndarray:
        """The masks [N, A] bool in one call."""
        return self._venv.action_masks()

    def close(self) -> None:
        """Nothing stays open."""
        self._venv.close()

    def has_attr(self, attr_name: str) -> bool:
        """Whether the vector environment has this attribute: `action_masks` among others."""
        return hasattr(self._venv.unwrapped, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of the vector environment, once for every index."""
        value = getattr(self._venv.unwrapped, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """AttributeError: games of a batch have no attributes of their own."""
        raise AttributeError(f"{attr_name} cannot be set: the games of a batch share their environment")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """``action_masks``: the mask of every index. ``set_opponents``, ``set_graphs``: of the games of the indices.

        AttributeError for other methods: games are rows, not objects.
        """
        if method_name in ("set_opponents", "set_graphs"):
            getattr(self, method_name)(*args, rows=self._get_indices(indices), **kwargs)
            return [None for _ in self._get_indices(indices)]
        if method_name != "action_masks":
            raise AttributeError(
                f"the games of a batch have no method {method_name}: call action_masks, set_opponents or set_graphs"
            )
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]


def make_sb3_vec_env(
    name: str = "PlanetWars-v0",
    num_envs: int = 1,
    *,
    memory: bool = False,
    num_threads: int = 1,
    copy: bool = True,
    **arguments: Unpack[EnvKeywords],
) -> Any:
    """A native VecEnv of ``num_envs`` games of environment ``name``; arguments: those of `EnvArguments`.

    ``num_threads`` and ``copy`` as in `PlanetWarsVectorEnv`; ``memory`` adds what the agent saw earlier
    (`VectorMemoryWrapper`). ValueError for an unknown id or argument value.
    """
    given: Any = _DEFAULTS | arguments
    if given.get("privileged") and given["observation"] != "flat":
        raise ValueError('privileged=True needs observation="flat": Stable-Baselines3 takes no Dict inside a Dict')
    if given["observation"] == "graph":
        raise ValueError('Stable-Baselines3 takes no Graph: observation="tensors", and pw.pyg_arrays in the network')
    given |= {"autoreset_mode": AutoresetMode.SAME_STEP, "num_threads": num_threads, "copy": copy}
    venv = PlanetWarsVectorEnv(num_envs, rules=rules_of(name), **given)
    return PlanetWarsVecEnv(VectorMemoryWrapper(venv) if memory else venv)
