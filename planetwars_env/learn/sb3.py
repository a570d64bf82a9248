"""Stable-Baselines3 and sb3-contrib: their models as policies, callbacks for their training, and this project's network.

`SB3Policy` takes models of PPO, MaskablePPO, RecurrentPPO, A2C, DQN and others.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.save_util import load_from_pkl, load_from_zip_file
from stable_baselines3.common.torch_layers import CombinedExtractor
from torch import Tensor

from planetwars_env.arena.evaluation import can_sample, evaluate
from planetwars_env.arena.results import Result
from planetwars_env.bots.catalogue import listed, resolve_player
from planetwars_env.codec.layout import EDGE_WIDTH, planet_width
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, LARGE, Limits
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.engine.state import Array
from planetwars_env.learn.config import ActionSpec
from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.masked_categorical import MaskedCategorical
from planetwars_env.learn.network import NETWORKS
from planetwars_env.learn.torch_policy import ModelPolicy, flat_width

_MOST_FRAMES = 64


class SB3Policy(ModelPolicy):
    """A model of Stable-Baselines3 or sb3-contrib as a `Policy`, by object or by the .zip file that `save` wrote.

    The file contains pickles, whose loading can run any program: load only files that you trust. ``vecnormalize``: the
    `VecNormalize` of the training or its .pkl file, which is a pickle, too. The spaces of the model give the form of
    observations, turns or orders, limits, memory (`make_sb3_vec_env` with memory=True) and stacked frames. They do not give
    the values of ``fractions``, which must be passed if they were not the default, and ``max_orders``. ``limits`` other than
    `CLASSIC` and `LARGE` must be passed. It plays the mode of the distribution; `sampling` gives a policy that draws from
    it. ValueError says what does not fit.

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
        name: str | None = None,
    ) -> None:
        by_file = isinstance(model, str | Path)
        name = name or (Path(model).stem if by_file else type(model).__name__)
        self.model: Any = _policy_of(Path(model) if by_file else model)
        observations, actions = self.model.observation_space, self.model.action_space
        if not isinstance(actions, spaces.Discrete | spaces.MultiDiscrete):
            raise ValueError(f"the model has the action space {actions}, which no PlanetWars environment has")
        tried = [limits] if limits else [CLASSIC, LARGE]
        fitting = [shapes for each in tried if (shapes := ModelShapes.under(each, observations, actions))]
        if len(fitting) != 1:
            raise ValueError(
                f"the model ({observations}, {actions}) fits {'several' if fitting else 'none'} of the limits "
                f"{', '.join(map(str, tried))}: pass limits=, those of the environment that it was trained in; observations "
                "must be those of the environment, with memory or VecFrameStack at most"
            )
        (shapes,) = fitting
        if fractions is None and shapes.fractions == len(FRACTIONS):
            fractions = FRACTIONS
        if fractions is None or len(fractions) != shapes.fractions:
            stated = "" if fractions is None else f", not {len(fractions)}"
            raise ValueError(
                f"the model chooses among {shapes.fractions} fractions{stated}: pass fractions=, those of its training"
            )
        self._masked, state = "action_masks" in signature(self.model.predict).parameters, []
        if hasattr(self.model, "lstm_hidden_state_shape"):
            layers, _, width = self.model.lstm_hidden_state_shape
            state = [np.zeros((layers, width), np.float32) for _ in range(2)]
        orders = max_orders if shapes.orders else 0
        form = name, shapes.form, shapes.limits, tuple(fractions), orders, shapes.sends, shapes.memory, shapes.frames
        super().__init__(*form, state)
        normalize = load_from_pkl(vecnormalize) if isinstance(vecnormalize, str | Path) else vecnormalize
        if normalize is not None and not callable(getattr(normalize, "normalize_obs", None)):
            raise ValueError(f"vecnormalize must be a VecNormalize or its .pkl file, not {type(normalize).__name__}")
        mean = getattr(normalize.obs_rms, "mean", None) if normalize is not None and normalize.norm_obs else None
        self._normalize = normalize
        self._normalizes_stack = mean is not None and mean.shape == observations.shape

    def sampling(self, seed: int = 0) -> Self:
        """Return this policy with actions drawn from its distribution; ValueError for a model without one, such as DQN."""
        if not hasattr(self.model, "get_distribution"):
            raise ValueError(f"{self.name} has no probabilities to sample from: {type(self.model).__name__} has none")
        return super().sampling(seed)

    def stacked(self, observation: Any, games: Array, starts: Array) -> Any:
        """Return observations stacked and normalised, in the order of the training."""
        if self._normalize is None:
            return super().stacked(observation, games, starts)
        if self._normalizes_stack:
            return self._normalize.normalize_obs(super().stacked(observation, games, starts))
        return super().stacked(self._normalize.normalize_obs(observation), games, starts)

    def choose(
        self, observation: Any, state: list[Array], starts: Array, action_masks: Array | None
    ) -> tuple[Array, list[Array]]:
        """Return actions and the next states."""
        more: dict[str, Any] = {"action_masks": action_masks} if self._masked else {}
        hidden = tuple(np.moveaxis(part, 0, 1) for part in state) or None
        with torch.random.fork_rng(devices=[], enabled=self.rng is not None):
            if self.rng is not None:
                torch.set_rng_state(self.rng.get_state())
            actions, hidden = self.model.predict(
                observation, hidden, episode_start=starts, deterministic=self.rng is None, **more
            )
            if self.rng is not None:
                self.rng.set_state(torch.get_rng_state())
        return actions, [np.moveaxis(part, 1, 0) for part in hidden or ()]


class ModelShapes(NamedTuple):
    """Arguments of the environments that have the spaces of a model; ``fractions``: their number."""

    limits: Limits
    orders: bool
    fractions: int
    sends: int
    form: str = "tensors"
    memory: bool = False
    frames: int = 1

    @classmethod
    def under(cls, limits: Limits, observations: Any, actions: Any) -> Self | None:
        """Return the shapes that belong to two spaces by ``limits``; None where no environment has these spaces."""
        orders = isinstance(actions, spaces.Discrete)
        if not orders and not isinstance(actions, spaces.MultiDiscrete):
            return None
        slots = [int(actions.n)] if orders else np.ravel(actions.nvec).tolist()
        fractions, rest = divmod(slots[0] - 1, 2 * limits.edges if orders else limits.degree)
        sends, missing = (1, 0) if orders else divmod(len(slots), limits.planets)
        if rest or missing or not fractions or not sends or len(set(slots)) > 1:
            return None
        shapes = cls(limits, orders, fractions, sends)
        if isinstance(observations, spaces.Dict):
            right = {"planets": (limits.planets, planet_width(limits.horizon)), "edges": (2 * limits.edges, EDGE_WIDTH)}
            parts = observations.spaces
            if {name: parts[name].shape for name in right if name in parts} != right:
                return None
            return shapes._replace(
                form="derived" if "derived_planets" in parts else "tensors", memory="memory" in parts
            )
        for memory in (False, True):
            frames, rest = divmod(int(np.prod(observations.shape)), flat_width(limits, memory))
            if not rest and 0 < frames <= _MOST_FRAMES:
                return shapes._replace(form="flat", memory=memory, frames=frames)
        return None


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


class _PolicyCallback(BaseCallback):
    """Callback that calls ``work`` every ``frequency`` environment steps; it makes policies of the model."""

    def __init__(self, opponents: Any, frequency: int, policy: dict[str, Any] | None, verbose: int) -> None:
        super().__init__(verbose)
        self.opponents = list(listed(opponents))
        self._frequency, self._policy_arguments, self._last = frequency, policy or {}, 0

    def work(self) -> None:
        raise NotImplementedError

    def policy(self) -> SB3Policy:
        """Return a policy of the model, with a `VecNormalize` around its environment."""
        return SB3Policy(self.model, vecnormalize=self.model.get_vec_normalize_env(), **self._policy_arguments)

    def _on_training_start(self) -> None:
        self._last = self.num_timesteps
        self.policy()  # raises here, before any step, what does not fit

    def _on_step(self) -> bool:
        if self.num_timesteps - self._last >= self._frequency:
            self._last = self.num_timesteps
            self.work()
        return True


class EvaluationCallback(_PolicyCallback):
    """Callback for ``model.learn``: play ``games`` games against each opponent every ``eval_freq`` environment steps.

    The win rates with their 95 % intervals go to SB3's logger as ``validation/ai1``, ``validation/ai1_low`` and
    ``validation/ai1_high``; those of sampled actions, if the model has probabilities, as ``validation/ai1_sampled``.
    ``results`` keeps (steps, results, sampled results). ``best_model_save_path``: a folder for best_model.zip, the model with
    the highest mean win rate. ``policy``: keyword arguments of `SB3Policy`, such as ``fractions``. A `VecNormalize` is found
    by itself.
    """

    def __init__(
        self,
        opponents: Any = ("random", "ai1"),
        *,
        graphs: Any = "validation",
        games: int = 50,
        eval_freq: int = 50_000,
        rules: Rules = PLANETWARS,
        best_model_save_path: str | Path | None = None,
        policy: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(opponents, eval_freq, policy, verbose)
        if eval_freq < 1:
            raise ValueError(f"eval_freq must be at least 1, not {eval_freq}")
        self._plan = self.opponents, graphs, games, rules
        self._folder = None if best_model_save_path is None else Path(best_model_save_path)
        self.results: list[tuple[int, list[Result], list[Result]]] = []
        self.best_win_rate = -1.0

    def work(self) -> None:
        """Evaluate the model, log the results, and save it where it is the best so far."""
        policy = self.policy()
        greedy = evaluate(policy, *self._plan)
        sampled = evaluate(policy, *self._plan, sample=True) if can_sample(resolve_player(policy)) else []
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
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self.model.save(self._folder / "best_model.zip")


class SelfPlayCallback(_PolicyCallback):
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
        super().__init__(opponents, freeze_freq, policy, verbose)
        if freeze_freq < 1 or copies < 1 or not 0 < fraction <= 1:
            raise ValueError(
                f"freeze_freq and copies must be at least 1, and fraction above 0 and at most 1, not {freeze_freq}, {copies} and "
                f"{fraction}"
            )
        self.copies, self.fraction = copies, fraction
        self.frozen: list[SB3Policy] = []

    def work(self) -> None:
        """Freeze a copy of the model and give the environment its new opponents."""
        name, normalize = f"copy-{self.num_timesteps}", deepcopy(self.model.get_vec_normalize_env())
        copy = SB3Policy(deepcopy(self.model.policy), vecnormalize=normalize, name=name, **self._policy_arguments)
        copy = copy.sampling(self.num_timesteps) if hasattr(copy.model, "get_distribution") else copy
        self.frozen = [*self.frozen, copy][-self.copies :]
        weights = [(1 - self.fraction) / len(self.opponents)] * len(self.opponents)
        weights += [(self.fraction if self.opponents else 1) / len(self.frozen)] * len(self.frozen)
        games: Any = self.training_env.unwrapped
        games.set_opponents([*self.opponents, *self.frozen], weights=weights)
        if self.verbose:
            print(f"{self.num_timesteps} steps: {len(self.frozen)} frozen copies among the opponents")


class NetworkPolicy(MaskableActorCriticPolicy):
    """Policy of MaskablePPO with the graph network of this project, which plays any graph, for observation="tensors".

    ``limits`` and ``rules``: those of the environment. ``kind``: "graph" or "mlp"; ``width``; ``rounds``: of messages, or
    hidden layers. Without ``action_masks`` the mask of the observation is used. ValueError for an environment with other
    observations, actions or limits.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space[Any],
        lr_schedule: Callable[[float], float],
        limits: Limits = CLASSIC,
        rules: Rules = PLANETWARS,
        kind: str = "graph",
        width: int = 32,
        rounds: int = 2,
        **kwargs: Any,
    ) -> None:
        if not isinstance(observation_space, spaces.Dict):
            raise ValueError(
                'NetworkPolicy reads the parts of an observation: make the environment with observation="tensors"'
            )
        shapes = ModelShapes.under(limits, observation_space, action_space)
        if shapes is None or shapes.orders:
            raise ValueError(
                f'NetworkPolicy acts by whole turns within {limits}: make the environment with actions="turn", and pass '
                "policy_kwargs={'limits': ...} if it has others"
            )
        spec = ActionSpec(limits, shapes.fractions, rules, shapes.memory, shapes.sends)
        self._make_network = lambda: NETWORKS[kind](spec, width, rounds)
        # SB3 demands an extractor; this one has no parameters, and the network reads the observation itself.
        super().__init__(
            observation_space, action_space, lr_schedule, features_extractor_class=CombinedExtractor, **kwargs
        )

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        self.network = self._make_network()
        del self._make_network
        self.optimizer = self.optimizer_class(self.parameters(), **{"lr": lr_schedule(1), **self.optimizer_kwargs})

    def forward(
        self, obs: Observation, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions, values [B, 1] and log-probabilities [B]."""
        policy, values = self._policy(obs, action_masks)
        actions = policy.mode() if deterministic else policy.sample()
        shaped = actions.reshape(-1, *(self.action_space.shape or ()))
        return shaped, values.unsqueeze(-1), policy.log_prob(actions)

    def evaluate_actions(
        self, obs: Observation, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return values [B, 1], log-probabilities of ``actions`` [B] and entropies [B]."""
        policy, values = self._policy(obs, action_masks)
        return values.unsqueeze(-1), policy.log_prob(actions.long().view(policy.shape)), policy.entropy()

    def predict_values(self, obs: Observation) -> Tensor:
        """Return values [B, 1]."""
        return self.network(obs)[1].unsqueeze(-1)

    def get_distribution(self, obs: Observation, action_masks: Any = None) -> MaskableDistribution:
        """Return the same distribution as a class of SB3."""
        policy, _ = self._policy(obs, action_masks)
        return self.action_dist.proba_distribution(action_logits=policy.dense().flatten(1))

    def _predict(self, observation: Observation, deterministic: bool = False, action_masks: Any = None) -> Tensor:
        return self.forward(observation, deterministic, action_masks)[0]

    def _policy(self, obs: Observation, action_masks: Any) -> tuple[MaskedCategorical, Tensor]:
        if action_masks is not None:
            obs = {**obs, "action_mask": torch.as_tensor(action_masks).view(len(obs["planets"]), -1)}
        policy, values = self.network(obs)
        return policy.normalised(), values
