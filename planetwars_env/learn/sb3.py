"""The project's networks as a policy of MaskablePPO (sb3-contrib)."""

from collections.abc import Callable
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import CombinedExtractor
from torch import Tensor

from planetwars_env.codec.layout import planet_width
from planetwars_env.codec.limits import CLASSIC, Limits
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.learn.action_spec import Choices
from planetwars_env.learn.network import (
    NETWORKS,
    Observation,
    Scores,
    best,
    draw,
    entropy_of,
    log_prob_of,
    normalised,
    spread,
)


class NetworkPolicy(MaskableActorCriticPolicy):
    """A policy of MaskablePPO: the graph network of this project, which plays any board, for observation="tensors".

    ``limits`` and ``rules``: those of the environment. ``kind``: "graph", or "mlp" for one flat vector; ``width``;
    ``rounds``: of messages, or layers. The mask is the observation's own where none is handed in. ValueError for an
    environment of other observations or limits.
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
        **others: Any,
    ) -> None:
        choices = _choices(observation_space, action_space, limits, rules)
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


def _choices(seen: spaces.Space[Any], actions: spaces.Space[Any], limits: Limits, rules: Rules) -> Choices:
    """The action space in the sizes that networks need: how many fractions there are follows from its own."""
    planets, edges = (limits.planets, planet_width(limits.horizon)), 2 * limits.edges
    if not isinstance(seen, spaces.Dict):
        raise ValueError(
            'NetworkPolicy reads the parts of an observation: make its environment with observation="tensors"'
        )
    orders = isinstance(actions, spaces.Discrete)
    entries = int(actions.n if isinstance(actions, spaces.Discrete) else actions.nvec[0])  # pyright: ignore
    fractions, rest = divmod(entries - 1, edges if orders else limits.degree)
    found = seen["planets"].shape, seen["edges"].shape
    if rest or found[0] != planets or not found[1] or found[1][0] != edges:
        raise ValueError(
            f"NetworkPolicy has {limits}, but its environment has others: hand in policy_kwargs={{'limits': ...}}"
        )
    return Choices(orders, limits, fractions, rules.coexistence, rules.turns_per_weight)
