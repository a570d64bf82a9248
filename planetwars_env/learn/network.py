"""Policy and value networks: from observations to a distribution over actions and a value.

The message of an edge is ``relu(near[source] + far[target] + edges @ weight)``. compiled/network.py computes the same, faster.

Axes: B observations (graphs), N planets and M directed edges of all graphs, sorted by source, G edge features, K fractions,
H width, S slots of an action, C choices of a slot.
"""

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from itertools import pairwise
from typing import Any, Self

import torch
from torch import Tensor, nn

from planetwars_env.codec.derived import with_derived
from planetwars_env.codec.layout import CLOCK_WIDTH, EDGE_WIDTH, planet_width
from planetwars_env.envs.memory import MEMORY_FEATURES
from planetwars_env.learn.compiled.network import CompiledNetwork, can_run
from planetwars_env.learn.config import ActionSpec, NetworkConfig, imported_plug
from planetwars_env.learn.graph_batch import BATCH_EDGE_WIDTH, GraphBatch, Observation, collate, planet_features
from planetwars_env.learn.masked_categorical import ILLEGAL_LOGIT, MaskedCategorical
from planetwars_env.learn.tensors import as_tensors, to_device
from planetwars_env.settings import ConfigError

_WAIT_BIAS = 2.0  # First bias of waiting: a beginner that sends at random from every planet on every turn never grows
_RARE_BIAS = 6.0
"""The same of all sends of a planet but its last, which begin as exceptions: one in ten planets has such a send."""


class PolicyNetwork(nn.Module):
    """Network of policy and value, on any device."""

    spec: ActionSpec

    def with_spec(self, **changes: Any) -> Self:
        """Return this network, with the same weights, for other ``rules`` or ``limits`` of its `ActionSpec`."""
        twin = copy(self)
        twin.spec = self.spec._replace(**changes)
        return twin

    def forward(self, observation: Observation) -> tuple[MaskedCategorical, Tensor]:
        """Return the distribution over legal actions and the values [B] of an ``observation`` on the CPU."""
        raise NotImplementedError


class GraphNetwork(PolicyNetwork):
    """Graph network: message passing along edges, then one logit for every edge and fraction.

    It plays graphs of any size and does not depend on the order of the planets. Messages reach a planet along its own
    edges. In every round each planet also reads the mean and the maximum over all planets of its graph. ``compiled``: by
    compiled loops where the network is on the CPU and its width allows it; else by torch operations with the same result.
    """

    def __init__(self, spec: ActionSpec, width: int, rounds: int, compiled: bool = True) -> None:
        super().__init__()
        self.spec, self.compiled = spec, compiled
        self.embed = nn.Linear(planet_features(spec), width)
        self.rounds = nn.ModuleList(_Round(width) for _ in range(rounds))
        self.ends = nn.Linear(width, 2 * width)
        self.edge = nn.Parameter(_uniform(BATCH_EDGE_WIDTH, width))
        self.head = nn.Parameter(torch.zeros(spec.sends * spec.fraction_count, width))
        self.wait = nn.Linear(width, spec.sends)
        self.value = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1))
        nn.init.orthogonal_(self.head, 0.01)
        _start_uniform(self.wait)
        nn.init.constant_(self.wait.bias, _WAIT_BIAS)
        nn.init.constant_(self.wait.bias[:-1], _RARE_BIAS)

    def forward(self, observation: Observation) -> tuple[MaskedCategorical, Tensor]:
        """Return the distribution over legal actions and the values [B] of an ``observation`` on the CPU."""
        graphs = GraphBatch(*(to_device(part, self.head.device) for part in collate(self.spec, observation)))
        choices, sends = self.spec.per_slot - 1, self.spec.sends
        if self.compiled and can_run(self.head):
            weights = torch.cat([part.flatten() for part in self.weights()])
            shape = self.head.shape[1], len(self.rounds), (self.spec.fraction_count, sends, choices)
            x, pooled, scores = CompiledNetwork.apply(weights, graphs, *shape)  # type: ignore[no-untyped-call]
        else:
            x = torch.relu(self.embed(graphs.planets))
            for layer in self.rounds:
                x = layer(x, graphs)
            pooled = pool_graphs(x, graphs)
            # Illegal edges write behind the logits: selecting the legal ones by a mask would make the host wait for the device.
            size, count = len(graphs.rows) * choices, self.spec.fraction_count
            start = torch.where(graphs.logit_offsets >= 0, graphs.logit_offsets, size)
            places = torch.cat([send * choices + torch.arange(count) for send in range(sends)]).to(x.device)
            blank = torch.cat([x.new_full((size,), ILLEGAL_LOGIT), x.new_zeros(sends * choices)])
            scores = _messages(self.ends(x), self.edge, graphs) @ self.head.T
            scores = blank.index_copy(0, (start.unsqueeze(1) + places).flatten(), scores.flatten())[:size]
        waits = self.wait(x.index_select(0, graphs.row_owners[::sends]))
        logits = torch.cat([waits.view(-1, 1), scores.view(-1, choices)], 1)
        shape = len(pooled), self.spec.slots
        return MaskedCategorical(graphs.rows, logits, shape), self.value(pooled).squeeze(-1)

    def weights(self) -> Iterator[Tensor]:
        """Yield the weights in the order in which the compiled network reads them, each matrix input by input.

        `agent_data` (playing/pages.py) reads them in the same order from an agent's file, without torch.
        """
        yield from (self.embed.weight.T, self.embed.bias)
        for layer in self.rounds:
            assert isinstance(layer, _Round)
            yield from layer.weights()
        yield from (self.ends.weight.T, self.ends.bias, self.edge, self.head)


class FlatNetwork(PolicyNetwork):
    """Multilayer perceptron over all numbers of the observation, for comparison; ``rounds``: its hidden layers."""

    def __init__(self, spec: ActionSpec, width: int, rounds: int) -> None:
        super().__init__()
        self.spec = spec
        limits = spec.limits
        planet = planet_width(limits.horizon) + (len(MEMORY_FEATURES) if spec.memory else 0)
        numbers = limits.planets * planet + 2 * limits.edges * EDGE_WIDTH + CLOCK_WIDTH
        widths = [numbers] + [width] * rounds
        self.body = nn.Sequential(*(layer for a, b in pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU())))
        self.logits = nn.Linear(width, spec.slots * spec.per_slot)
        self.value = nn.Linear(width, 1)
        _start_uniform(self.logits)

    def forward(self, observation: Observation) -> tuple[MaskedCategorical, Tensor]:
        """Return the distribution over legal actions and the values [B] of an ``observation``."""
        device = self.value.weight.device
        parts = "planets", "edges", "clock", *(("memory",) if self.spec.memory else ())
        x = self.body(torch.cat([to_device(observation[name], device).flatten(1) for name in parts], 1))
        logits = self.logits(x).view(len(x), self.spec.slots, self.spec.per_slot)
        mask = to_device(observation["action_mask"], device)
        return MaskedCategorical.from_logits(logits, mask), self.value(x).squeeze(-1)


class CustomNetwork(PolicyNetwork):
    """A network of the user's, made by ``Class(spec, width, rounds)``, that returns logits and values.

    ``module(observation)`` gets the "tensors" of B observations on its own device and returns logits [B, slots, choices] (or
    as many numbers in another shape) and values [B]. With an attribute ``observation = "derived"`` the class gets the derived
    features, too. Illegal choices are masked here.
    """

    def __init__(self, spec: ActionSpec, shape: NetworkConfig) -> None:
        super().__init__()
        self.spec, self.kind = spec, shape.kind
        made = imported_plug("network: kind", shape.kind)
        try:
            self.module: nn.Module = made(spec, shape.width, shape.rounds)
        except (TypeError, AttributeError, ValueError, RuntimeError, LookupError) as fault:
            raise ConfigError(
                f"network: kind: {shape.kind}(spec, width={shape.width}, rounds={shape.rounds}) raised "
                f"{type(fault).__name__}: {fault}; spec has {', '.join(ActionSpec._fields)}, slots, per_slot"
            ) from fault
        if not isinstance(self.module, nn.Module):
            raise ConfigError(f"network: kind: {shape.kind} must make a torch module, not {type(self.module).__name__}")
        self.form = getattr(self.module, "observation", "tensors")
        if self.form not in ("tensors", "derived"):
            raise ConfigError(
                f'network: kind: {shape.kind}.observation must be "tensors" or "derived", not {self.form!r}'
            )

    def forward(self, observation: Observation) -> tuple[MaskedCategorical, Tensor]:
        """Return the distribution over legal actions and the values [B]; ValueError for other shapes and NaN."""
        if self.form == "derived":
            parts, rules = {name: part.numpy() for name, part in observation.items()}, self.spec.rules
            observation = as_tensors(with_derived(parts, rules.coexistence, rules.turns_per_weight))
        first = next(self.module.parameters(), None)
        device = torch.device("cpu") if first is None else first.device
        inputs = {name: to_device(part, device) for name, part in observation.items()}
        answer, mask = self.module(inputs), inputs["action_mask"]
        parts = answer if isinstance(answer, tuple) else (answer,)
        if len(parts) != 2 or not all(isinstance(part, Tensor) for part in parts):
            given = ", ".join(type(part).__name__ for part in parts)
            raise ValueError(
                f"the network {self.kind} must return a tuple of two tensors, logits and values, not {given}"
            )
        (logits, values), shape = parts, (len(mask), self.spec.slots, self.spec.per_slot)
        if logits.numel() != mask.numel() or values.numel() != len(mask):
            given = tuple(logits.shape), tuple(values.shape)
            raise ValueError(f"the network {self.kind} must return logits {shape} and values {shape[:1]}, not {given}")
        if logits.isnan().any() or values.isnan().any():
            raise ValueError(f"the network {self.kind} returned NaN")
        return MaskedCategorical.from_logits(logits.reshape(shape), mask), values.reshape(-1)


NETWORKS: dict[str, Callable[[ActionSpec, int, int], PolicyNetwork]] = {
    "graph": GraphNetwork,
    "graph-torch": partial(GraphNetwork, compiled=False),
    "mlp": FlatNetwork,
}


def make_network(shape: NetworkConfig, spec: ActionSpec) -> PolicyNetwork:
    """Return a new network of a configuration; ConfigError for a ``module:Class`` that was not imported before."""
    made = NETWORKS.get(shape.kind)
    return made(spec, shape.width, shape.rounds) if made else CustomNetwork(spec, shape)


class _Round(nn.Module):
    """One round of message passing: a planet's own state, the messages of its edges, and its whole graph."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.ends = nn.Linear(width, 2 * width)
        self.edge = nn.Parameter(_uniform(BATCH_EDGE_WIDTH, width))
        self.planet = nn.Linear(width, width)
        self.messages = nn.Linear(2 * width, width, bias=False)
        self.graph = nn.Linear(2 * width, width, bias=False)

    def forward(self, x: Tensor, graphs: GraphBatch) -> Tensor:
        """Return [N, H] from [N, H]; both are nowhere negative."""
        messages, source = _messages(self.ends(x), self.edge, graphs), graphs.source.long()
        nothing, index = torch.zeros_like(x), source.unsqueeze(1).expand_as(messages)
        received = nothing.index_add(0, source, messages), nothing.scatter_reduce(0, index, messages, "amax")
        pooled = self.graph(pool_graphs(x, graphs)).repeat_interleave(
            graphs.graph_offsets.diff(), 0, output_size=len(x)
        )
        return x + torch.relu(self.planet(x) + self.messages(torch.cat(received, 1)) + pooled)

    def weights(self) -> Iterator[Tensor]:
        """Yield the weights in the order of `GraphNetwork.weights`."""
        yield from (self.ends.weight.T, self.ends.bias, self.edge, self.planet.weight.T, self.planet.bias)
        yield from (self.messages.weight.T, self.graph.weight.T)


def pool_graphs(x: Tensor, graphs: GraphBatch) -> Tensor:
    """Return mean and maximum [B, 2 H] over the planets of every graph; ``x`` [N, H] must nowhere be negative."""
    count = graphs.graph_offsets.diff()
    graph = torch.arange(len(count), device=x.device).repeat_interleave(count, output_size=len(x))
    nothing = x.new_zeros(len(count), x.shape[1])
    mean = nothing.index_add(0, graph, x) / count.unsqueeze(1)
    index = graph.unsqueeze(1).expand_as(x)
    return torch.cat([mean, nothing.scatter_reduce(0, index, x, "amax")], 1)


def _messages(ends: Tensor, weight: Tensor, graphs: GraphBatch) -> Tensor:
    H = weight.shape[1]
    near, far = ends[:, :H].index_select(0, graphs.source), ends[:, H:].index_select(0, graphs.target)
    return torch.relu(near + far + graphs.edges @ weight)


def _uniform(inputs: int, outputs: int) -> Tensor:
    return torch.empty(inputs, outputs).uniform_(-1, 1) / inputs**0.5


def _start_uniform(layer: nn.Linear) -> None:
    """Initialise an output layer so that all choices are nearly equally probable."""
    nn.init.orthogonal_(layer.weight, 0.01)
    nn.init.zeros_(layer.bias)
