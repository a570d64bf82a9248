"""Networks: from the parts of an observation to a logit for every action and a value.

Axes: B observations, N planets of all boards, D edge slots of a planet, K fractions, H width, R slots with a choice.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn

from planetwars_env.codec.layout import CLOCK_WIDTH, EDGE_WIDTH, planet_width
from planetwars_env.learn.choices import Choices
from planetwars_env.learn.choose import IMPOSSIBLE, Scores, scores_of
from planetwars_env.learn.messages import gather, pool, score
from planetwars_env.learn.packing import DETAILS, Observation, Packed, pack, planet_numbers

_PATIENCE = 2.0
"""The first bias of waiting: a beginner that sends at random from every planet on every turn never grows."""


class GraphNetwork(nn.Module):
    """Message passing along edges, then one logit for every edge and fraction: any board, any order of planets.

    A planet's messages come from the planets that its own edges lead to, so that every sum is over one planet's edges.
    Every round, each planet also hears of the whole board: the mean and the maximum over all planets.
    """

    def __init__(self, choices: Choices, width: int, rounds: int) -> None:
        super().__init__()
        self.choices = choices
        self.embed = nn.Linear(planet_numbers(choices), width)
        self.rounds = nn.ModuleList(_Round(width) for _ in range(rounds))
        self.ends = nn.Linear(width, 2 * width)
        self.edge = nn.Parameter(_as_linear(DETAILS, width))
        self.head = nn.Parameter(torch.zeros(choices.fractions, width))
        self.wait = nn.Linear(2 * width if choices.orders else width, 1)
        self.value = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1))
        nn.init.orthogonal_(self.head, 0.01)
        _start_small(self.wait)
        nn.init.constant_(self.wait.bias, 0 if choices.orders else _PATIENCE)

    def forward(self, observation: Observation) -> tuple[Scores, Tensor]:
        """Scores of the legal choices, and values [B]."""
        packed = pack(self.choices, observation)
        device = self.head.device
        return self.on(packed if device.type == "cpu" else Packed(*(part.to(device) for part in packed)))

    def on(self, packed: Packed) -> tuple[Scores, Tensor]:
        """The same of what is packed already, on the network's device."""
        x = torch.relu(self.embed(packed.planets))
        for one in self.rounds:
            x = one(x, packed)
        pooled = pool(x, packed)
        waits = self.wait((pooled if self.choices.orders else x).index_select(0, packed.sender))
        sends = waits.new_full((len(waits) * (self.choices.per_slot - 1),), IMPOSSIBLE)
        sends = score(self.ends(x), self.edge, self.head, packed, sends).view(len(waits), self.choices.per_slot - 1)
        scores = Scores(packed.rows, torch.cat([waits, sends], 1), (len(pooled), self.choices.slots))
        return scores, self.value(pooled).squeeze(-1)


class FlatNetwork(nn.Module):
    """A multilayer perceptron over all numbers of the observation, for comparison."""

    def __init__(self, choices: Choices, width: int, rounds: int) -> None:
        super().__init__()
        self.choices = choices
        limits = choices.limits
        numbers = limits.planets * planet_width(limits.horizon) + 2 * limits.edges * EDGE_WIDTH + CLOCK_WIDTH
        widths = [numbers] + [width] * rounds
        self.body = nn.Sequential(*(layer for a, b in pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU())))
        self.logits = nn.Linear(width, choices.slots * choices.per_slot)
        self.value = nn.Linear(width, 1)
        _start_small(self.logits)

    def forward(self, observation: Observation) -> tuple[Scores, Tensor]:
        """Scores of the legal choices, and values [B], of ``observation`` on the CPU or on the network's device."""
        device = self.value.weight.device
        planets, edges, clock, mask = (
            observation[name].to(device) for name in ("planets", "edges", "clock", "action_mask")
        )
        x = self.body(torch.cat((planets.flatten(1), edges.flatten(1), clock), 1))
        logits = self.logits(x).view(len(x), self.choices.slots, self.choices.per_slot)
        return scores_of(logits, mask), self.value(x).squeeze(-1)


NETWORKS: dict[str, type[GraphNetwork] | type[FlatNetwork]] = {"graph": GraphNetwork, "mlp": FlatNetwork}


class _Round(nn.Module):
    """One round: what a planet knows, what its edges and their far ends tell it, and how the whole board stands."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.ends = nn.Linear(width, 2 * width)
        self.edge = nn.Parameter(_as_linear(DETAILS, width))
        self.own = nn.Linear(width, width)
        self.told = nn.Linear(2 * width, width, bias=False)
        self.board = nn.Linear(2 * width, width, bias=False)

    def forward(self, x: Tensor, packed: Packed) -> Tensor:
        """[N, H] from [N, H], neither ever negative."""
        told = gather(self.ends(x), self.edge, packed)
        board = self.board(pool(x, packed)).repeat_interleave(packed.first_planet.diff(), 0, output_size=len(x))
        return x + torch.relu(self.own(x) + self.told(told) + board)


def _as_linear(inputs: int, outputs: int) -> Tensor:
    """The first weights of a linear layer."""
    return torch.empty(inputs, outputs).uniform_(-1, 1) / inputs**0.5


def _start_small(*layers: nn.Linear) -> None:
    """Begin with all choices nearly equal."""
    for layer in layers:
        nn.init.orthogonal_(layer.weight, 0.01)
        nn.init.zeros_(layer.bias)
