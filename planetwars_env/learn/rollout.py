"""The games that the learner plays: the native batch, rollouts of it, and whom and where each game is played against."""

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
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.counterfactual import Credit
from planetwars_env.learn.kickstarting import Teacher
from planetwars_env.learn.league import Frozen, League
from planetwars_env.sim.batch import Autoreset, Batch

Act = Callable[[dict[str, Array]], tuple[Array, ...]]


@dataclass
class Rollout:
    """T steps of N games: the parts of observations [T, N, ...], and what was done and came of it."""

    seen: dict[str, Array]
    actions: Array
    """[T, N, S] int64"""
    old: Array
    """[T, N, S] float32: log-probability of each choice"""
    others: Array
    """[T, N, S] int64: what might have been drawn instead"""
    old_others: Array
    """[T, N, S] float32"""
    values: Array
    """[T + 1, N] float32, one more for what comes after"""
    rewards: Array
    """[T, N] float32"""
    dones: Array
    """[T, N] float32: 1 where a game ended"""
    advice: Array
    """[T, N, S] int64: what the teacher would have done, where there is one"""
    credit: Array
    """[T, N, S] float32: what each choice was worth (learn/counterfactual.py), where that is asked for"""

    def made(self, t: int) -> tuple[Array, ...]:
        """What the learner makes of step t, in the order in which its `Act` gives it."""
        parts = self.actions, self.old, self.others, self.old_others, self.values
        return tuple(part[t] for part in parts)

    def flat(self, advantages: Array, returns: Array) -> dict[str, Tensor]:
        """Everything with steps and games as one axis, as tensors over the same memory."""
        parts = {**self.seen, "actions": self.actions, "old": self.old}
        parts |= {"others": self.others, "old_others": self.old_others}
        parts |= {"advantages": advantages, "returns": returns, "advice": self.advice, "credit": self.credit}
        return {name: torch.from_numpy(part.reshape(-1, *part.shape[2:])) for name, part in parts.items()}


class Games:
    """The native batch, stepped in place. ``threads``: slices of it that run side by side."""

    def __init__(self, config: TrainConfig, threads: int) -> None:
        task, learner = config.task, config.learner
        bots = resolve_players(task.opponents)
        frozen = [Frozen(f"self-{i}", config, config.schedule.seed + i) for i in range(config.league.places)]
        arguments = task.arguments(learner.gamma)
        setup = replace(arguments, opponent=[*bots, *(frozen if config.league.share else [])]).setup(
            Autoreset.SAME_STEP
        )
        self.league = League(config.league, [bot.name for bot in bots], frozen)
        self.batch = Batch(learner.games, setup, threads)
        self._gamma = learner.gamma
        self._reward = resolve_reward(arguments.reward)
        # Boards are drawn by their place in this order: in another one, a seed would give other runs.
        self._boards = np.argsort([len(graph.planets) for graph in setup.graphs], kind="stable")
        self._teacher = Teacher(self.batch) if learner.imitation else None
        self.credit = Credit(self.batch, threads) if learner.credit else None
        self._rng = np.random.default_rng(config.schedule.seed)
        self.rollout = self._allocate(learner.rollout)
        self.batch.seed(config.schedule.seed)
        self.draw_opponents()
        self.batch.reset()

    def draw_opponents(self) -> None:
        """Draw opponent and board of every row's next game."""
        self._draw(np.arange(self.batch.games))

    def play(
        self, act: Act, value: Callable[[dict[str, Array]], Array], advised: bool = False, judged: bool = False
    ) -> Rollout:
        """One rollout, in arrays that the next one overwrites; ``act``: actions, others, log-probabilities and values.

        ``advised``: with what the teacher would do. ``judged``: with the credit of every choice.
        """
        rollout, batch = self.rollout, self.batch
        rollout.credit[:] = 0
        for t in range(len(rollout.rewards)):
            for name, part in self.observe().items():
                rollout.seen[name][t] = part
            seen = {name: part[t] for name, part in rollout.seen.items()}
            for part, made in zip(rollout.made(t), act(seen), strict=True):
                part[:] = made
            if advised and self._teacher:
                rollout.advice[t] = self._teacher.advise()
            if judged and self.credit:
                rollout.credit[t] = self.credit.judge(rollout.actions[t], rollout.others[t])
            batch.actions[:] = rollout.actions[t]
            opponents = batch.opponents.copy()
            batch.step()
            rollout.rewards[t], rollout.dones[t] = self._outcome(opponents, value)
        rollout.values[-1] = value(self.observe())
        return rollout

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Running games, generators and the league, as arrays and as values for JSON."""
        arrays = {
            name: part for group in (self.batch.state, self.batch.buffers) for name, part in group._asdict().items()
        }
        frozen, standings = self.league.state()
        return {**arrays, **frozen}, {"rng": self._rng.bit_generator.state, "league": standings}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """The inverse of `state`, but for games against Python strategies and planner, which begin again.

        The memory of such a strategy in mid-game is not part of a checkpoint (`Batch.restart_strategies`).
        """
        for group in (self.batch.state, self.batch.buffers):
            for name, part in group._asdict().items():
                part[:] = arrays[name]
        self.batch.check()
        self._rng.bit_generator.state = values["rng"]
        self.league.restore(arrays, values["league"])
        self.batch.restart_strategies()

    def _allocate(self, steps: int) -> Rollout:
        lead, slots = (steps, self.batch.games), self.batch.actions.shape[1]
        seen = {name: np.zeros((steps, *part.shape), part.dtype) for name, part in self.observe().items()}
        chosen, others, advice = (np.zeros((*lead, slots), np.int64) for _ in range(3))
        rewards, dones = (np.zeros(lead, np.float32) for _ in range(2))
        values = np.zeros((steps + 1, self.batch.games), np.float32)
        old, old_others, credit = (np.zeros(chosen.shape, np.float32) for _ in range(3))
        return Rollout(seen, chosen, old, others, old_others, values, rewards, dones, advice, credit)

    def observe(self) -> dict[str, Array]:
        """The parts of what the agents are shown now."""
        return arrange(self.batch.setup.limits, *self.batch.current)

    def _outcome(self, opponents: Array, value: Callable[[dict[str, Array]], Array]) -> tuple[Array, Array]:
        """Rewards and ends of a step; what a game that was cut off would have been worth is part of its reward."""
        result = self.batch.result
        rewards = self._reward(result.transition).astype(np.float32)
        cut_off = np.flatnonzero(result.truncated)
        if len(cut_off):
            rewards[cut_off] += self._gamma * value(
                arrange(self.batch.setup.limits, *(part[cut_off] for part in self.batch.final))
            )
        done = result.terminated | result.truncated
        if done.any():
            self.league.note(opponents[done], result.won[done] > 0)
            self._draw(np.flatnonzero(done))
        return rewards, done.astype(np.float32)

    def _draw(self, rows: Array) -> None:
        """The next games of ``rows``: they begin when the running ones end."""
        opponents = self.league.draw(self._rng, len(rows))
        graphs = self._boards[self._rng.integers(0, len(self._boards), len(rows))]
        self.batch.set_next(rows, graphs=graphs, opponents=opponents)
