"""Thousands of games at once as a Gymnasium vector environment; the arrays are the batch's."""

from collections.abc import Iterator, Sequence
from sys import getrefcount
from typing import Any, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from planetwars_env.codec.checks import checked_actions
from planetwars_env.codec.derived import in_form
from planetwars_env.codec.limits import Limits
from planetwars_env.codec.rewards import resolve_reward, rewards_of_both, win
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.envs.arguments import EnvKeywords, read_arguments, resolve_autoreset
from planetwars_env.envs.next_games import Weights, read_options, set_graphs, set_opponents
from planetwars_env.envs.spaces import action_space, batched_action_space, graph_of, observation_space, with_state
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.result import INFO
from planetwars_env.sim.setup import Autoreset

_OWN_KEYS = [f"_{key}" for key in INFO]
"""The keys under which infos say which games have the others."""


class PlanetWarsVectorEnv(VectorEnv[Any, Any, Any]):
    """``num_envs`` games in one compiled call a step; arguments and spaces of `PlanetWarsEnv`, row i seeded with seed + i.

    Also: ``autoreset_mode`` (NEXT_STEP, SAME_STEP, DISABLED), ``num_threads``, and ``copy``: with False the observations
    are the batch's own arrays, overwritten by the next step and not to be written to. Derived features, rewards [N]
    float64, terminated and truncated [N] bool are always the caller's. Infos have SyncVectorEnv's structure and the keys
    of `PlanetWarsEnv`, but "opponent" is an index of `opponents`, and "graph" stands without its name.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "PLANETWARS",
        *,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        copy: bool = True,
        **arguments: Unpack[EnvKeywords],
    ) -> None:
        chosen = read_arguments(PlanetWarsVectorEnv, rules, arguments)
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, not {num_envs}")
        if render_mode is not None:
            raise ValueError("vector environments do not render: watch one game with gymnasium.make(...)")
        mode = resolve_autoreset(autoreset_mode)
        setup = chosen.setup(Autoreset[mode.name])
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.num_envs, self.autoreset_mode, self.render_mode, self.copy = num_envs, mode, None, copy
        self.single_observation_space = observation_space(setup, chosen.observation)
        self.single_action_space = action_space(setup)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batched_action_space(self.single_action_space, num_envs)
        self._action_shape = (num_envs, *(self.single_action_space.shape or ()))
        self._reward = resolve_reward(chosen.reward)
        self._form = chosen.observation
        self._batch = Batch(num_envs, setup, num_threads)
        self._pools = [BufferPool() for _ in self._arrays()]
        self._seeded = False

    @property
    def graphs(self) -> Sequence[Graph]:
        """The pool that graphs are drawn from."""
        return self._batch.setup.graphs

    @property
    def opponents(self) -> Sequence[str]:
        """The names of the opponents; ``infos["opponent"]`` holds indices of this list."""
        return self._batch.setup.opponent_names

    @property
    def limits(self) -> Limits:
        """The largest graph that fits, which all shapes come from."""
        return self._batch.setup.limits

    @property
    def state(self) -> State:
        """The arrays of the games themselves, without fog: to measure by, not to play by."""
        return self._batch.state

    @property
    def board(self) -> Board:
        """The pool's boards as `state` refers to them."""
        return self._batch.board

    def game(self, row: int) -> Game:
        """Return an independent copy of the game in ``row``, for search: the true position, without fog.

        >>> import planetwars_env as pw
        >>> envs = pw.make_vec("PlanetWars-v0", num_envs=2)
        >>> _ = envs.reset(seed=0)
        >>> envs.game(1).turn in (1, 2)
        True
        """
        return self._batch.game(row).copy()

    def copy_game(self, source: int, target: int) -> None:
        """Make row ``target`` a copy of row ``source``: game, observation, mask and random number generator.

        The next step shows it. A strategy outside the kernel keeps its own memory, so search against compiled bots.
        """
        self._batch.copy_game(source, target)

    def set_game(self, row: int, game: Game) -> None:
        """Make row ``row`` a copy of ``game``, so that a search begins there: the agent is the player to move.

        The row keeps its opponent, its random number generator and the environment's turn limit. `action_masks` and the next
        step show the game. ValueError for one of other rules, on a graph that is not in `graphs`, or that is over. Strategies
        in Python and policies with memory begin there too.

        >>> import planetwars_env as pw
        >>> envs = pw.PlanetWarsVectorEnv(2, graphs="rings", opponent="ai1")
        >>> _ = envs.reset(seed=0)
        >>> envs.set_game(1, pw.Game(pw.load_graph("rings"), max_turns=500))
        >>> envs.game(1).turn
        1
        """
        self._batch.set_game(row, game)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """New games everywhere, or where ``options["reset_mask"]`` [N] bool is True.

        ``options``: also "graph" and "opponent" (names or indices) and "player" (1, 2), each one for all or [N]; drawn if
        missing.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        chosen = dict(options or {})
        rows = np.ones(self.num_envs, bool)
        if (mask := chosen.pop("reset_mask", None)) is not None:
            rows = np.array(mask)
            if rows.shape != (self.num_envs,) or rows.dtype != bool or not rows.any():
                raise ValueError(
                    f"options: reset_mask must be {self.num_envs} booleans, at least one of them True, not {mask!r}"
                )
        options = read_options(chosen, self._batch)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**63))
        self._seeded = True
        if seed is not None:
            seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"seed must be one number or {self.num_envs} of them, not {len(seeds)}")
            self._batch.seed_rows([value if row else None for value, row in zip(seeds, rows, strict=True)])
        self._batch.reset(rows, **options)
        return self._observe(), self._infos(self._batch.result.shown, rows)

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """One step of every game; ``actions`` as `action_space` has them."""
        batch = self._batch
        checked = checked_actions(actions, self._action_shape, "the actions")
        batch.actions[:] = checked.reshape(batch.actions.shape)
        batch.step()
        result = batch.result
        ends = result.terminated, result.truncated
        infos = self._infos(result.shown)
        if (done := ends[0] | ends[1]).any():
            last = infos
            if self.autoreset_mode == AutoresetMode.SAME_STEP:  # the games that ended have begun anew
                rows, observations = self.final_observations()
                finals = np.full(self.num_envs, None, dtype=object)
                for i, g in enumerate(rows):
                    finals[g] = _row(observations, i)
                infos["final_obs"], infos["_final_obs"] = finals, done.copy()
                last = infos["final_info"] = self._infos(result.after, done.copy())
                infos["_final_info"] = done.copy()
            last["is_success"], last["_is_success"] = last["won"] > 0, done.copy()
        rewards = self._rewards()
        if batch.setup.self_play:
            infos["rewards"], infos["_rewards"] = rewards, np.ones(self.num_envs, bool)
            rewards = rewards[np.arange(self.num_envs), result.mover - 1]
        return self._observe(), rewards, *ends, infos

    def set_opponents(self, opponents: Any = None, *, weights: Weights = None, rows: Any = None) -> None:
        """Let every game that begins from now on in ``rows`` draw one of ``opponents``, in proportion to ``weights``.

        ``opponents``: one or a list of names, indices of `opponents`, or anything that the argument ``opponent`` takes;
        None: all of the list. New ones are added at the end of `opponents`, so that indices stay. ``rows``: indices or
        booleans [N]; None: all. Games in progress go on; one seed still gives one game. ValueError for wrong ones.

        >>> import planetwars_env as pw
        >>> envs = pw.make_vec("PlanetWars-v0", num_envs=4, opponent=["random", "ai1"])
        >>> envs.unwrapped.set_opponents(weights=[0.2, 0.8])
        >>> envs.unwrapped.set_opponents("ai3", rows=[0])
        >>> envs.reset(seed=0)[1]["opponent"][0]
        np.int64(2)
        """
        set_opponents(self._batch, opponents, weights, rows)

    def set_graphs(self, graphs: Any = None, *, weights: Weights = None, rows: Any = None) -> None:
        """Let every game that begins from now on in ``rows`` draw one of ``graphs``, in proportion to ``weights``.

        ``graphs``: indices or names of the pool `graphs`, or anything that the argument ``graphs`` takes, within the
        environment's limits; None: the whole pool. New ones are added at the end of `graphs`. All else as in
        `set_opponents`. `state` and `board` are other arrays afterwards.

        >>> import planetwars_env as pw
        >>> envs = pw.make_vec("PlanetWars-v0", num_envs=4, graphs="duel")
        >>> envs.unwrapped.set_graphs(["rings", "k4"], weights=[3, 1])
        >>> [graph.name for graph in envs.unwrapped.graphs]
        ['duel', 'rings', 'k4']
        """
        set_graphs(self._batch, graphs, weights, rows)

    def final_observations(self) -> tuple[Array, Any]:
        """The games [n] that ended in the last step, and their last observations as one batch of n.

        ``infos["final_obs"]`` has the same as one object per game. Only with autoreset_mode SAME_STEP.
        """
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            raise ValueError("the observation of a step is the last one of its game, but with autoreset_mode SAME_STEP")
        rows = np.flatnonzero(self._batch.result.terminated | self._batch.result.truncated)
        return rows, self._arranged([array[rows] for array in self._arrays(final=True)])

    def action_masks(self) -> Array:
        """The masks [N, A] bool: True where the action is legal."""
        return self._batch.current.mask.astype(bool)

    def sample_mask(self) -> Any:
        """The masks as ``action_space.sample(mask=...)`` takes them: [N, P, choices] int8 with "turn", else a tuple of N masks.

        >>> import planetwars_env as pw
        >>> envs = pw.make_vec("PlanetWars-v0", num_envs=2)
        >>> _ = envs.reset(seed=0)
        >>> _ = envs.step(envs.action_space.sample(mask=envs.unwrapped.sample_mask()))
        """
        setup, masks = self._batch.setup, self._batch.current.mask.copy()
        return tuple(masks) if setup.max_orders else masks.reshape(*self._action_shape, -1)

    def _rewards(self) -> Array:
        result = self._batch.result
        if self._batch.setup.self_play:
            rewards = rewards_of_both(self._reward, result.transition, result.mover)
        elif self._reward is win:
            return result.won.astype(np.float64)
        else:
            rewards = np.array(self._reward(result.transition), dtype=np.float64)
        if self.autoreset_mode == AutoresetMode.NEXT_STEP:
            rewards[self._batch.fresh] = 0
        return rewards

    def _arrays(self, final: bool = False) -> list[Array]:
        """The batch's own arrays of the current observations, or the ``final`` ones."""
        batch = self._batch
        if self._form == "flat":
            arrays = [batch.observation(final)]
        else:
            arrays = list(batch.final if final else batch.current)
        state = [batch.observation(final, fog=False)] if batch.setup.privileged else []
        return arrays + state

    def _observe(self) -> Any:
        arrays = self._arrays()
        if self.copy:
            arrays = [pool.copy_of(array) for pool, array in zip(self._pools, arrays, strict=True)]
        return self._arranged(arrays)

    def _arranged(self, arrays: list[Array]) -> Any:
        setup, form = self._batch.setup, "tensors" if self._form == "graph" else self._form
        seen, state = (arrays[:-1], arrays[-1]) if setup.privileged else (arrays, None)
        shown = seen[0] if form == "flat" else in_form(form, setup.limits, setup.rules, *seen)
        if self._form == "graph":
            return tuple(graph_of(_row(shown, i)) for i in range(len(seen[0])))
        return shown if state is None else with_state(setup.limits, shown, state)

    def _infos(self, numbers: Array, rows: Array | None = None) -> dict[str, Any]:
        """The infos of ``rows`` [N] bool, of all by default; one array says of all keys which games have them."""
        values = numbers.T.copy() if rows is None else np.ascontiguousarray(numbers.T) * rows
        rows = np.ones(self.num_envs, bool) if rows is None else rows
        infos: dict[str, Any] = {}
        for key, own_key, value in zip(INFO, _OWN_KEYS, values, strict=True):
            infos[key], infos[own_key] = value, rows
        return infos


def _row(batch: Any, i: int) -> Any:
    return {key: _row(part, i) for key, part in batch.items()} if isinstance(batch, dict) else batch[i]


class BufferPool:
    """Pool of output arrays of one shape; one is reused when the caller holds no reference to it or to a view of it.

    A fresh block of megabytes a step costs more in page faults than the copying.
    """

    def __init__(self) -> None:
        self._given: list[Array] = [np.empty(0)]
        self._unused = next(self._references())
        """References to an array that nobody else holds: the number differs between Pythons."""
        self._given.clear()

    def __reduce__(self) -> Any:
        return BufferPool, ()  # a copy of an environment begins without arrays

    def copy_of(self, array: Array) -> Array:
        """A copy that shares memory with no array that is still in use."""
        for place, references in enumerate(self._references()):
            if references == self._unused:
                np.copyto(self._given[place], array)
                return self._given[place]
        fresh = array.copy()
        if len(self._given) < 3:
            self._given.append(fresh)
        return fresh

    def _references(self) -> Iterator[int]:
        for array in self._given:
            yield getrefcount(array)
