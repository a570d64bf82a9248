"""Callbacks of Stable-Baselines3: evaluate a model during its training, and let it play against frozen copies of itself."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import Result
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.learn.sb3_policy import SB3Policy


class EvaluationCallback(BaseCallback):
    """Callback for ``model.learn``: play ``games`` games against each opponent every ``eval_freq`` environment steps.

    The win rates with their 95 % intervals go to SB3's logger as ``validation/ai1``, ``validation/ai1_low`` and
    ``validation/ai1_high``; those of sampled actions as ``validation/ai1_sampled``. ``results`` keeps
    (steps, results, sampled results). ``best_model_save_path``: a folder for best_model.zip, the model with the highest mean
    win rate. ``policy``: keyword arguments of `SB3Policy`, such as ``fractions``. A `VecNormalize` is found by itself.
    """

    def __init__(
        self,
        opponents: Any = ("random", "ai1"),
        *,
        graphs: Any = "validation",
        games: int = 50,
        eval_freq: int = 50_000,
        rules: Rules = PLANETWARS,
        sample: bool = True,
        best_model_save_path: str | Path | None = None,
        policy: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
        if eval_freq < 1:
            raise ValueError(f"eval_freq must be at least 1, not {eval_freq}")
        self.opponents, self.graphs, self.games, self.rules = opponents, graphs, games, rules
        self.eval_freq, self.sample = eval_freq, sample
        self.best_model_save_path = None if best_model_save_path is None else Path(best_model_save_path)
        self.policy_arguments = policy or {}
        self.results: list[tuple[int, list[Result], list[Result]]] = []
        self.best_win_rate = -1.0
        self._evaluated_at = 0

    def _on_training_start(self) -> None:
        self._evaluated_at = self.num_timesteps
        self._policy()  # raises here, before any step, what does not fit

    def _on_step(self) -> bool:
        if self.num_timesteps - self._evaluated_at >= self.eval_freq:
            self._evaluated_at = self.num_timesteps
            self._evaluate()
        return True

    def _policy(self) -> SB3Policy:
        return SB3Policy(self.model, vecnormalize=self.model.get_vec_normalize_env(), **self.policy_arguments)

    def _evaluate(self) -> None:
        policy, plan = self._policy(), (self.opponents, self.graphs, self.games, self.rules)
        mode = evaluate(policy, *plan)
        sampled = evaluate(policy, *plan, sample=True) if self.sample else []
        self.results.append((self.num_timesteps, mode, sampled))
        self._log(mode, "")
        self._log(sampled, "_sampled")
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        if self.verbose:
            print(f"{self.num_timesteps} steps: {'; '.join(str(result) for result in mode)}")
        self._keep_best(sum(result.total.win_rate for result in mode) / len(mode))

    def _log(self, results: Sequence[Result], suffix: str) -> None:
        for result in results:
            low, high = result.total.interval
            name = f"validation/{result.opponent}{suffix}"
            for key, value in ((name, result.total.win_rate), (f"{name}_low", low), (f"{name}_high", high)):
                self.logger.record(key, value)

    def _keep_best(self, win_rate: float) -> None:
        if win_rate > self.best_win_rate:
            self.best_win_rate = win_rate
            if self.best_model_save_path is not None:
                self.best_model_save_path.mkdir(parents=True, exist_ok=True)
                self.model.save(self.best_model_save_path / "best_model.zip")


class SelfPlayCallback(BaseCallback):
    """Callback for ``model.learn``: a frozen copy of the model joins its opponents every ``freeze_freq`` environment steps.

    The environment comes from `make_sb3_vec_env`; wrappers around it may stay. ``opponents``: those that always take part, such
    as bots. ``copies``: the newest that play, in ``fraction`` of the games that begin; ``frozen`` keeps them. They sample their
    actions, as the model does, except those of models without probabilities, such as DQN. ``policy``: keyword arguments of
    `SB3Policy`, such as ``fractions``. ValueError for numbers out of their bounds.
    """

    def __init__(
        self,
        opponents: Any = ("random", "ai1"),
        *,
        freeze_freq: int = 50_000,
        copies: int = 4,
        fraction: float = 0.5,
        policy: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
        if freeze_freq < 1 or copies < 1 or not 0 < fraction <= 1:
            raise ValueError(
                f"freeze_freq and copies must be at least 1, and fraction above 0 and at most 1, not {freeze_freq}, {copies} and "
                f"{fraction}"
            )
        self.opponents = [opponents] if isinstance(opponents, str) else list(opponents)
        self.freeze_freq, self.copies, self.fraction = freeze_freq, copies, fraction
        self.policy_arguments = policy or {}
        self.frozen: list[SB3Policy] = []
        self._frozen_at = 0

    def _on_training_start(self) -> None:
        self._frozen_at = self.num_timesteps
        self._copy()  # raises here, before any step, what does not fit

    def _on_step(self) -> bool:
        if self.num_timesteps - self._frozen_at >= self.freeze_freq:
            self._frozen_at = self.num_timesteps
            self.frozen = [*self.frozen, self._copy()][-self.copies :]
            weights = [(1 - self.fraction) / len(self.opponents)] * len(self.opponents)
            weights += [(self.fraction if self.opponents else 1) / len(self.frozen)] * len(self.frozen)
            games: Any = self.training_env.unwrapped
            games.set_opponents([*self.opponents, *self.frozen], weights=weights)
            if self.verbose:
                print(f"{self.num_timesteps} steps: {len(self.frozen)} frozen copies among the opponents")
        return True

    def _copy(self) -> SB3Policy:
        normalize = deepcopy(self.model.get_vec_normalize_env())
        name = f"copy-{self.num_timesteps}"
        copy = SB3Policy(deepcopy(self.model.policy), vecnormalize=normalize, name=name, **self.policy_arguments)
        return copy.sampling(self.num_timesteps) if hasattr(copy.model, "get_distribution") else copy
