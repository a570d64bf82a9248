"""Models of Stable-Baselines3 and sb3-contrib as policies: PPO, MaskablePPO, RecurrentPPO, A2C, DQN and others."""

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.save_util import load_from_pkl, load_from_zip_file

from planetwars_env.codec.layout import EDGE_WIDTH, planet_width
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, LARGE, Limits
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
        self.model: Any = _load(Path(model)) if by_file else _policy_of(model)
        shapes = ModelShapes.of(self.model, limits)
        self.observation, self.limits = shapes.form, shapes.limits
        self.fractions = _fractions(fractions, shapes.fractions)
        self.max_orders = max_orders if shapes.orders else 0
        self.history = ObservationHistory(shapes.limits, shapes.form, shapes.memory, shapes.frames)
        self._masked = "action_masks" in signature(self.model.predict).parameters
        if hasattr(self.model, "lstm_hidden_state_shape"):
            layers, _, width = self.model.lstm_hidden_state_shape
            self.state = GameMemory(*(np.zeros((layers, width), np.float32) for _ in range(2)))
        self._normalize = load_from_pkl(vecnormalize) if isinstance(vecnormalize, str | Path) else vecnormalize
        self._normalizes_stack = self._normalize is not None and _normalized_width(self._normalize) == shapes.width
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
        shown = self._prepare(observation, games, starts)
        more: dict[str, Any] = {"action_masks": action_masks} if self._masked else {}
        state = None
        if self.state is not None:
            state = tuple(np.moveaxis(part, 0, 1) for part in self.state.recall(games, starts))
        with torch.random.fork_rng(devices=[], enabled=self.rng is not None):
            if self.rng is not None:
                torch.set_rng_state(self.rng.get_state())
            actions, state = self.model.predict(
                shown, state, episode_start=starts, deterministic=self.rng is None, **more
            )
            if self.rng is not None:
                self.rng.set_state(torch.get_rng_state())
        if self.state is not None and state is not None:
            self.state.keep(games, [np.moveaxis(part, 1, 0) for part in state])
        return actions

    def _prepare(self, observation: Any, games: Array, starts: Array) -> Any:
        """Return the observation with memory, normalisation and stacked frames, as in training."""
        shown = self.history.with_table(observation, games, starts)
        if self._normalize is not None and not self._normalizes_stack:
            shown = self._normalize.normalize_obs(shown)
        shown = self.history.stacked(shown, games, starts)
        return shown if self._normalize is None or not self._normalizes_stack else self._normalize.normalize_obs(shown)


class ModelShapes:
    """Limits and arguments of the environments that have the spaces of a model."""

    def __init__(self, observations: Any, actions: Any, limits: Limits) -> None:
        self.limits, self.orders = limits, isinstance(actions, spaces.Discrete)
        edges = 2 * limits.edges if self.orders else limits.degree
        slots = [int(actions.n)] if isinstance(actions, spaces.Discrete) else np.ravel(actions.nvec).tolist()
        self.fractions, rest = divmod(slots[0] - 1, edges)
        right = 1 if self.orders else limits.planets
        self.fit = not rest and self.fractions > 0 and len(slots) == right and len(set(slots)) == 1
        self.form, self.memory, self.frames, self.width = "tensors", False, 1, 0
        if isinstance(observations, spaces.Dict):
            self._read_tensors(observations)
        else:
            self._read_flat(int(np.prod(observations.shape)))

    def _read_tensors(self, observations: spaces.Dict) -> None:
        limits = self.limits
        right = {
            "planets": (limits.planets, planet_width(limits.horizon)),
            "edges": (2 * limits.edges, EDGE_WIDTH),
        }
        self.memory = "memory" in observations.spaces
        self.form = "derived" if "derived_planets" in observations.spaces else "tensors"
        found = {name: observations[name].shape for name in right if name in observations.spaces}
        self.fit = self.fit and found == right

    def _read_flat(self, width: int) -> None:
        self.form, self.width = "flat", width
        for memory in (False, True):
            frames, rest = divmod(width, ObservationHistory(self.limits, "flat", memory, 1).width)
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
        fitting = [shapes for shapes in (cls(observations, actions, one) for one in tried) if shapes.fit]
        if len(fitting) != 1:
            fault = "fits none" if not fitting else "fits several"
            raise ValueError(
                f"the model ({observations}, {actions}) {fault} of the limits {', '.join(str(one) for one in tried)}: pass "
                "limits=, those of the environment that it was trained in; observations must be those of the environment, "
                "with memory or VecFrameStack at most"
            )
        return fitting[0]


def _load(path: Path) -> BasePolicy:
    """Return the policy in a model's file, which may run any code while it is unpickled."""
    try:
        data, parameters, _ = load_from_zip_file(path, device="cpu")
        assert data is not None
        made = data["policy_class"](
            data["observation_space"], data["action_space"], lambda _: 0.0, **data.get("policy_kwargs", {})
        )
        made.load_state_dict(parameters["policy"])
    except FileNotFoundError:
        raise
    except Exception as fault:  # unpickling can raise anything
        raise ValueError(f"{path} is not a model of Stable-Baselines3 that can be loaded here: {fault}") from fault
    return _checked(made.cpu())


def _policy_of(model: Any) -> BasePolicy:
    policy = model if isinstance(model, BasePolicy) else getattr(model, "policy", None)
    if not isinstance(policy, BasePolicy):
        raise ValueError(
            f"pw.SB3Policy takes a model of Stable-Baselines3 or its .zip file, not {type(model).__name__}"
        )
    return _checked(policy)


def _checked(policy: BasePolicy) -> BasePolicy:
    for name, part in policy.named_parameters():
        if not part.isfinite().all():
            raise ValueError(f"the model has numbers that are not finite in {name}")
    return policy


def _fractions(given: Sequence[float] | None, count: int) -> Sequence[float]:
    if given is None and count == len(FRACTIONS):
        return FRACTIONS
    if given is None or len(given) != count:
        stated = "" if given is None else f", not {len(given)}"
        raise ValueError(f"the model chooses among {count} fractions{stated}: pass fractions=, those of its training")
    return tuple(given)


def _normalized_width(normalize: Any) -> int:
    if not callable(getattr(normalize, "normalize_obs", None)):
        raise ValueError(f"vecnormalize must be a VecNormalize or its .pkl file, not {type(normalize).__name__}")
    mean = getattr(normalize.obs_rms, "mean", None) if normalize.norm_obs else None
    return -1 if mean is None else int(np.prod(mean.shape))
