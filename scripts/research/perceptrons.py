"""Perceptrons for the study "inputs": ``network: {kind: "scripts.research.perceptrons:DerivedPerceptron"}``."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from planetwars_env.codec.derived import with_derived
from planetwars_env.codec.layout import CLOCK_WIDTH, DERIVED_EDGE_WIDTH, EDGE_WIDTH, derived_planet_width, planet_width
from planetwars_env.learn.action_spec import ActionSpec

_WAIT_BIAS = 2.0
"""First bias of waiting, the graph network's: a beginner that sends from every planet on every turn never grows."""


class Perceptron(nn.Module):
    """Multilayer perceptron over all numbers of observation="tensors"; ``rounds``: its hidden layers."""

    parts = "planets", "edges", "clock"

    def __init__(self, spec: ActionSpec, width: int, rounds: int) -> None:
        super().__init__()
        self.spec = spec
        planets, edges, horizon = spec.limits.planets, 2 * spec.limits.edges, spec.limits.horizon
        sizes = {
            "planets": planets * planet_width(horizon),
            "derived_planets": planets * derived_planet_width(horizon),
            "edges": edges * EDGE_WIDTH,
            "derived_edges": edges * DERIVED_EDGE_WIDTH,
            "clock": CLOCK_WIDTH,
        }
        widths = [sum(sizes[name] for name in self.parts)] + [width] * rounds
        self.body = nn.Sequential(*(layer for a, b in pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU())))
        self.logits, self.value = nn.Linear(width, spec.slots * spec.per_slot), nn.Linear(width, 1)
        nn.init.orthogonal_(self.logits.weight, 0.01)
        nn.init.zeros_(self.logits.bias)
        with torch.no_grad():
            self.logits.bias.view(spec.slots, spec.per_slot)[:, 0] = _WAIT_BIAS

    def forward(self, observation: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return logits [B, slots * choices] and values [B] of "tensors"."""
        x = self.body(torch.cat([part.flatten(1) for part in self._inputs(observation)], 1))
        return self.logits(x), self.value(x).squeeze(1)

    def _inputs(self, observation: dict[str, Tensor]) -> list[Tensor]:
        return [observation[name] for name in self.parts]


class DerivedPerceptron(Perceptron):
    """The same over all numbers of observation="derived", which it computes itself as the graph network does."""

    parts = "planets", "derived_planets", "edges", "derived_edges", "clock"

    def _inputs(self, observation: dict[str, Tensor]) -> list[Tensor]:
        arrays = {name: part.numpy() for name, part in observation.items()}
        shown = with_derived(arrays, self.spec.coexistence, self.spec.turns_per_weight)
        return [torch.from_numpy(shown[name]) for name in self.parts]
