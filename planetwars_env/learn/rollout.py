"""Rollout collector for PPO, and its league of opponents: bots, and frozen copies of the learner.

Axes: T steps, N environments, S slots of an action.
"""

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
from planetwars_env.learn.masked_categorical import MaskedCategorical
from planetwars_env.learn.network import PolicyNetwork
from planetwars_env.learn.processes import own_device, shared
from planetwars_env.learn.tensors import as_tensors, named, tensors_under, to_host
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset

_MIN_WEIGHT = 0.01  # Least weight of a new game in a win rate, which is a moving average
_MIN_GAMES = 200  # Games against the newest copy before the next one may be made
_BASE_PRIORITY = 0.1  # Added to an opponent's win rate: one that never wins is drawn now and then
_FIRST_PROMOTION = 0.5  # Win rate against the bots at which the first copy is made


@dataclass
class Rollout:
    """T steps of N environments."""

    observations: dict[str, Array]  # The parts [T, N, ...]
    actions: Array  # [T, N, S] int64
    log_probs: Array  # [T, N, S] float32: log-probability of each choice
    alternatives: Array  # [T, N, S] int64: a second sample of the policy, or the actions where there is no credit
    alternative_log_probs: Array  # [T, N, S] float32
    teacher_actions: Array  # [T, N, S] int64 (advisor.py); zero where no teacher is asked
    counterfactuals: Array  # [T, N, S] float32: advantage of each choice over its alternative (advisor.py), or zero
    rewards: Array  # [T, N] float32
    dones: Array  # [T, N] float32: 1 where a game ended
    values: Array  # [T + 1, N] float32, one more for bootstrapping

    def flat(self, advantages: Array, returns: Array) -> dict[str, Tensor]:
        """Return the choices and two arrays [T, N] with steps and environments as one axis [T * N, ...]."""
        names = "actions", "log_probs", "alternatives", "alternative_log_probs", "teacher_actions", "counterfactuals"
        parts = {name: getattr(self, name) for name in names}
        parts |= {"advantages": advantages, "returns": returns}
        return as_tensors({name: part.reshape(-1, *part.shape[2:]) for name, part in parts.items()})


class RolloutCollector:
    """Native batch of this process's environments of one rule set, with a league of opponents.

    ``task``: a part of that of the configuration. ``games``: this process's environments. ``seed``: of the first games.
    """

    rollout: Rollout  # The last one

    def __init__(self, config: TrainConfig, task: TaskConfig, games: int, seed: int) -> None:
        config, self.settings = replace(config, task=task), config.learner
        bots = resolve_players(task.opponents)
        device = own_device(self.settings.device)
        copies = [Agent(f"self-{i}", config, device=device).sampling() for i in range(config.league.copies)]
        arguments = task.arguments(imported_plug("task: reward", task.reward) if ":" in task.reward else None)
        opponents = [*bots, *(copies if config.league.self_play_fraction else [])]
        setup = replace(arguments, opponent=opponents).setup(Autoreset.SAME_STEP)
        self.league = League(config.league, [bot.name for bot in bots], copies)
        self.batch = Batch(games, setup)
        self.baseline = CounterfactualBaseline(self.batch) if self.settings.counterfactual_coef else None
        self._teacher = Teacher(self.batch) if self.settings.kickstarting_coef else None
        self._reward = resolve_reward(arguments.reward)
        self._copy_rngs = [copy.rng for copy in copies if copy.rng]
        # Graphs are drawn by their position in this order: in another one, a seed would give other runs.
        self._graphs = np.argsort([len(graph.planets) for graph in setup.graphs], kind="stable")
        self.observe()  # whose arrays the batch allocates and fills from now on
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Begin all games anew, with random number generators made of ``seed``."""
        self._rng = np.random.default_rng(seed)
        for i, rng in enumerate(self._copy_rngs):
            rng.manual_seed(seed + i)
        self.batch.seed(seed)
        self.draw_opponents(np.arange(self.batch.games))
        self.batch.reset()

    def draw_opponents(self, rows: Array) -> None:
        """Draw opponent and graph of the next games of ``rows``; they begin when the running ones end."""
        opponents = self.league.draw(self._rng, len(rows))
        graphs = self._graphs[self._rng.integers(0, len(self._graphs), len(rows))]
        self.batch.set_next(rows, graphs, opponents)

    def collect(self, network: PolicyNetwork, rng: torch.Generator | None, progress: float = 1.0) -> Rollout:
        """Collect one rollout by ``network``, whose actions ``rng`` samples, at ``progress`` (0 to 1) of the run."""
        batch, observations, steps, values, ended = self.batch, [], [], [], []
        teacher = self._teacher if self.settings.kickstarting_weight(progress) else None
        baseline = self.baseline if self.settings.counterfactual_weight(progress) else None

        def value(observation: dict[str, Array]) -> Array:
            with torch.inference_mode():
                return to_host(network(as_tensors(observation))[1])

        self.draw_opponents(np.arange(batch.games))
        for _ in range(self.settings.num_steps):
            observations.append({name: part.copy() for name, part in self.observe().items()})
            with torch.inference_mode():
                policy, estimates = network(as_tensors(observations[-1]))
                policy = policy.normalised()
                actions, log_probs = map(to_host, _sample(policy, rng))
                others = map(to_host, _sample(policy, rng)) if baseline else (actions, log_probs)
                values.append(to_host(estimates))
            alternatives, other_log_probs = others
            taught = teacher.act() if teacher else np.zeros_like(actions)
            credit = baseline.compare(actions, alternatives) if baseline else np.zeros(actions.shape, np.float32)
            batch.actions[:] = actions
            opponents = batch.opponents.copy()
            batch.step()
            result = batch.result
            rewards, done = self._reward(result.transition).astype(np.float32), result.terminated | result.truncated
            if len(truncated := np.flatnonzero(result.truncated)):  # their reward includes the discounted last value
                last = arrange(batch.setup.limits, *(part[truncated] for part in batch.final))
                rewards[truncated] += GAMMA * value(last)
            steps.append((actions, log_probs, alternatives, other_log_probs, taught, credit, rewards, done))
            if done.any():
                ended.append((opponents[done], result.won[done] > 0))
                self.draw_opponents(np.flatnonzero(done))
        *columns, dones = map(np.stack, zip(*steps, strict=True))
        values.append(value(self.observe()))
        stacked = {name: np.stack([step[name] for step in observations]) for name in observations[0]}
        self.rollout = Rollout(stacked, *columns, dones=dones.astype(np.float32), values=np.stack(values))
        for games in shared(ended):  # of all processes, so that all leagues stay equal
            for against, won in games:
                self.league.record(against, won)
        return self.rollout

    def observe(self) -> dict[str, Array]:
        """Return the current observations of the agents, as parts [N, ...]."""
        return arrange(self.batch.setup.limits, *self.batch.current)

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return running games and random number generators, as arrays and as values for JSON."""
        rngs = {f"copy/{i}": rng.get_state().numpy() for i, rng in enumerate(self._copy_rngs)}
        return {**self._batch_arrays(), **rngs}, {"rng": self._rng.bit_generator.state}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Restore a `state`; games against Python strategies and planner begin again (`Batch.restart_strategies`)."""
        for name, part in self._batch_arrays().items():
            part[:] = arrays[name]
        self.batch.check()
        self._rng.bit_generator.state = values["rng"]
        for i, rng in enumerate(self._copy_rngs):
            rng.set_state(torch.from_numpy(arrays[f"copy/{i}"]))
        self.batch.restart_strategies()

    def _batch_arrays(self) -> dict[str, Array]:
        return {**self.batch.state._asdict(), **self.batch.buffers._asdict()}


def _sample(policy: MaskedCategorical, rng: torch.Generator | None) -> tuple[Tensor, Tensor]:
    """Return actions and the log-probability of each choice, both [N, S]."""
    actions = policy.sample(rng)
    log_probs = policy.logits.new_zeros(actions.shape)
    log_probs.view(-1)[policy.rows] = policy.log_probs(actions)
    return actions, log_probs


class League:
    """Win rates against every opponent, bots first, then copies of earlier learners, and the choice of the next opponents."""

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
            arrays |= named(f"{i}/", copy.network.state_dict())
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
