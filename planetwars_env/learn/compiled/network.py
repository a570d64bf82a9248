"""The graph network between its inputs and its heads as two compiled kernels on the CPU: forwards, and backwards by hand.

They go through the graphs in blocks that stay in the processor's cache. What they compute stands in torch operations in
`GraphNetwork.on` (network.py); a test compares the two, gradients included.

Arrays are read by the position of a number among all of them (`lanes.load`): planet n of a level of x is at
(level * N + n) * H. A block of graphs has the planets ``begin`` to ``end``; where an array holds all planets, ``at`` is the
position of the first of these.

``heads`` is (K, S, C): the logits of a planet's next send stand C numbers further.

Axes: N planets of all graphs, B graphs, R slots with a choice, L rounds, H width, F features of a planet, K fractions, S sends of
a planet, C choices of a slot but waiting.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from planetwars_env.engine.kernel import config, kernel, part
from planetwars_env.learn.compiled.lanes import (
    WIDTH,
    add,
    add_product,
    add_scaled,
    dot,
    larger,
    load,
    nothing,
    store,
    subtract,
    where_equal,
    where_larger,
)
from planetwars_env.learn.graph_batch import BATCH_EDGE_WIDTH, GraphBatch, as_arrays
from planetwars_env.learn.masked_categorical import ILLEGAL_LOGIT

_BLOCK = 4  # Graphs of one block


def can_run(weight: Tensor) -> bool:
    """Return whether the kernels compute a network with such weights; ``weight`` [., H]."""
    fits = weight.shape[1] % WIDTH == 0 and weight.device.type == "cpu" and weight.dtype == torch.float32
    return fits and not config.DISABLE_JIT


class CompiledNetwork(torch.autograd.Function):
    """The graph network between its inputs and its heads."""

    @staticmethod
    def forward(
        ctx: Any, weights: Tensor, graphs: GraphBatch, width: int, rounds: int, heads: tuple[int, int, int]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return states [N, H], pooled states [B, 2 H] and the logits of all sends [R * C] of collated graphs.

        ``weights``: all weights in one row, in the order of `GraphNetwork.weights`.
        """
        N, B, H = len(graphs.planets), len(graphs.graph_offsets) - 1, width
        x, ends, pooled = (torch.empty(rounds + 1, *size) for size in ((N, H), (N, 2 * H), (B, 2 * H)))
        sends = torch.full((len(graphs.rows) * heads[2],), ILLEGAL_LOGIT)
        ctx.block = _BLOCK * _largest_step(graphs.graph_offsets)
        scratch = torch.empty(ctx.block, 2 * H), torch.empty(_BLOCK, H)
        _forward(as_arrays(graphs), heads, *_arrays(weights, x, ends, pooled, sends, *scratch))
        ctx.graphs, ctx.heads = graphs, heads
        ctx.save_for_backward(weights, x, ends, pooled)
        return x[rounds], pooled[rounds], sends

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        """Return the gradient of the weights."""
        weights, x, ends, pooled = ctx.saved_tensors
        graphs, block, H = ctx.graphs, ctx.block, x.shape[2]
        edges = _largest_step(graphs.edge_offsets[graphs.graph_offsets.long()])
        d_weights = torch.zeros_like(weights)
        scratch = [
            torch.empty_like(weights),  # matrices, transposed
            torch.empty(block, 2 * H),  # sums of messages
            torch.empty(block, H),  # gradients: of the states,
            torch.empty(block, H),  # of what the ReLU of a round is taken of,
            torch.empty(block, 2 * H),  # of the sums of messages,
            torch.empty(block, 2 * H),  # of the ends,
            torch.empty(_BLOCK * edges, H),  # of the messages,
            torch.empty(_BLOCK, H),  # of the graph's share in a round,
            torch.empty(_BLOCK, 2 * H),  # of the pooled states
        ]
        inputs = weights, x, ends, pooled, *(part.contiguous() for part in gradients), d_weights
        _backward(as_arrays(graphs), ctx.heads, *_arrays(*inputs, *scratch))
        return d_weights, None, None, None, None


def _largest_step(offsets: Tensor) -> int:
    return int(np.diff(offsets.numpy()).max(initial=0))


def _arrays(*tensors: Tensor) -> list[Any]:
    return [tensor.detach().numpy() for tensor in tensors]


@part
def _places(level, F, H):
    """Return where the weights of ends, edges, planets, messages and graphs of a level begin; the last has no graphs."""
    ends = (F + 1) * H + level * (7 * H * H + (BATCH_EDGE_WIDTH + 3) * H)
    edge = ends + 2 * H * H + 2 * H
    planet = edge + BATCH_EDGE_WIDTH * H
    messages = planet + H * H + H
    return ends, edge, planet, messages, messages + 2 * H * H


@kernel
def _forward(graphs, heads, weights, x, ends, pooled, sends, sums, shares):
    N, F, B, H = graphs.planets.shape[0], graphs.planets.shape[1], pooled.shape[1], x.shape[2]
    for b0 in range(0, B, _BLOCK):
        b1 = min(b0 + _BLOCK, B)
        begin, end = np.int64(graphs.graph_offsets[b0]), np.int64(graphs.graph_offsets[b1])
        n = end - begin
        fill_rows(x, begin * H, n, weights, F * H, H)
        add_product(graphs.planets, begin * F, F, 1, weights, 0, H, x, begin * H, H, n, F, H)
        for i in range(begin * H, end * H, WIDTH):
            store(x, i, larger(load(x, i), nothing()))
        for level in range(x.shape[0]):
            at, e_at = (level * N + begin) * H, (level * N + begin) * 2 * H
            w, edge, planet, messages, graph = _places(level, F, H)
            for b in range(b0, b1):
                pool(graphs, x, at, begin, b, H, pooled, (level * B + b) * 2 * H)
            fill_rows(ends, e_at, n, weights, w + 2 * H * H, 2 * H)
            add_product(x, at, H, 1, weights, w, 2 * H, ends, e_at, 2 * H, n, H, 2 * H)
            if level == x.shape[0] - 1:
                score_edges(graphs, begin, end, ends, e_at, weights, edge, H, heads, sends)
                break
            aggregate(graphs, begin, end, ends, e_at, weights, edge, H, sums)
            fill_rows(shares, 0, b1 - b0, weights, planet + H * H, H)
            add_product(pooled, (level * B + b0) * 2 * H, 2 * H, 1, weights, graph, H, shares, 0, H, b1 - b0, 2 * H, H)
            to = at + N * H
            for b in range(b0, b1):
                begins, size = graphs.graph_offsets[b] - begin, graphs.graph_offsets[b + 1] - graphs.graph_offsets[b]
                fill_rows(x, to + begins * H, size, shares, (b - b0) * H, H)
            add_product(x, at, H, 1, weights, planet, H, x, to, H, n, H, H)
            add_product(sums, 0, 2 * H, 1, weights, messages, H, x, to, H, n, 2 * H, H)
            for i in range(0, n * H, WIDTH):
                store(x, to + i, add(load(x, at + i), larger(load(x, to + i), nothing())))


@kernel
def _backward(
    graphs, heads, weights, x, ends, pooled, d_states, d_pooled, d_sends, d_weights,
    turned, sums, d_x, d_round, d_sums, d_ends, d_messages, d_shares, d_pool,
):  # fmt: skip
    N, F, B, H = graphs.planets.shape[0], graphs.planets.shape[1], pooled.shape[1], x.shape[2]
    L, E = x.shape[0] - 1, BATCH_EDGE_WIDTH
    for level in range(L + 1):
        w, _, planet, messages, graph = _places(level, F, H)
        transpose(weights, w, H, 2 * H, turned)
        if level < L:
            transpose(weights, planet, H, H, turned)
            transpose(weights, messages, 2 * H, H, turned)
            transpose(weights, graph, 2 * H, H, turned)
    for b0 in range(0, B, _BLOCK):
        b1 = min(b0 + _BLOCK, B)
        begin, end = np.int64(graphs.graph_offsets[b0]), np.int64(graphs.graph_offsets[b1])
        n, first = end - begin, np.int64(graphs.edge_offsets[begin])
        m = graphs.edge_offsets[end] - first
        for i in range(0, n * H, WIDTH):
            store(d_x, i, load(d_states, begin * H + i))
        for b in range(b0, b1):
            pool_at = (L * B + b) * 2 * H
            add_pool_gradient(graphs, x, (L * N + begin) * H, begin, b, H, pooled, pool_at, d_pooled, b * 2 * H, d_x)
        for level in range(L, -1, -1):
            w, edge, planet, messages, graph = _places(level, F, H)
            at, e_at = (level * N + begin) * H, (level * N + begin) * 2 * H
            if level == L:
                if not score_edges_backward(
                    graphs, begin, end, ends, e_at, weights, edge, H, heads, d_sends, d_weights, d_ends, d_messages
                ):
                    continue
            else:
                above = at + N * H
                for i in range(0, n * H, WIDTH):
                    store(d_round, i, where_larger(load(x, above + i), load(x, at + i), load(d_x, i)))
                aggregate(graphs, begin, end, ends, e_at, weights, edge, H, sums)
                clear(d_sums, n * 2 * H)
                add_product(d_round, 0, H, 1, turned, messages, 2 * H, d_sums, 0, 2 * H, n, H, 2 * H)
                add_product(sums, 0, 1, 2 * H, d_round, 0, H, d_weights, messages, H, 2 * H, n, H)
                add_product(x, at, 1, H, d_round, 0, H, d_weights, planet, H, H, n, H)
                add_product(d_round, 0, H, 1, turned, planet, H, d_x, 0, H, n, H, H)
                clear(d_shares, _BLOCK * H)
                clear(d_pool, _BLOCK * 2 * H)
                for b in range(b0, b1):
                    planets_of = graphs.graph_offsets[b] - begin, graphs.graph_offsets[b + 1] - begin
                    add_rows(d_shares, (b - b0) * H, d_round, planets_of[0], planets_of[1], H)
                pool_at = (level * B + b0) * 2 * H
                add_product(pooled, pool_at, 1, 2 * H, d_shares, 0, H, d_weights, graph, H, 2 * H, b1 - b0, H)
                add_product(d_shares, 0, H, 1, turned, graph, 2 * H, d_pool, 0, 2 * H, b1 - b0, H, 2 * H)
                add_rows(d_weights, planet + H * H, d_shares, 0, b1 - b0, H)
                for b in range(b0, b1):
                    add_pool_gradient(
                        graphs, x, at, begin, b, H, pooled, pool_at + (b - b0) * 2 * H, d_pool, (b - b0) * 2 * H, d_x
                    )
                aggregate_backward(graphs, begin, end, ends, e_at, weights, edge, H, sums, d_sums, d_ends, d_messages)
            add_product(graphs.edges, first * E, 1, E, d_messages, 0, H, d_weights, edge, H, E, m, H)
            add_product(x, at, 1, H, d_ends, 0, 2 * H, d_weights, w, 2 * H, H, n, 2 * H)
            add_product(d_ends, 0, 2 * H, 1, turned, w, H, d_x, 0, H, n, 2 * H, H)
            add_rows(d_weights, w + 2 * H * H, d_ends, 0, n, 2 * H)
        for i in range(0, n * H, WIDTH):
            store(d_x, i, where_larger(load(x, begin * H + i), nothing(), load(d_x, i)))
        add_product(graphs.planets, begin * F, 1, F, d_x, 0, H, d_weights, 0, H, F, n, H)
        add_rows(d_weights, F * H, d_x, 0, n, H)


@part
def fill_rows(out, at, rows, source, source_at, width):
    """Set every row to the ``width`` numbers of ``source``."""
    for i in range(rows):
        for c in range(0, width, WIDTH):
            store(out, at + i * width + c, load(source, source_at + c))


@part
def clear(out, size):
    """Set the first ``size`` numbers to 0."""
    for c in range(0, size, WIDTH):
        store(out, c, nothing())


@part
def add_rows(out, out_at, a, first, last, width):
    """Add the sum of the rows ``first`` to ``last`` of ``a`` to the row of ``out`` at ``out_at``."""
    for c in range(0, width, WIDTH):
        total = load(out, out_at + c)
        for i in range(first, last):
            total = add(total, load(a, i * width + c))
        store(out, out_at + c, total)


@part
def transpose(source, at, rows, columns, out):
    """Write the matrix at ``at`` to the same place of ``out``, row by column."""
    for i in range(rows):
        for j in range(columns):
            out[at + j * rows + i] = source[at + i * columns + j]


@part
def _edge_weights(weights, at, H):
    """Return the weights of the six features of an edge, for the numbers from ``at`` on."""
    return (
        load(weights, at), load(weights, at + H), load(weights, at + 2 * H), load(weights, at + 3 * H),
        load(weights, at + 4 * H), load(weights, at + 5 * H),
    )  # fmt: skip


@part
def _message(ends, near, far, edges, e, weights):
    """Return the message along edge e, whose ends stand at ``near`` and ``far``."""
    v = add_scaled(add_scaled(load(ends, near), edges[e, 0], weights[0]), edges[e, 1], weights[1])
    w = add_scaled(add_scaled(load(ends, far), edges[e, 2], weights[2]), edges[e, 3], weights[3])
    return larger(add(add_scaled(v, edges[e, 4], weights[4]), add_scaled(w, edges[e, 5], weights[5])), nothing())


@part
def pool(graphs, x, at, begin, b, H, out, out_at):
    """Write mean and maximum over the planets of graph b; ``at``: of the planet ``begin``."""
    count = graphs.graph_offsets[b + 1] - graphs.graph_offsets[b]
    for c in range(0, H, WIDTH):
        total, most = nothing(), nothing()
        for p in range(graphs.graph_offsets[b] - begin, graphs.graph_offsets[b + 1] - begin):
            v = load(x, at + p * H + c)
            total, most = add(total, v), larger(v, most)
        store(out, out_at + c, add_scaled(nothing(), np.float32(1) / np.float32(count), total))
        store(out, out_at + H + c, most)


@part
def add_pool_gradient(graphs, x, at, begin, b, H, pooled, pooled_at, d_pooled, d_at, d_x):
    """Add the gradient of the pooled states of graph b; that of a maximum goes to the first planet that has it."""
    share = np.float32(1) / np.float32(graphs.graph_offsets[b + 1] - graphs.graph_offsets[b])
    for c in range(0, H, WIDTH):
        d_mean, d_most = load(d_pooled, d_at + c), load(d_pooled, d_at + H + c)
        most = load(pooled, pooled_at + H + c)
        for p in range(graphs.graph_offsets[b] - begin, graphs.graph_offsets[b + 1] - begin):
            here = where_equal(load(x, at + p * H + c), most, d_most)
            d_most = subtract(d_most, here)
            store(d_x, p * H + c, add(add_scaled(load(d_x, p * H + c), share, d_mean), here))


@part
def aggregate(graphs, begin, end, ends, at, weights, w_at, H, sums):
    """Write sum and maximum of the messages of every planet's edges; ``at``: of the ends of the planet ``begin``."""
    for c in range(0, H, WIDTH):
        w = _edge_weights(weights, w_at + c, H)
        for p in range(begin, end):
            total, most, near = nothing(), nothing(), at + (p - begin) * 2 * H + c
            for e in range(graphs.edge_offsets[p], graphs.edge_offsets[p + 1]):
                v = _message(ends, near, at + (graphs.target[e] - begin) * 2 * H + H + c, graphs.edges, e, w)
                total, most = add(total, v), larger(v, most)
            store(sums, (p - begin) * 2 * H + c, total)
            store(sums, (p - begin) * 2 * H + H + c, most)


@part
def aggregate_backward(graphs, begin, end, ends, at, weights, w_at, H, sums, d_sums, d_ends, d_messages):
    """Write the gradients of the messages and of the ends; that of a maximum goes to the first edge that has it."""
    clear(d_ends, (end - begin) * 2 * H)
    for c in range(0, H, WIDTH):
        w = _edge_weights(weights, w_at + c, H)
        for p in range(begin, end):
            row, d_near = (p - begin) * 2 * H + c, nothing()
            d_total, d_most, most = load(d_sums, row), load(d_sums, row + H), load(sums, row + H)
            for e in range(graphs.edge_offsets[p], graphs.edge_offsets[p + 1]):
                far = (graphs.target[e] - begin) * 2 * H + H + c
                v = _message(ends, at + row, at + far, graphs.edges, e, w)
                here = where_equal(v, most, d_most)
                d_most = subtract(d_most, here)
                d = where_larger(v, nothing(), add(d_total, here))
                d_near = add(d_near, d)
                store(d_messages, (e - graphs.edge_offsets[begin]) * H + c, d)
                store(d_ends, far, add(load(d_ends, far), d))
            store(d_ends, row, d_near)


@part
def score_edges(graphs, begin, end, ends, at, weights, w_at, H, heads, sends):
    """Write the logits of all legal sends."""
    (K, S, C), head = heads, w_at + BATCH_EDGE_WIDTH * H
    for c in range(0, H, WIDTH):
        w = _edge_weights(weights, w_at + c, H)
        for e in range(graphs.edge_offsets[begin], graphs.edge_offsets[end]):
            logit = graphs.logit_offsets[e]
            if logit < 0:
                continue
            near, far = at + (graphs.source[e] - begin) * 2 * H + c, at + (graphs.target[e] - begin) * 2 * H + H + c
            v = _message(ends, near, far, graphs.edges, e, w)
            for s in range(S):
                for k in range(K):
                    score, place = dot(v, load(weights, head + (s * K + k) * H + c)), logit + s * C + k
                    sends[place] = score if c == 0 else sends[place] + score


@part
def score_edges_backward(graphs, begin, end, ends, at, weights, w_at, H, heads, d_sends, d_weights, d_ends, d_messages):
    """Write the gradients of messages and ends, add those of the head; return whether there is a legal send."""
    (K, S, C), head, found = heads, w_at + BATCH_EDGE_WIDTH * H, False
    clear(d_ends, (end - begin) * 2 * H)
    for c in range(0, H, WIDTH):
        w = _edge_weights(weights, w_at + c, H)
        for e in range(graphs.edge_offsets[begin], graphs.edge_offsets[end]):
            logit, d = graphs.logit_offsets[e], nothing()
            if logit >= 0:
                near, far = (graphs.source[e] - begin) * 2 * H + c, (graphs.target[e] - begin) * 2 * H + H + c
                v = _message(ends, at + near, at + far, graphs.edges, e, w)
                for s in range(S):
                    for k in range(K):
                        row, change = head + (s * K + k) * H + c, d_sends[logit + s * C + k]
                        d = add_scaled(d, change, load(weights, row))
                        store(d_weights, row, add_scaled(load(d_weights, row), change, v))
                d = where_larger(v, nothing(), d)
                store(d_ends, near, add(load(d_ends, near), d))
                store(d_ends, far, add(load(d_ends, far), d))
                found = True
            store(d_messages, (e - graphs.edge_offsets[begin]) * H + c, d)
    return found
