"""The bridge to Stable-Baselines3: our networks as a policy of MaskablePPO, and a callback that hands control back."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableDictRolloutBufferSamples
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.buffers import DictRolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import CombinedExtractor
from torch import Tensor

from planetwars_env.envs.sb3 import make_sb3_vec_env
from planetwars_env.learn.choices import Choices
from planetwars_env.learn.choose import Scores, best, draw, entropy_of, log_prob_of, normalised, spread
from planetwars_env.learn.config import TrainConfig, choices_of
from planetwars_env.learn.network import NETWORKS, Observation


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


class Between(BaseCallback):
    """Calls ``before_rollout(steps)`` before games are played on, and ``go_on()`` after every step: False ends the training."""

    def __init__(self, before_rollout: Callable[[int], None], go_on: Callable[[], bool]) -> None:
        super().__init__()
        self._before_rollout, self._go_on = before_rollout, go_on

    def _on_rollout_start(self) -> None:
        self._before_rollout(self.num_timesteps)

    def _on_step(self) -> bool:
        return self._go_on()


def make_games(config: TrainConfig, reward: Any) -> Any:
    """The native VecEnv of a configuration."""
    task = config.task
    return make_sb3_vec_env(
        task.environment,
        config.learner.games,
        observation="tensors",
        opponent=list(task.opponents),
        graphs=task.graphs,
        actions=task.actions,
        reward=reward,
        fractions=task.fractions,
        limits=choices_of(task).limits,
        max_turns=task.max_turns,
        max_orders=task.max_orders,
    )


def make_learner(config: TrainConfig, games: Any, log: Path) -> MaskablePPO:
    """MaskablePPO as the configuration says; its numbers go to the folder ``log`` for tensorboard."""
    learner = config.learner
    first, last = learner.learning_rate, learner.final_learning_rate
    ppo = MaskablePPO(
        NetworkPolicy,
        games,
        learning_rate=lambda remaining: last + (first - last) * remaining,
        n_steps=learner.rollout,
        batch_size=learner.batch_size,
        n_epochs=learner.epochs,
        gamma=learner.gamma,
        gae_lambda=learner.gae_lambda,
        clip_range=learner.clip_range,
        ent_coef=learner.entropy,
        vf_coef=learner.value_weight,
        max_grad_norm=learner.max_grad_norm,
        rollout_buffer_class=OwnMaskBuffer,
        policy_kwargs={"choices": choices_of(config.task), **asdict(config.network)},
        seed=config.schedule.seed,
        device="cpu",
    )
    ppo.set_logger(configure(str(log), ["tensorboard"]))
    return ppo
