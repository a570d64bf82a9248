"""PPO with a KL term to a slow copy of itself, for self-play: the configuration regularised.yaml names it as its algorithm.

The term keeps two players that learn from each other from circling (magnetic mirror descent, Sokota et al. 2023; the same idea
is in R-NaD, Perolat et al. 2022). The slow copy is the average of the weights (``ema_decay``), which is the agent, too.
"""

import torch
from torch import Tensor

from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.network import PolicyNetwork
from planetwars_env.learn.ppo import PPO

_WEIGHT = 0.05
"""Of the KL divergence of a whole turn, in nats."""


class RegularisedPPO(PPO):
    """PPO whose loss has the KL divergence from the policy to that of the averaged weights."""

    def loss(
        self, network: PolicyNetwork, observation: Observation, minibatch: dict[str, Tensor], progress: float
    ) -> tuple[Tensor, Tensor]:
        """Return the loss of a minibatch and its metrics, which leave the divergence out."""
        total, metrics = super().loss(network, observation, minibatch, progress)
        policy, _ = network(observation)
        with torch.no_grad():
            slow, _ = self.average.with_spec(rules=network.spec.rules)(observation)
        probabilities, slow = policy.normalised().logits, slow.normalised().logits
        divergence = (torch.softmax(policy.logits, -1) * (probabilities - slow)).sum() / policy.shape[0]
        return total + _WEIGHT * divergence, metrics
