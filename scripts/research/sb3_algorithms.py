"""MaskablePPO and DQN of Stable-Baselines3 with the project's network, for comparison with its own trainer."""

from collections import deque
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableDictRolloutBufferSamples
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import DictRolloutBuffer
from stable_baselines3.common.torch_layers import CombinedExtractor
from stable_baselines3.dqn.policies import DQNPolicy
from torch import Tensor, nn

import planetwars_env as pw
from planetwars_env.codec.rewards import Reward, Transition
from planetwars_env.engine.state import Array
from planetwars_env.learn.action_spec import ActionSpec
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.network import NETWORKS

_MEMORY = 50_000
"""Steps that DQN remembers: 9 KB each."""
_WORTHLESS = -1e4
_RECENT = 500


class Scorer:
    """A reward that also remembers the outcome of the last games."""

    def __init__(self, reward: Reward) -> None:
        self._reward = reward
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self.games = 0

    def __call__(self, transition: Transition) -> Array:
        """The rewards [N]."""
        ended = transition.won[transition.terminated | transition.truncated]
        self._recent.extend(ended.tolist())
        self.games += len(ended)
        return self._reward(transition)

    @property
    def win_rate(self) -> float | None:
        """Of the last games; None before the first has ended."""
        return float(np.mean([won > 0 for won in self._recent])) if self._recent else None


class _OrderValues(nn.Module):
    """The network's logits read as values of orders: what DQN calls a Q-network."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, obs: Observation) -> Tensor:
        """[B, A]; orders that are not legal are worth less than any other."""
        return self.network(obs)[0].dense(fill=_WORTHLESS).squeeze(1)

    def set_training_mode(self, mode: bool) -> None:
        """As SB3 calls it."""
        self.train(mode)


class OrderPolicy(DQNPolicy):
    """A policy of DQN around the project's network, for observation="tensors" and actions="order"."""

    def __init__(
        self, *spaces: Any, spec: ActionSpec, kind: str = "graph", width: int = 32, rounds: int = 2, **others: Any
    ):
        self._make_network = lambda: NETWORKS[kind](spec, width, rounds)
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
        rng = np.random.random((3, len(orders)))  # noqa: NPY002 (SB3's own, which its seed starts)
        mask = observation["action_mask"].copy()
        mask[:, 0] = (mask[:, 1:].sum(1) == 0) | (rng[0] < 0.5)
        mask[mask[:, 0] > 0, 1:] = 0
        whims = (mask.cumsum(1) > (rng[1] * mask.sum(1))[:, None]).argmax(1)
        return np.where(rng[2] < self.exploration_rate, whims, orders), state


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


def make_games(config: TrainConfig, reward: Any) -> Any:
    """The native VecEnv of a configuration."""
    task = config.task
    arguments = replace(task.arguments(), observation="tensors", reward=reward)
    return pw.make_sb3_vec_env(task.environments[0], config.learner.num_envs, **arguments.keywords())


def make_maskable(config: TrainConfig, games: Any) -> MaskablePPO:
    """MaskablePPO as the configuration says."""
    learner = config.learner
    network = {"limits": config.task.action_spec().limits, "rules": config.task.rules[0], **asdict(config.network)}
    return MaskablePPO(
        pw.NetworkPolicy,
        games,
        n_steps=learner.num_steps,
        n_epochs=learner.update_epochs,
        gae_lambda=learner.gae_lambda,
        clip_range=learner.clip_coef,
        ent_coef=learner.ent_coef,
        vf_coef=learner.vf_coef,
        rollout_buffer_class=OwnMaskBuffer,
        policy_kwargs=network,
        **_common(config),
    )


def make_dqn(config: TrainConfig, games: Any) -> OrderDQN:
    """DQN as the configuration says, for actions="order"; ``epochs``: how often it learns from a step on average."""
    learner = config.learner
    return OrderDQN(
        OrderPolicy,
        games,
        buffer_size=_MEMORY,
        learning_starts=_MEMORY // 10,
        train_freq=learner.num_steps,
        gradient_steps=max(1, learner.update_epochs * learner.num_steps * learner.num_envs // learner.minibatch_size),
        target_update_interval=_MEMORY // 5,
        exploration_final_eps=0.05,
        policy_kwargs={"spec": config.task.action_spec(), **asdict(config.network)},
        **_common(config),
    )


def _common(config: TrainConfig) -> dict[str, Any]:
    """The arguments that the algorithms share."""
    learner = config.learner
    first, last = learner.learning_rate, learner.final_learning_rate
    return {
        "learning_rate": lambda remaining: first * (last / first) ** (1 - remaining),
        "batch_size": learner.minibatch_size,
        "gamma": learner.gamma,
        "max_grad_norm": learner.max_grad_norm,
        "seed": config.schedule.seed,
        "device": "cpu",
    }
