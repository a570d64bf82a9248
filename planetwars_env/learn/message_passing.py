"""Message passing along edges and pooling over graphs in torch operations, for every device.

compiled_network.py computes the same on the CPU, faster; here is what a round means. The message of an edge is
``relu(near[source] + far[target] + edges @ weight)``.

Axes: N planets of all graphs, M directed edges sorted by source, H width, G edge features, B graphs, K fractions.
"""

import torch
from torch import Tensor

from planetwars_env.learn.graph_batch import GraphBatch


def aggregate(ends: Tensor, weight: Tensor, graphs: GraphBatch) -> Tensor:
    """Return sum and maximum [N, 2 H] of the messages of every planet's edges.

    ``ends`` [N, 2 H]: near and far, the part of a message from its source and from its target. ``weight`` [G, H].
    """
    messages, source = _messages(ends, weight, graphs), graphs.source.long()
    nothing = messages.new_zeros(len(ends), weight.shape[1])
    index = source.unsqueeze(1).expand_as(messages)
    return torch.cat([nothing.index_add(0, source, messages), nothing.scatter_reduce(0, index, messages, "amax")], 1)


def score_edges(ends: Tensor, weight: Tensor, head: Tensor, graphs: GraphBatch, logits: Tensor) -> Tensor:
    """Return flat ``logits`` with ``message @ head.T`` at the places of every legal edge; ``head`` [K, H]."""
    # Illegal edges write behind the logits: selecting the legal ones by a mask would make the host wait for the device.
    start = torch.where(graphs.logit_offsets >= 0, graphs.logit_offsets, len(logits))
    at = start.unsqueeze(1) + torch.arange(len(head), device=start.device)
    padded = torch.cat([logits, logits.new_zeros(len(head))])
    return padded.index_copy(0, at.flatten(), (_messages(ends, weight, graphs) @ head.T).flatten())[: len(logits)]


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
