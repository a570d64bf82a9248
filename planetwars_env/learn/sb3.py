"""The bridge to Stable-Baselines3: our networks as policies of its algorithms, and those as learners of a training run."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableDictRolloutBufferSamples
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import DictRolloutBuffer
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import CombinedExtractor
from stable_baselines3.dqn.policies import DQNPolicy
from torch import Tensor, nn

from planetwars_env.codec.rewards import resolve_reward
from planetwars_env.engine.state import Array
from planetwars_env.envs.sb3 import make_sb3_vec_env
from planetwars_env.learn.checkpoint import optimizer_arrays, restore_optimizer, tensors
from planetwars_env.learn.choices import Choices
from planetwars_env.learn.choose import Scores, best, draw, entropy_of, log_prob_of, normalised, spread
from planetwars_env.learn.config import ConfigError, TrainConfig, choices_of
from planetwars_env.learn.network import NETWORKS, Observation
from planetwars_env.learn.scorer import Scorer

_MEMORY = 50_000
"""Steps that DQN remembers: 9 KB each."""
_WORTHLESS = -1e4


class NetworkPolicy(MaskableActorCriticPolicy):
    """A policy of MaskablePPO around a network of learn/network.py, for observation="tensors".

    The mask is the observation's own where none is handed in. ``choices``, ``kind``, ``width``, ``rounds``: the network's.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space[Any],
        lr_schedule: Callable[[float], float],
        choices: Choices,
        kind: str = "graph",
        width: int = 32,
        rounds: int = 2,
        **others: Any,
    ) -> None:
        self._make_network = lambda: NETWORKS[kind](choices, width, rounds)
        # An extractor without parameters: SB3 wants one, and the network reads the observation itself.
        super().__init__(
            observation_space, action_space, lr_schedule, features_extractor_class=CombinedExtractor, **others
        )

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        self.network = self._make_network()
        del self._make_network
        self.optimizer = self.optimizer_class(self.parameters(), **{"lr": lr_schedule(1), **self.optimizer_kwargs})

    def forward(
        self, obs: Observation, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions, values [B, 1] and log-probabilities [B]."""
        scores, values = self._scores(obs, action_masks)
        actions = best(scores) if deterministic else draw(scores)
        shaped = actions.reshape(-1, *(self.action_space.shape or ()))
        return shaped, values.unsqueeze(-1), log_prob_of(scores, actions)

    def evaluate_actions(
        self, obs: Observation, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values [B, 1], log-probabilities of ``actions`` [B] and entropy [B]."""
        scores, values = self._scores(obs, action_masks)
        chosen = actions.long().view(scores.slots)
        return values.unsqueeze(-1), log_prob_of(scores, chosen), entropy_of(scores)

    def predict_values(self, obs: Observation) -> Tensor:
        """Values [B, 1]."""
        return self.network(obs)[1].unsqueeze(-1)

    def get_distribution(self, obs: Observation, action_masks: Any = None) -> MaskableDistribution:
        """SB3's own distribution over the same logits, for whoever looks into it."""
        scores, _ = self._scores(obs, action_masks)
        return self.action_dist.proba_distribution(action_logits=spread(scores).flatten(1))

    def _predict(self, observation: Observation, deterministic: bool = False, action_masks: Any = None) -> Tensor:
        return self.forward(observation, deterministic, action_masks)[0]

    def _scores(self, obs: Observation, action_masks: Any) -> tuple[Scores, Tensor]:
        if action_masks is not None:
            obs = {**obs, "action_mask": torch.as_tensor(action_masks).view(len(obs["planets"]), -1)}
        scores, values = self.network(obs)
        return normalised(scores), values


class _OrderValues(nn.Module):
    """The network's logits read as values of orders: what DQN calls a Q-network."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, obs: Observation) -> Tensor:
        """[B, A]; orders that are not legal are worth less than any other."""
        return spread(self.network(obs)[0], fill=_WORTHLESS).squeeze(1)

    def set_training_mode(self, mode: bool) -> None:
        """As SB3 calls it."""
        self.train(mode)


class OrderPolicy(DQNPolicy):
    """A policy of DQN around a network of learn/network.py, for observation="tensors" and actions="order"."""

    def __init__(
        self, *spaces: Any, choices: Choices, kind: str = "graph", width: int = 32, rounds: int = 2, **others: Any
    ):
        self._make_network = lambda: NETWORKS[kind](choices, width, rounds)
        super().__init__(*spaces, features_extractor_class=CombinedExtractor, **others)

    def make_q_net(self) -> Any:
        """One network more."""
        return _OrderValues(self._make_network())

    @property
    def network(self) -> nn.Module:
        """That which chooses."""
        values: Any = self.q_net
        return values.network

    def _predict(self, obs: Observation, deterministic: bool = True) -> Tensor:
        return self.q_net(obs).argmax(1)


class OrderDQN(DQN):
    """DQN that explores among legal orders only; half of its whims end the turn."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[np.ndarray, Any]:
        """Orders [N]: the best ones, or a whim with the current exploration rate."""
        orders, state = self.policy.predict(observation, state, episode_start, True)
        if deterministic:
            return orders, state
        dice = np.random.random((3, len(orders)))  # noqa: NPY002 (SB3's own, which its seed starts)
        mask = observation["action_mask"].copy()
        mask[:, 0] = (mask[:, 1:].sum(1) == 0) | (dice[0] < 0.5)
        mask[mask[:, 0] > 0, 1:] = 0
        whims = (mask.cumsum(1) > (dice[1] * mask.sum(1))[:, None]).argmax(1)
        return np.where(dice[2] < self.exploration_rate, whims, orders), state


class OwnMaskBuffer(MaskableDictRolloutBuffer):
    """A rollout buffer for observations that hold their mask: it is kept once, not twice."""

    def reset(self) -> None:
        """Forget everything; the mask beside the observation is one unused number."""
        DictRolloutBuffer.reset(self)
        self.mask_dims = 1
        self.action_masks = np.ones((self.buffer_size, self.n_envs, 1), np.float32)

    def _get_samples(self, batch_inds: np.ndarray, env: Any = None) -> MaskableDictRolloutBufferSamples:
        samples = super()._get_samples(batch_inds, env)
        return samples._replace(action_masks=samples.observations["action_mask"])


class Borrowed:
    """An algorithm of Stable-Baselines3 as a learner of learn/training.py: "maskable_ppo", or "dqn" for single orders.

    A resumed run goes on with weights, optimiser and generators as they were, but with new games.
    """

    def __init__(self, config: TrainConfig) -> None:
        learner = config.learner
        torch.set_num_threads(learner.threads or torch.get_num_threads())
        self.config = config
        self.scorer = Scorer(resolve_reward(config.task.arguments(learner.gamma).reward))
        self.games = make_games(config, self.scorer)
        self.games.seed(config.schedule.seed)
        self.model: Any = _MAKERS[learner.algorithm](config, self.games)
        _, self._callback = self.model._setup_learn(config.schedule.steps)

    @property
    def steps(self) -> int:
        """Environment steps so far."""
        return self.model.num_timesteps

    def advance(self) -> dict[str, float]:
        """One update of the algorithm; the numbers that it logs."""
        settings, model = self.config.learner, self.model
        if settings.algorithm == "maskable_ppo":
            model.collect_rollouts(
                self.games, self._callback, model.rollout_buffer, settings.rollout, use_masking=False
            )
            model._update_current_progress_remaining(self.steps, self.config.schedule.steps)
            model.train()
        else:
            begun, starts = self.steps, model.learning_starts
            model.collect_rollouts(self.games, self._callback, model.train_freq, model.replay_buffer, None, starts)
            model._update_current_progress_remaining(self.steps, self.config.schedule.steps)
            if self.steps > starts:
                model.train(max(1, settings.epochs * (self.steps - begun) // settings.batch_size), settings.batch_size)
        logged = {name: float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.name_to_value.clear()
        return logged

    def weights(self) -> dict[str, Tensor]:
        """The network's."""
        return self.model.policy.network.state_dict()

    def standings(self) -> tuple[int, float | None, dict[str, float]]:
        """Games so far, the share of the last ones that was won; opponents are not told apart."""
        return self.scorer.games, self.scorer.win_rate, {}

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """All that goes on changing but the games, as arrays and as values for JSON."""
        policy = self.model.policy
        arrays = {f"policy/{name}": part.numpy() for name, part in policy.state_dict().items()}
        arrays |= optimizer_arrays(policy.optimizer)
        kind, keys, *numbers = np.random.get_state()  # noqa: NPY002 (the one that SB3 shuffles with)
        arrays |= {"dice/numpy": np.asarray(keys), "dice/torch": torch.get_rng_state().numpy()}
        return arrays, {"dice": [kind, *numbers]}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any], steps: int) -> None:
        """The inverse of `state`, with new games."""
        policy = self.model.policy
        policy.load_state_dict(tensors(arrays, "policy/"))
        restore_optimizer(policy.optimizer, arrays)
        kind, *numbers = values["dice"]
        np.random.set_state((kind, arrays["dice/numpy"], *numbers))  # noqa: NPY002
        torch.set_rng_state(torch.from_numpy(arrays["dice/torch"]))
        self.model.num_timesteps = steps
        self.games.seed(self.config.schedule.seed + steps)
        self.model._last_obs = self.games.reset()


def make_games(config: TrainConfig, reward: Any) -> Any:
    """The native VecEnv of a configuration."""
    task = config.task
    arguments = replace(task.arguments(), observation="tensors", reward=reward)
    return make_sb3_vec_env(task.environment, config.learner.games, **arguments.keywords())


def make_maskable(config: TrainConfig, games: Any) -> MaskablePPO:
    """MaskablePPO as the configuration says."""
    learner = config.learner
    ppo = MaskablePPO(
        NetworkPolicy,
        games,
        n_steps=learner.rollout,
        n_epochs=learner.epochs,
        gae_lambda=learner.gae_lambda,
        clip_range=learner.clip_range,
        ent_coef=learner.entropy,
        vf_coef=learner.value_weight,
        rollout_buffer_class=OwnMaskBuffer,
        **_common(config),
    )
    ppo.set_logger(configure(None, []))
    return ppo


def make_dqn(config: TrainConfig, games: Any) -> OrderDQN:
    """DQN as the configuration says; ``epochs``: how often it learns from a step on average. ConfigError for whole turns."""
    if config.task.actions != "order":
        raise ConfigError('learner: algorithm "dqn" chooses one of many: it needs task: actions "order"')
    dqn = OrderDQN(
        OrderPolicy,
        games,
        buffer_size=_MEMORY,
        learning_starts=_MEMORY // 10,
        train_freq=config.learner.rollout,
        target_update_interval=_MEMORY // 5,
        exploration_final_eps=0.05,
        **_common(config),
    )
    dqn.set_logger(configure(None, []))
    return dqn


def _common(config: TrainConfig) -> dict[str, Any]:
    """The arguments that the algorithms share."""
    learner = config.learner
    first, last = learner.learning_rate, learner.final_learning_rate
    return {
        "learning_rate": lambda remaining: first * (last / first) ** (1 - remaining),
        "batch_size": learner.batch_size,
        "gamma": learner.gamma,
        "max_grad_norm": learner.max_grad_norm,
        "policy_kwargs": {"choices": choices_of(config.task), **asdict(config.network)},
        "seed": config.schedule.seed,
        "device": "cpu",
    }


_MAKERS = {"maskable_ppo": make_maskable, "dqn": make_dqn}
