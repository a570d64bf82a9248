"""The bridge to Stable-Baselines3: our networks as a policy of MaskablePPO, and a callback that hands control back."""

from collections.abc import Callable
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
from stable_baselines3.common.torch_layers import CombinedExtractor
from torch import Tensor

from planetwars_env.learn.choose import Scores, best, draw, entropy_of, log_prob_of, normalised, spread
from planetwars_env.learn.network import NETWORKS, Choices, Observation


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
        super().__init__(observation_space, action_space, lr_schedule, features_extractor_class=CombinedExtractor, **others)

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        self.network = self._make_network()
        del self._make_network
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

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
