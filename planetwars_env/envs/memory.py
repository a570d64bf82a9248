"""Memory wrappers: they keep what an agent saw of a planet before the fog hid it again (R9).

Both add one table to the observation, a row a planet slot, in the units of codec/layout.py:

| feature | unit | scale | meaning |
|---|---|---|---|
| seen | 0 or 1 | 1 | it was visible at some time in this game; where this is 0, all others are 0 |
| age | own turns | 0.1 | since it was last visible; 0 while it is |
| mine, opponent, neutral, my_base, opponent_base | 0 or 1 | 1 | as when last visible |
| my_people, opponent_people, size | people | 0.01 | as when last visible |
| habitability | per cent a turn | 0.1 | growth of the population |

With ``observation="tensors"`` the table stands under the key ``"memory"`` (P, 11) float32, with ``"flat"`` its rows
follow at the end. It is forgotten when a game begins.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, VectorWrapper
from gymnasium.vector.utils import batch_space

from planetwars_env.codec.layout import ARRIVALS, MINE, PLANET_FEATURES, VISIBLE, Feature, arrange
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.state import Array

AGE_SCALE = 0.1
MEMORY_FEATURES = (
    Feature("seen", "0 or 1", 1, "visible at some time in this game; where this is 0, all that follow are 0"),
    Feature("age", "own turns", AGE_SCALE, "since it was last visible; 0 while it is"),
    *PLANET_FEATURES[MINE:ARRIVALS],
)
"""The columns of the table, in order."""
_SEEN, _AGE, _KEPT = range(3)


class MemoryWrapper(gymnasium.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """A `PlanetWarsEnv`, wrapped or not, that shows what its agent saw earlier (docs/observations.md).

    ValueError for an observation that no longer is the environment's own.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._memory = _Memory(1, _limits_of(env))
        self.observation_space = self._memory.space(env.observation_space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new game, of which nothing is remembered but its first observation."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._memory.forget(slice(None))
        return self.observation(observation), info

    def observation(self, observation: Any) -> Any:
        """The observation with the table, which takes it in."""
        return self._memory.seen(observation, 0)


class VectorMemoryWrapper(VectorWrapper):
    """A `PlanetWarsVectorEnv` whose games each show what their agent saw earlier, in every autoreset mode.

    ``final_obs`` has its memory too. The table is always the caller's own, also with ``copy=False``.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._mode = AutoresetMode(env.metadata["autoreset_mode"])
        self._memory = _Memory(env.num_envs, _limits_of(env))
        self._due = np.zeros(env.num_envs, bool)
        self.single_observation_space = self._memory.space(env.single_observation_space)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """New games, everywhere or where ``options["reset_mask"]`` says so."""
        mask = (options or {}).get("reset_mask")
        observation, infos = self.env.reset(seed=seed, options=options)
        rows = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        self._memory.forget(rows)
        self._due &= ~rows
        return self._memory.seen(observation, slice(None)), infos

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """The step of the environment; games that begin in it begin without a memory."""
        observation, rewards, terminated, truncated, infos = self.env.step(actions)
        done = terminated | truncated
        begun = self._due
        if self._mode == AutoresetMode.SAME_STEP:
            begun = done
            for g in np.flatnonzero(done):
                infos["final_obs"][g] = self._memory.seen(infos["final_obs"][g], int(g))
        self._memory.forget(begun)
        self._due = done if self._mode == AutoresetMode.NEXT_STEP else np.zeros_like(done)
        return self._memory.seen(observation, slice(None)), rewards, terminated, truncated, infos

    def action_masks(self) -> Array:
        """The masks [N, A] bool of the environment."""
        return self.env.unwrapped.action_masks()  # pyright: ignore[reportAttributeAccessIssue]


def remember(table: Array, age: Array, elapsed: Array, planets: Array, clock: Array) -> None:
    """Update the tables [n, P, 11] of n games, the ages [n, P] in own turns and the last clocks [n], in place."""
    visible = planets[..., VISIBLE] > 0
    age += (clock[:, 0] != elapsed)[:, None]  # the orders of one turn leave the clock as it is
    age[visible] = 0
    elapsed[:] = clock[:, 0]
    np.copyto(table[..., _KEPT:], planets[..., MINE:ARRIVALS], where=visible[..., None])
    table[..., _SEEN] = np.maximum(table[..., _SEEN], visible)
    table[..., _AGE] = table[..., _SEEN] * age * AGE_SCALE


class _Memory:
    def __init__(self, games: int, limits: Limits) -> None:
        self._limits = limits
        table = np.zeros((games, limits.planets, len(MEMORY_FEATURES)), np.float32)
        self._kept = table, np.zeros((games, limits.planets), np.int64), np.zeros(games, np.float32)

    def space(self, space: Any) -> spaces.Space[Any]:
        """The space of one game's observations with the table."""
        table = spaces.Box(0.0, np.inf, self._kept[0].shape[1:], np.float32)
        if isinstance(space, spaces.Dict):
            return spaces.Dict({**space.spaces, "memory": table})
        return spaces.Box(0.0, np.inf, (space.shape[0] + self._kept[0][0].size,), np.float32)

    def forget(self, rows: Any) -> None:
        """These games begin anew."""
        for part in self._kept:
            part[rows] = 0

    def seen(self, observation: Any, games: int | slice) -> Any:
        """Take in the observation of one game, or of all at once; return it with a copy of the table."""
        planets, clock = planets_and_clock(observation, self._limits)
        rows = games if isinstance(games, slice) else slice(games, games + 1)
        table, age, elapsed = (part[rows] for part in self._kept)
        remember(table, age, elapsed, planets.reshape(-1, *planets.shape[-2:]), clock.reshape(-1, 2))
        return append_memory(observation, table.copy() if rows is games else table[0].copy())


def _limits_of(env: Any) -> Limits:
    """The limits, where the observation is the one that the environment itself gives."""
    own = env.unwrapped
    space = "single_observation_space" if hasattr(own, "single_observation_space") else "observation_space"
    if getattr(env, space) != getattr(own, space) or not isinstance(getattr(own, "limits", None), Limits):
        raise ValueError("a memory is laid around the observations of PlanetWars environments: wrap it closer to them")
    if isinstance(getattr(own, space), spaces.Graph):
        raise ValueError('observation="graph" has no memory: choose "tensors", "flat" or "derived"')
    return own.limits


def planets_and_clock(observation: Any, limits: Limits) -> tuple[Array, Array]:
    """Planets and clock of an observation in either form."""
    if isinstance(observation, dict) and "planets" not in observation:
        observation = observation["observation"]  # beside "state"
    if not isinstance(observation, dict):
        nothing = np.zeros(0)
        observation = arrange(limits, observation, nothing, nothing)
    return observation["planets"], observation["clock"]


def append_memory(observation: Any, table: Array) -> Any:
    """Return the observation with the memory table, in either form."""
    if isinstance(observation, dict):
        return {**observation, "memory": table}
    return np.concatenate([observation, table.reshape(*observation.shape[:-1], -1)], axis=-1)
