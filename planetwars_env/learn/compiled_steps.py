"""The compiled steps of compiled_network.py: pooling, messages along edges and the scores of sends, with their gradients.

Arrays are read by the position of a number among all of them (`lanes.load`). A block of graphs has the planets ``begin`` to
``end``; where an array holds all planets, ``at`` is the position of the first of these.
"""

import numpy as np

from planetwars_env.engine.kernel import part
from planetwars_env.learn.graph_batch import BATCH_EDGE_WIDTH
from planetwars_env.learn.lanes import (
    WIDTH,
    add,
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
def score_edges(graphs, begin, end, ends, at, weights, w_at, H, K, sends):
    """Write the logits of all legal sends."""
    head = w_at + BATCH_EDGE_WIDTH * H
    for c in range(0, H, WIDTH):
        w = _edge_weights(weights, w_at + c, H)
        for e in range(graphs.edge_offsets[begin], graphs.edge_offsets[end]):
            logit = graphs.logit_offsets[e]
            if logit < 0:
                continue
            near, far = at + (graphs.source[e] - begin) * 2 * H + c, at + (graphs.target[e] - begin) * 2 * H + H + c
            v = _message(ends, near, far, graphs.edges, e, w)
            for k in range(K):
                score = dot(v, load(weights, head + k * H + c))
                sends[logit + k] = score if c == 0 else sends[logit + k] + score


@part
def score_edges_backward(graphs, begin, end, ends, at, weights, w_at, H, K, d_sends, d_weights, d_ends, d_messages):
    """Write the gradients of messages and ends, add those of the head; return whether there is a legal send."""
    head, found = w_at + BATCH_EDGE_WIDTH * H, False
    clear(d_ends, (end - begin) * 2 * H)
    for c in range(0, H, WIDTH):
        w = _edge_weights(weights, w_at + c, H)
        for e in range(graphs.edge_offsets[begin], graphs.edge_offsets[end]):
            logit, d = graphs.logit_offsets[e], nothing()
            if logit >= 0:
                near, far = (graphs.source[e] - begin) * 2 * H + c, (graphs.target[e] - begin) * 2 * H + H + c
                v = _message(ends, at + near, at + far, graphs.edges, e, w)
                for k in range(K):
                    row = head + k * H + c
                    d = add_scaled(d, d_sends[logit + k], load(weights, row))
                    store(d_weights, row, add_scaled(load(d_weights, row), d_sends[logit + k], v))
                d = where_larger(v, nothing(), d)
                store(d_ends, near, add(load(d_ends, near), d))
                store(d_ends, far, add(load(d_ends, far), d))
                found = True
            store(d_messages, (e - graphs.edge_offsets[begin]) * H + c, d)
    return found
