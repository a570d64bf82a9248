"""Policy of MaskablePPO (sb3-contrib) with the networks of this project."""

from collections.abc import Callable
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import CombinedExtractor
from torch import Tensor

from planetwars_env.codec.limits import CLASSIC, Limits
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.learn.config import ActionSpec
from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.masked_categorical import MaskedCategorical
from planetwars_env.learn.network import NETWORKS
from planetwars_env.learn.sb3_policy import ModelShapes


class NetworkPolicy(MaskableActorCriticPolicy):
    """Policy of MaskablePPO with the graph network of this project, which plays any graph, for observation="tensors".

    ``limits`` and ``rules``: those of the environment. ``kind``: "graph" or "mlp"; ``width``; ``rounds``: of messages, or
    hidden layers. Without ``action_masks`` the mask of the observation is used. ValueError for an environment with other
    observations or limits.
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
        shapes = ModelShapes(observation_space, action_space, limits)
        if not shapes.fit:
            raise ValueError(
                f"NetworkPolicy has {limits}, but its environment has others: pass policy_kwargs={{'limits': ...}}"
            )
        spec = ActionSpec(shapes.orders, limits, shapes.fractions, memory=shapes.memory, sends=shapes.sends).under(
            rules
        )
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
