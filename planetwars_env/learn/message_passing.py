"""Message passing along edges as compiled loops on the CPU, with gradients; torch operations on other devices.

The message of an edge is ``relu(near[source] + far[target] + edges @ weight)``. As torch operations, gathering, adding and
summing cost five copies of [M, H] a layer forwards and as many backwards; here each is one compiled loop.

Axes: N planets of all graphs, M directed edges sorted by source, H width, G edge features, B graphs, K fractions.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from planetwars_env.engine.kernel import kernel, part
from planetwars_env.learn.graph_batch import GraphBatch


def aggregate(ends: Tensor, weight: Tensor, graphs: GraphBatch, compiled: bool = True) -> Tensor:
    """Return sum and maximum [N, 2 H] of the messages of every planet's edges.

    ``ends`` [N, 2 H]: near and far, the part of a message from its source and from its target. ``weight`` [G, H].
    """
    if ends.device.type != "cpu" or not compiled:
        return torch_aggregate(ends, weight, graphs)
    return _Aggregate.apply(ends, weight, graphs)  # type: ignore[no-any-return]


def score_edges(
    ends: Tensor, weight: Tensor, head: Tensor, graphs: GraphBatch, logits: Tensor, compiled: bool = True
) -> Tensor:
    """Return flat ``logits`` with ``message @ head.T`` at the places of every legal edge; ``head`` [K, H]."""
    if ends.device.type != "cpu" or not compiled:
        return torch_score_edges(ends, weight, head, graphs, logits)
    return _ScoreEdges.apply(ends, weight, head, graphs, logits)  # type: ignore[no-any-return]


def pool_graphs(x: Tensor, graphs: GraphBatch, compiled: bool = True) -> Tensor:
    """Return mean and maximum [B, 2 H] over the planets of every graph; ``x`` [N, H] must nowhere be negative."""
    if x.device.type != "cpu" or not compiled:
        return torch_pool_graphs(x, graphs)
    return _PoolGraphs.apply(x, graphs)  # type: ignore[no-any-return]


def torch_aggregate(ends: Tensor, weight: Tensor, graphs: GraphBatch) -> Tensor:
    """`aggregate` in torch operations, for any device."""
    messages, source = _messages(ends, weight, graphs), graphs.source.long()
    nothing = messages.new_zeros(len(ends), weight.shape[1])
    index = source.unsqueeze(1).expand_as(messages)
    return torch.cat([nothing.index_add(0, source, messages), nothing.scatter_reduce(0, index, messages, "amax")], 1)


def torch_score_edges(ends: Tensor, weight: Tensor, head: Tensor, graphs: GraphBatch, logits: Tensor) -> Tensor:
    """`score_edges` in torch operations, for any device."""
    # Illegal edges write behind the logits: selecting the legal ones by a mask would make the host wait for the device.
    start = torch.where(graphs.logit_offsets >= 0, graphs.logit_offsets, len(logits))
    at = start.unsqueeze(1) + torch.arange(len(head), device=start.device)
    padded = torch.cat([logits, logits.new_zeros(len(head))])
    return padded.index_copy(0, at.flatten(), (_messages(ends, weight, graphs) @ head.T).flatten())[: len(logits)]


def torch_pool_graphs(x: Tensor, graphs: GraphBatch) -> Tensor:
    """`pool_graphs` in torch operations, for any device."""
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


class _Aggregate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, ends: Tensor, weight: Tensor, graphs: GraphBatch) -> Tensor:
        N, H = len(ends), weight.shape[1]
        out, largest = torch.empty(N, 2 * H), torch.empty(N, H, dtype=torch.int32)
        _aggregate(*_arrays(ends, weight, graphs.edge_offsets, graphs.target, graphs.edges, out, largest))
        ctx.graphs = graphs
        ctx.save_for_backward(ends, weight, largest)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        ends, weight, largest = ctx.saved_tensors
        graphs, d_ends, d_weight = ctx.graphs, torch.zeros_like(ends), torch.zeros_like(weight)
        inputs = ends, weight, graphs.edge_offsets, graphs.target, graphs.edges, largest
        scratch = torch.empty(weight.shape[1])
        _aggregate_backward(*_arrays(*inputs, gradients[0].contiguous(), d_ends, d_weight, scratch))
        return d_ends, d_weight, None


class _ScoreEdges(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, ends: Tensor, weight: Tensor, head: Tensor, graphs: GraphBatch, logits: Tensor) -> Tensor:
        out = logits.clone()
        inputs = ends, weight, head, graphs.source, graphs.target, graphs.edges, graphs.logit_offsets
        _score_edges(*_arrays(*inputs, out, torch.empty(head.shape[1])))
        ctx.graphs = graphs
        ctx.save_for_backward(ends, weight, head)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        ends, weight, head = ctx.saved_tensors
        graphs, d_ends, d_weight = ctx.graphs, torch.zeros_like(ends), torch.zeros_like(weight)
        d_head = torch.zeros_like(head)
        inputs = ends, weight, head, graphs.source, graphs.target, graphs.edges, graphs.logit_offsets
        scratch = torch.empty(2, head.shape[1])
        _score_edges_backward(*_arrays(*inputs, gradients[0].contiguous(), d_ends, d_weight, d_head, *scratch))
        return d_ends, d_weight, d_head, None, None


class _PoolGraphs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, graphs: GraphBatch) -> Tensor:
        B, H = len(graphs.graph_offsets) - 1, x.shape[1]
        out, largest = torch.empty(B, 2 * H), torch.empty(B, H, dtype=torch.int32)
        _pool_graphs(*_arrays(x, graphs.graph_offsets, out, largest))
        ctx.graphs, ctx.shape = graphs, x.shape
        ctx.save_for_backward(largest)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        (largest,) = ctx.saved_tensors
        d_x = torch.empty(ctx.shape)
        _pool_graphs_backward(*_arrays(ctx.graphs.graph_offsets, largest, gradients[0].contiguous(), d_x))
        return d_x, None


def _arrays(*tensors: Tensor) -> list[Any]:
    return [tensor.detach().numpy() for tensor in tensors]


# Plain indices and conditional values below: with views of rows, max() or unsigned indices LLVM does not vectorise these
# loops, which makes them up to 17 times slower. H is handed to the part: read from another array's shape there, it makes the
# logits a sixth slower.


@part
def _features(edges, e):
    """Return the six features of edge e, read once for all of its H sums."""
    return edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3], edges[e, 4], edges[e, 5]


@part
def _message(ends, weight, features, p, t, h, H):
    """Return number h of the message from t to p along an edge with the six ``features``, before the ReLU."""
    v = (
        ends[p, h]
        + ends[t, H + h]
        + features[0] * weight[0, h]
        + features[1] * weight[1, h]
        + features[2] * weight[2, h]
    )
    return v + (features[3] * weight[3, h] + features[4] * weight[4, h] + features[5] * weight[5, h])


@part
def _spread_gradient(edges, e, p, t, d_message, d_ends, d_weight, H):
    """Add the gradient of the message from t to p along edge e to those of what the message is made of."""
    for h in range(H):
        d_ends[p, h] += d_message[h]
    for h in range(H):
        d_ends[t, H + h] += d_message[h]
    for j in range(edges.shape[1]):
        d = edges[e, j]
        if d != np.float32(0):
            for h in range(H):
                d_weight[j, h] += d * d_message[h]


@kernel
def _aggregate(ends, weight, offsets, target, edges, out, largest):
    H, zero = weight.shape[1], np.float32(0)
    for p in range(ends.shape[0]):
        for h in range(H):
            out[p, h] = zero
            out[p, H + h] = zero
            largest[p, h] = -1
        for e in range(offsets[p], offsets[p + 1]):
            t, features = target[e], _features(edges, e)
            for h in range(H):
                v = _message(ends, weight, features, p, t, h, H)
                v = v if v > zero else zero
                out[p, h] += v
                larger = v > out[p, H + h]
                largest[p, h] = np.int32(e) if larger else largest[p, h]
                out[p, H + h] = v if larger else out[p, H + h]


@kernel
def _aggregate_backward(ends, weight, offsets, target, edges, largest, d_out, d_ends, d_weight, d_message):
    """``d_message`` [H] is scratch."""
    H, zero = weight.shape[1], np.float32(0)
    for p in range(ends.shape[0]):
        for e in range(offsets[p], offsets[p + 1]):
            t, features = target[e], _features(edges, e)
            for h in range(H):
                v = _message(ends, weight, features, p, t, h, H)
                g = d_out[p, h] + (d_out[p, H + h] if largest[p, h] == np.int32(e) else zero)
                d_message[h] = g if v > zero else zero
            _spread_gradient(edges, e, p, t, d_message, d_ends, d_weight, H)


@kernel
def _score_edges(ends, weight, head, source, target, edges, logit_offsets, out, message):
    """Write the logits of legal edges; ``message`` [H] is scratch; ``head`` [K, H]."""
    K, H, zero = head.shape[0], head.shape[1], np.float32(0)
    for e in range(source.shape[0]):
        if logit_offsets[e] < 0:
            continue
        p, t, features = source[e], target[e], _features(edges, e)
        for h in range(H):
            v = _message(ends, weight, features, p, t, h, H)
            message[h] = v if v > zero else zero
        for k in range(K):
            total = zero
            for h in range(H):
                total += message[h] * head[k, h]
            out[logit_offsets[e] + k] = total


@kernel
def _score_edges_backward(
    ends, weight, head, source, target, edges, logit_offsets, d_out, d_ends, d_weight, d_head, message, d_message
):
    """``message`` and ``d_message`` [H] are scratch."""
    K, H, zero = head.shape[0], head.shape[1], np.float32(0)
    for e in range(source.shape[0]):
        if logit_offsets[e] < 0:
            continue
        p, t, features = source[e], target[e], _features(edges, e)
        for h in range(H):
            v = _message(ends, weight, features, p, t, h, H)
            message[h] = v if v > zero else zero
            d_message[h] = zero
        for k in range(K):
            d = d_out[logit_offsets[e] + k]
            for h in range(H):
                d_head[k, h] += d * message[h]
                d_message[h] += d * head[k, h] if message[h] > zero else zero
        _spread_gradient(edges, e, p, t, d_message, d_ends, d_weight, H)


@kernel
def _pool_graphs(x, offsets, out, largest):
    # Number by number: with planets in the outer loop the maximum is not vectorised (0.6 instead of 0.2 ms).
    H, zero = x.shape[1], np.float32(0)
    for b in range(offsets.shape[0] - 1):
        weight = np.float32(1) / np.float32(offsets[b + 1] - offsets[b])
        for h in range(H):
            total, most, where = zero, zero, np.int32(-1)
            for p in range(offsets[b], offsets[b + 1]):
                v = x[p, h]
                total += v
                larger = v > most
                where = np.int32(p) if larger else where
                most = v if larger else most
            out[b, h] = total * weight
            out[b, H + h] = most
            largest[b, h] = where


@kernel
def _pool_graphs_backward(offsets, largest, d_out, d_x):
    H, zero = d_x.shape[1], np.float32(0)
    for b in range(offsets.shape[0] - 1):
        weight = np.float32(1) / np.float32(offsets[b + 1] - offsets[b])
        for p in range(offsets[b], offsets[b + 1]):
            for h in range(H):
                d_x[p, h] = d_out[b, h] * weight + (d_out[b, H + h] if largest[b, h] == np.int32(p) else zero)
