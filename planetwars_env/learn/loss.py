"""Loss of proximal policy optimisation, and the advantages it needs."""

import numpy as np
import torch
from torch import Tensor

from planetwars_env.engine.state import Array
from planetwars_env.learn.config import GAMMA, PPOConfig
from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.network import PolicyNetwork
from planetwars_env.learn.processes import moments
from planetwars_env.learn.rollout import Rollout

METRICS = ("policy_loss", "value_loss", "entropy", "clip_fraction", "approx_kl", "kickstarting_loss")
"""Names of the metrics of `ppo_loss`."""
GAE_LAMBDA = 0.95
CLIP_COEF = 0.2
VF_COEF = 0.5
"""Weight of the value loss."""
_MAX_COUNTERFACTUAL = 3.0  # Standard deviations at which counterfactual advantages are clipped


def generalised_advantages(
    rollout: Rollout, gamma: float = GAMMA, gae_lambda: float = GAE_LAMBDA
) -> tuple[Array, Array]:
    """Return advantages and returns [T, N] by generalised advantage estimation (Schulman et al. 2016)."""
    advantages, last = np.zeros_like(rollout.rewards), np.zeros_like(rollout.rewards[0])
    for t in reversed(range(len(advantages))):
        running = 1 - rollout.dones[t]
        delta = rollout.rewards[t] + gamma * rollout.values[t + 1] * running - rollout.values[t]
        last = delta + gamma * gae_lambda * running * last
        advantages[t] = last
    return advantages, advantages + rollout.values[:-1]


def scaled(counterfactuals: Array) -> Array:
    """Return counterfactual advantages with unit variance over those that are not 0, clipped at 3 standard deviations."""
    deviation = np.float32(moments(counterfactuals[counterfactuals != 0])[1])
    if not deviation:
        return counterfactuals
    return (counterfactuals / deviation).clip(-_MAX_COUNTERFACTUAL, _MAX_COUNTERFACTUAL)


def ppo_loss(
    network: PolicyNetwork,
    observation: Observation,
    minibatch: dict[str, Tensor],
    settings: PPOConfig,
    progress: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Return the loss of a minibatch, a mean over its steps, and the `METRICS`.

    ``observation``: of its steps, on the CPU; ``minibatch``: rows of `Rollout.flat` on the network's device. ``progress``: 0
    to 1, the completed part of the run.

    Every slot's choice is clipped on its own, with the advantage of its step. While the policy is still that of the rollout,
    the gradient is that of whole turns; later the clip stops only those choices whose probability has moved.
    """
    policy, values = network(observation)
    policy = policy.normalised()

    def of_rows(name: str) -> Tensor:
        return minibatch[name].flatten().index_select(0, policy.rows)

    def log_probs(name: str) -> Tensor:
        return policy.log_probs(minibatch[name])

    log_ratio = log_probs("actions") - of_rows("log_probs")
    ratio = log_ratio.exp()
    advantages = minibatch["advantages"].index_select(0, policy.rows // policy.shape[1])
    weight, policy_loss = settings.counterfactual_weight(progress), 0.0
    if weight:
        difference = weight * of_rows("counterfactuals")
        other_ratio = (log_probs("alternatives") - of_rows("alternative_log_probs")).exp()
        advantages, policy_loss = advantages + difference, _clipped_loss(other_ratio, -difference)
    policy_loss = (policy_loss + _clipped_loss(ratio, advantages)) / len(values)
    # Not logits.exp(): far below 0, where illegal choices are, that takes a hundred times as long.
    entropy = -(torch.softmax(policy.logits, -1) * policy.logits).sum() / len(values)
    value_loss = ((values - minibatch["returns"]) ** 2).mean() / 2
    teaching = settings.kickstarting_weight(progress)
    cross_entropy = -log_probs("teacher_actions") if teaching else values.new_zeros(1)
    loss = policy_loss + VF_COEF * value_loss - settings.ent_coef * (1 - progress) * entropy
    loss = loss + teaching * cross_entropy.sum() / len(values)
    with torch.no_grad():
        clip_fraction = ((ratio - 1).abs() > CLIP_COEF).float().mean()
        approx_kl = (ratio - 1 - log_ratio).mean()
        metrics = policy_loss, value_loss, entropy, clip_fraction, approx_kl, cross_entropy.mean()
        return loss, torch.stack(metrics)


def _clipped_loss(ratio: Tensor, advantages: Tensor) -> Tensor:
    clipped = ratio.clamp(1 - CLIP_COEF, 1 + CLIP_COEF)
    return -torch.min(ratio * advantages, clipped * advantages).sum()
