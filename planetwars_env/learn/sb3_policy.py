"""Models of Stable-Baselines3 and sb3-contrib: as policies, and evaluated or frozen as opponents during their training.

`SB3Policy` takes models of PPO, MaskablePPO, RecurrentPPO, A2C, DQN and others.
"""

from collections.abc import Sequence
from copy import deepcopy
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.save_util import load_from_pkl, load_from_zip_file

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import Result
from planetwars_env.codec.layout import EDGE_WIDTH, planet_width
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, LARGE, Limits
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.engine.state import Array
from planetwars_env.learn.model_policy import GameMemory, ModelPolicy, ObservationHistory

_MOST_FRAMES = 64


class SB3Policy(ModelPolicy):
    """A model of Stable-Baselines3 or sb3-contrib as a `Policy`, by object or by the .zip file that `save` wrote.

    The file contains pickles, whose loading can run any program: load only files that you trust. ``vecnormalize``: the
    `VecNormalize` of the training or its .pkl file, which is a pickle, too. The spaces of the model give the form of
    observations, turns or orders, limits, memory (`make_sb3_vec_env` with memory=True) and stacked frames. They do not give
    the values of ``fractions``, which must be passed if they were not the default, and ``max_orders``. ``limits`` other than
    `CLASSIC` and `LARGE` must be passed. ``deterministic``: take the mode of the distribution. ValueError says what does
    not fit.

        model = PPO("MlpPolicy", pw.make_sb3_vec_env("PlanetWars-v0")).learn(100_000)
        pw.evaluate(pw.SB3Policy(model), ["random", "ai1"])
    """

    def __init__(
        self,
        model: Any,
        *,
        vecnormalize: Any = None,
        limits: Limits | None = None,
        fractions: Sequence[float] | None = None,
        max_orders: int = 8,
        deterministic: bool = True,
        name: str | None = None,
    ) -> None:
        by_file = isinstance(model, str | Path)
        self.name = name or (Path(model).stem if by_file else type(model).__name__)
        self.model: Any = _policy_of(Path(model) if by_file else model)
        shapes = ModelShapes.of(self.model, limits)
        self.observation, self.limits = shapes.form, shapes.limits
        if fractions is None and shapes.fractions == len(FRACTIONS):
            fractions = FRACTIONS
        if fractions is None or len(fractions) != shapes.fractions:
            stated = "" if fractions is None else f", not {len(fractions)}"
            raise ValueError(
                f"the model chooses among {shapes.fractions} fractions{stated}: pass fractions=, those of its training"
            )
        self.fractions = tuple(fractions)
        self.max_orders, self.sends = max_orders if shapes.orders else 0, shapes.sends
        self.history = ObservationHistory(shapes.limits, shapes.form, shapes.memory, shapes.frames)
        self._masked = "action_masks" in signature(self.model.predict).parameters
        if hasattr(self.model, "lstm_hidden_state_shape"):
            layers, _, width = self.model.lstm_hidden_state_shape
            self.state = GameMemory(*(np.zeros((layers, width), np.float32) for _ in range(2)))
        normalize = load_from_pkl(vecnormalize) if isinstance(vecnormalize, str | Path) else vecnormalize
        if normalize is not None and not callable(getattr(normalize, "normalize_obs", None)):
            raise ValueError(f"vecnormalize must be a VecNormalize or its .pkl file, not {type(normalize).__name__}")
        mean = getattr(normalize.obs_rms, "mean", None) if normalize is not None and normalize.norm_obs else None
        self._normalize = normalize
        self._normalizes_stack = mean is not None and int(np.prod(mean.shape)) == shapes.width
        if not deterministic:
            self.rng = self.sampling().rng

    def __repr__(self) -> str:
        return f"SB3Policy({self.name})"

    def sampling(self, seed: int = 0) -> "SB3Policy":
        """Return this policy with actions drawn from its distribution; ValueError for a model without one, such as DQN."""
        if not hasattr(self.model, "get_distribution"):
            raise ValueError(f"{self.name} has no probabilities to sample from: {type(self.model).__name__} has none")
        return super().sampling(seed)

    def act(
        self,
        observation: Any,
        games: Array | None = None,
        starts: Array | None = None,
        action_masks: Array | None = None,
    ) -> Array:
        """Return actions [n, P], or [n] orders."""
        games, starts = self.numbers(observation, games, starts)
        inputs = self.history.with_table(observation, games, starts)  # memory, normalisation and frames as in training
        if self._normalize is not None and not self._normalizes_stack:
            inputs = self._normalize.normalize_obs(inputs)
        inputs = self.history.stacked(inputs, games, starts)
        if self._normalize is not None and self._normalizes_stack:
            inputs = self._normalize.normalize_obs(inputs)
        more: dict[str, Any] = {"action_masks": action_masks} if self._masked else {}
        state = None
        if self.state is not None:
            state = tuple(np.moveaxis(part, 0, 1) for part in self.state.recall(games, starts))
        with torch.random.fork_rng(devices=[], enabled=self.rng is not None):
            if self.rng is not None:
                torch.set_rng_state(self.rng.get_state())
            actions, state = self.model.predict(
                inputs, state, episode_start=starts, deterministic=self.rng is None, **more
            )
            if self.rng is not None:
                self.rng.set_state(torch.get_rng_state())
        if self.state is not None and state is not None:
            self.state.keep(games, [np.moveaxis(part, 1, 0) for part in state])
        return actions


class ModelShapes:
    """Limits and arguments of the environments that have the spaces of a model."""

    def __init__(self, observations: Any, actions: Any, limits: Limits) -> None:
        self.limits, self.orders = limits, isinstance(actions, spaces.Discrete)
        edges = 2 * limits.edges if self.orders else limits.degree
        slots = [int(actions.n)] if isinstance(actions, spaces.Discrete) else np.ravel(actions.nvec).tolist()
        self.fractions, rest = divmod(slots[0] - 1, edges)
        self.sends, missing = (1, 0) if self.orders else divmod(len(slots), limits.planets)
        self.fit = not rest and self.fractions > 0 and self.sends > 0 and not missing and len(set(slots)) == 1
        self.form, self.memory, self.frames, self.width = "tensors", False, 1, 0
        if isinstance(observations, spaces.Dict):
            right = {"planets": (limits.planets, planet_width(limits.horizon)), "edges": (2 * limits.edges, EDGE_WIDTH)}
            self.memory = "memory" in observations.spaces
            self.form = "derived" if "derived_planets" in observations.spaces else "tensors"
            shapes = {name: observations[name].shape for name in right if name in observations.spaces}
            self.fit = self.fit and shapes == right
            return
        self.form, self.width = "flat", int(np.prod(observations.shape))
        for memory in (False, True):
            frames, rest = divmod(self.width, ObservationHistory(limits, "flat", memory, 1).width)
            if not rest and 0 < frames <= _MOST_FRAMES:
                self.memory, self.frames = memory, frames
                return
        self.fit = False

    @classmethod
    def of(cls, model: Any, limits: Limits | None) -> "ModelShapes":
        """Return those of ``limits`` (None: of `CLASSIC` or `LARGE`); ValueError where none fits, or more than one."""
        observations, actions = model.observation_space, model.action_space
        if not isinstance(actions, spaces.Discrete | spaces.MultiDiscrete):
            raise ValueError(f"the model has the action space {actions}, which no PlanetWars environment has")
        tried = [limits] if limits else [CLASSIC, LARGE]
        fitting = [shapes for shapes in (cls(observations, actions, each) for each in tried) if shapes.fit]
        if len(fitting) != 1:
            fault = "fits none" if not fitting else "fits several"
            raise ValueError(
                f"the model ({observations}, {actions}) {fault} of the limits {', '.join(map(str, tried))}: pass "
                "limits=, those of the environment that it was trained in; observations must be those of the environment, "
                "with memory or VecFrameStack at most"
            )
        return fitting[0]


def _policy_of(model: Any) -> BasePolicy:
    """Return the policy of a model, or of the file of one, which may run any code while it is unpickled."""
    policy = model if isinstance(model, BasePolicy) else getattr(model, "policy", None)
    if isinstance(model, Path):
        try:
            data, parameters, _ = load_from_zip_file(model, device="cpu")
            assert data is not None
            policy = data["policy_class"](
                data["observation_space"], data["action_space"], lambda _: 0.0, **data.get("policy_kwargs", {})
            )
            policy.load_state_dict(parameters["policy"])
            policy = policy.cpu()
        except FileNotFoundError:
            raise
        except Exception as fault:  # unpickling can raise anything
            raise ValueError(f"{model} is not a model of Stable-Baselines3 that can be loaded here: {fault}") from fault
    if not isinstance(policy, BasePolicy):
        raise ValueError(
            f"pw.SB3Policy takes a model of Stable-Baselines3 or its .zip file, not {type(model).__name__}"
        )
    for name, part in policy.named_parameters():
        if not part.isfinite().all():
            raise ValueError(f"the model has numbers that are not finite in {name}")
    return policy


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
        if self.num_timesteps - self._evaluated_at < self.eval_freq:
            return True
        self._evaluated_at = self.num_timesteps
        policy, plan = self._policy(), (self.opponents, self.graphs, self.games, self.rules)
        greedy = evaluate(policy, *plan)
        sampled = evaluate(policy, *plan, sample=True) if self.sample else []
        self.results.append((self.num_timesteps, greedy, sampled))
        for suffix, results in (("", greedy), ("_sampled", sampled)):
            for result in results:
                name, (low, high) = f"validation/{result.opponent}{suffix}", result.total.interval
                for key, value in ((name, result.total.win_rate), (f"{name}_low", low), (f"{name}_high", high)):
                    self.logger.record(key, value)
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        if self.verbose:
            print(f"{self.num_timesteps} steps: {'; '.join(str(result) for result in greedy)}")
        win_rate = sum(result.total.win_rate for result in greedy) / len(greedy)
        if win_rate > self.best_win_rate:
            self.best_win_rate = win_rate
            if self.best_model_save_path is not None:
                self.best_model_save_path.mkdir(parents=True, exist_ok=True)
                self.model.save(self.best_model_save_path / "best_model.zip")
        return True

    def _policy(self) -> SB3Policy:
        return SB3Policy(self.model, vecnormalize=self.model.get_vec_normalize_env(), **self.policy_arguments)


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
