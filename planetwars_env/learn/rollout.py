"""Rollout collector for PPO: steps the native batch of environments and stores what a minibatch is made of.

Its opponents are a league: bots, and frozen copies of the learner that are added as it improves.

Axes: T steps, N environments, S slots of an action.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from planetwars_env.bots.catalogue import resolve_players
from planetwars_env.codec.layout import arrange
from planetwars_env.codec.rewards import resolve_reward
from planetwars_env.engine.state import Array
from planetwars_env.learn.advisor import CounterfactualBaseline, Teacher
from planetwars_env.learn.agent import Agent
from planetwars_env.learn.config import GAMMA, LeagueConfig, TaskConfig, TrainConfig, imported_plug
from planetwars_env.learn.graph_batch import Packed
from planetwars_env.learn.processes import own_device, shared
from planetwars_env.learn.tensors import tensors_under, to_host
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset

Act = Callable[[dict[str, Array]], tuple[Packed, tuple[Array, ...]]]
"""From observations [N, ...] to what the network computed from, and the arrays of `Rollout.decision`, in their order."""
Value = Callable[[dict[str, Array]], Array]
"""From observations [N, ...] to values [N]."""
_MIN_WEIGHT = 0.01
"""Least weight of a new game in a win rate, which is a moving average."""
_MIN_GAMES = 200
"""Games against the newest copy before the next one may be made."""
_BASE_PRIORITY = 0.1
"""Added to an opponent's win rate: one that never wins is drawn now and then."""
_FIRST_PROMOTION = 0.5
"""Win rate against the bots at which the first copy is made."""


@dataclass
class Rollout:
    """T steps of N environments; ``observations`` holds the parts [T, N, ...]."""

    observations: dict[str, Array]
    packed: list[Packed]
    """Of every step what the network computed from (graph_batch.py)"""
    actions: Array
    """[T, N, S] int64"""
    log_probs: Array
    """[T, N, S] float32: log-probability of each choice"""
    alternatives: Array
    """[T, N, S] int64: a second sample of the policy, for counterfactual baselines"""
    alternative_log_probs: Array
    """[T, N, S] float32"""
    values: Array
    """[T + 1, N] float32, one more for bootstrapping"""
    rewards: Array
    """[T, N] float32"""
    dones: Array
    """[T, N] float32: 1 where a game ended"""
    teacher_actions: Array
    """[T, N, S] int64 (advisor.py); zero where no teacher is asked"""
    counterfactuals: Array
    """[T, N, S] float32: advantage of each choice over its alternative (advisor.py); zero where not computed"""

    def decision(self, t: int) -> tuple[Array, ...]:
        """Return the arrays that the policy fills at step t."""
        parts = self.actions, self.log_probs, self.alternatives, self.alternative_log_probs, self.values
        return tuple(part[t] for part in parts)

    def flat(self, advantages: Array, returns: Array) -> dict[str, Tensor]:
        """Return all parts but the observations with steps and environments as one axis [T * N, ...], over the same memory."""
        names = "actions", "log_probs", "alternatives", "alternative_log_probs", "teacher_actions", "counterfactuals"
        parts = {name: getattr(self, name) for name in names}
        parts |= {"advantages": advantages, "returns": returns}
        return {name: torch.from_numpy(part.reshape(-1, *part.shape[2:])) for name, part in parts.items()}


class RolloutCollector:
    """Native batch of this process's environments of one rule set, with a league of opponents.

    ``task``: a part of that of the configuration. ``games``: this process's environments. ``seed``: of the first games.
    """

    def __init__(self, config: TrainConfig, task: TaskConfig, games: int, seed: int) -> None:
        config, learner = replace(config, task=task), config.learner
        bots = resolve_players(task.opponents)
        device = own_device(learner.device)
        copies = [Agent(f"self-{i}", config, sample=True, device=device) for i in range(config.league.copies)]
        own = imported_plug("task: reward", task.reward) if ":" in task.reward else None
        arguments = task.arguments(own)
        opponents = [*bots, *(copies if config.league.self_play_fraction else [])]
        setup = replace(arguments, opponent=opponents).setup(Autoreset.SAME_STEP)
        self.league = League(config.league, [bot.name for bot in bots], copies)
        self.batch = Batch(games, setup)
        self._reward = resolve_reward(arguments.reward)
        # Graphs are drawn by their position in this order: in another one, a seed would give other runs.
        self._graphs = np.argsort([len(graph.planets) for graph in setup.graphs], kind="stable")
        self._teacher = Teacher(self.batch) if learner.kickstarting_coef else None
        self.baseline = CounterfactualBaseline(self.batch) if learner.counterfactual_coef else None
        T, N, S = learner.num_steps, games, self.batch.actions.shape[1]
        self.rollout = Rollout(
            observations={name: np.zeros((T, *part.shape), part.dtype) for name, part in self.observe().items()},
            packed=[],
            actions=np.zeros((T, N, S), np.int64),
            log_probs=np.zeros((T, N, S), np.float32),
            alternatives=np.zeros((T, N, S), np.int64),
            alternative_log_probs=np.zeros((T, N, S), np.float32),
            values=np.zeros((T + 1, N), np.float32),
            rewards=np.zeros((T, N), np.float32),
            dones=np.zeros((T, N), np.float32),
            teacher_actions=np.zeros((T, N, S), np.int64),
            counterfactuals=np.zeros((T, N, S), np.float32),
        )
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Begin all games anew, with random number generators made of ``seed``."""
        self._rng = np.random.default_rng(seed)
        for i, copy in enumerate(self.league.frozen):
            generator_of(copy).manual_seed(seed + i)
        self.batch.seed(seed)
        self.draw_opponents()
        self.batch.reset()
        self._ended: list[tuple[Array, Array]] = []

    def draw_opponents(self, rows: Array | None = None) -> None:
        """Draw opponent and graph of the next games of ``rows``, by default all; they begin when the running ones end."""
        rows = np.arange(self.batch.games) if rows is None else rows
        opponents = self.league.draw(self._rng, len(rows))
        graphs = self._graphs[self._rng.integers(0, len(self._graphs), len(rows))]
        self.batch.set_next(rows, graphs=graphs, opponents=opponents)

    def collect(self, act: Act, value: Value, with_teacher: bool = False, with_counterfactual: bool = False) -> Rollout:
        """Collect one rollout, in arrays that the next call overwrites.

        ``with_teacher``: fill ``teacher_actions``. ``with_counterfactual``: fill ``counterfactuals``.
        """
        rollout, batch = self.rollout, self.batch
        rollout.counterfactuals[:] = 0
        rollout.packed.clear()
        for t in range(len(rollout.rewards)):
            for name, part in self.observe().items():
                rollout.observations[name][t] = part
            observations = {name: part[t] for name, part in rollout.observations.items()}
            packed, decided = act(observations)
            rollout.packed.append(packed)
            for part, numbers in zip(rollout.decision(t), decided, strict=True):
                part[:] = numbers
            if with_teacher and self._teacher:
                rollout.teacher_actions[t] = self._teacher.act()
            if with_counterfactual and self.baseline:
                rollout.counterfactuals[t] = self.baseline.compare(rollout.actions[t], rollout.alternatives[t])
            batch.actions[:] = rollout.actions[t]
            opponents = batch.opponents.copy()
            batch.step()
            result = batch.result
            rollout.rewards[t] = self._reward(result.transition)
            if len(truncated := np.flatnonzero(result.truncated)):  # their reward includes the discounted last value
                last = arrange(batch.setup.limits, *(part[truncated] for part in batch.final))
                rollout.rewards[t, truncated] += GAMMA * value(last)
            rollout.dones[t] = done = result.terminated | result.truncated
            if done.any():
                self._ended.append((opponents[done], result.won[done] > 0))
                self.draw_opponents(np.flatnonzero(done))
        rollout.values[-1] = value(self.observe())
        for games in shared(self._ended):  # of all processes, so that all leagues stay equal
            for against, won in games:
                self.league.record(against, won)
        self._ended.clear()
        return rollout

    def observe(self) -> dict[str, Array]:
        """Return the current observations of the agents, as parts [N, ...]."""
        return arrange(self.batch.setup.limits, *self.batch.current)

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return running games and random number generators, as arrays and as values for JSON."""
        rngs = {f"copy/{i}": generator_of(copy).get_state().numpy() for i, copy in enumerate(self.league.frozen)}
        return {**self._batch_arrays(), **rngs}, {"rng": self._rng.bit_generator.state}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Restore a `state`, except games against Python strategies and planner, which begin again.

        The memory of such a strategy is not part of a checkpoint (`Batch.restart_strategies`).
        """
        for name, part in self._batch_arrays().items():
            part[:] = arrays[name]
        self.batch.check()
        self._rng.bit_generator.state = values["rng"]
        for i, copy in enumerate(self.league.frozen):
            generator_of(copy).set_state(torch.from_numpy(arrays[f"copy/{i}"]))
        self.batch.restart_strategies()

    def _batch_arrays(self) -> dict[str, Array]:
        return {**self.batch.state._asdict(), **self.batch.buffers._asdict()}


def generator_of(copy: Agent) -> torch.Generator:
    """Return the random number generator of a sampling agent's actions."""
    assert copy.rng is not None
    return copy.rng


class League:
    """Win rates against every opponent, bots first, and the choice of the next opponents.

    ``frozen``: agents that take the weights of earlier learners, and sample their actions, as the learner did.
    """

    def __init__(self, config: LeagueConfig, bots: list[str], frozen: list[Agent]) -> None:
        self.config, self.bots, self.frozen = config, bots, frozen
        self.win_rates = np.zeros(len(bots) + len(frozen))
        self.games = np.zeros(len(bots) + len(frozen), np.int64)
        self.copies = self.played = 0
        self.newest = -1

    @property
    def win_rate(self) -> float | None:
        """Mean win rate over the bots; None before any game against them has ended."""
        played = self.games[: len(self.bots)] > 0
        return float(self.win_rates[: len(self.bots)][played].mean()) if played.any() else None

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Draw the opponents [count] of games as indices: the more often an opponent wins, the more probable."""
        priorities = _BASE_PRIORITY + 1 - self.win_rates
        bots, frozen = priorities[: len(self.bots)], priorities[len(self.bots) :].copy()
        frozen[self.copies :] = 0
        fraction = self.config.self_play_fraction if self.copies else 0.0
        chances = np.concatenate([(1 - fraction) * bots / bots.sum(), fraction * frozen / max(1e-9, frozen.sum())])
        return np.searchsorted(chances.cumsum(), rng.random(count)).clip(max=len(chances) - 1)

    def record(self, opponents: Array, won: Array) -> None:
        """Record games that ended, in order."""
        for opponent, result in zip(opponents.tolist(), won.tolist(), strict=True):
            self.played += 1
            self.games[opponent] += 1
            weight = max(_MIN_WEIGHT, 1 / self.games[opponent])
            self.win_rates[opponent] += weight * (result - self.win_rates[opponent])

    def promote(self, weights: dict[str, Tensor]) -> None:
        """Freeze a copy of the learner's ``weights`` if it wins often enough against the newest copy.

        While there is room the copy is added; afterwards it replaces the one that the learner beats most often.
        """
        if not self.config.self_play_fraction:
            return
        if not self.copies:
            beaten = (self.win_rate or 0) >= _FIRST_PROMOTION
        else:
            rate, games = self.win_rates[self.newest], self.games[self.newest]
            beaten = games >= _MIN_GAMES and rate >= self.config.promotion_win_rate
        if not beaten:
            return
        i = self.copies if self.copies < len(self.frozen) else int(self.win_rates[len(self.bots) :].argmax())
        self.copies = max(self.copies, i + 1)
        self.frozen[i].network.load_state_dict(weights)
        self.newest = len(self.bots) + i
        self.win_rates[self.newest] = 0.5
        self.games[self.newest] = 0

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return copies and win rates as arrays, counts as values for JSON."""
        arrays = {"win_rates": self.win_rates, "games": self.games}
        for i, copy in enumerate(self.frozen):
            arrays |= {f"{i}/{name}": to_host(part) for name, part in copy.network.state_dict().items()}
        return arrays, {"copies": self.copies, "newest": self.newest, "played": self.played}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Restore a `state`."""
        self.win_rates[:], self.games[:] = arrays["win_rates"], arrays["games"]
        self.copies, self.newest, self.played = values["copies"], values["newest"], values["played"]
        for i, copy in enumerate(self.frozen):
            copy.network.load_state_dict(tensors_under(f"{i}/", arrays))

    def standings(self) -> dict[str, float]:
        """Return the win rates by opponent, for opponents that were played."""
        names = [*self.bots, *(copy.name for copy in self.frozen)]
        return {name: float(self.win_rates[i]) for i, name in enumerate(names) if self.games[i]}
