"""One turn of an agent with a graph network as one kernel: observation, graph batch, network, choice, moves.

`Agent.act` does the same by NumPy and torch around the same parts; tests/wasm compares the two choice by choice.
"""

from typing import Any

import numpy as np
from numba.core import types
from numba.core.extending import intrinsic
from numba.np.arrayobj import populate_array

from planetwars_env.codec import derived, entry_points, layout
from planetwars_env.codec.actions import carry_out_turn
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import part
from planetwars_env.engine.state import Board, State
from planetwars_env.learn import graph_batch
from planetwars_env.learn.agent import LATE
from planetwars_env.learn.compiled import network as compiled_network
from planetwars_env.learn.masked_categorical import ILLEGAL_LOGIT

FLOAT, DOUBLE, INT, LONG, BYTE = np.float32(0), np.float64(0), np.int32(0), np.int64(0), np.int8(0)
BITS, WORD = np.uint32(0), np.uint64(0)
observe = part(entry_points.write_observations.py_func)
collate = part(graph_batch._collate.py_func)
run_network = part(compiled_network._forward.py_func)


def _take(_: Any, arena: Any, top: Any, shape: Any, like: Any) -> Any:
    """Array of ``shape`` over the next free bytes of ``arena``, of the type of ``like``; ``top`` [1] is their position."""
    array = types.Array(like, len(shape), "C")

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        item, intp = context.get_data_type(like), context.get_value_type(types.intp)
        position = context.make_array(top)(context, builder, values[1]).data
        data = context.make_array(arena)(context, builder, values[0]).data
        lengths = [builder.extract_value(values[2], axis) for axis in range(len(shape))]
        strides = [intp(context.get_abi_sizeof(item))]
        for length in reversed(lengths):
            strides.insert(0, builder.mul(strides[0], length))
        at = builder.load(position)
        size = builder.and_(builder.add(builder.trunc(strides[0], at.type), at.type(63)), at.type(-64))
        builder.store(builder.add(at, size), position)
        pointer = builder.bitcast(builder.gep(data, [at]), item.as_pointer())
        made = context.make_array(array)(context, builder)
        populate_array(made, data=pointer, shape=lengths, strides=strides[1:], itemsize=strides[-1], meminfo=None)
        return made._getvalue()

    return array(arena, top, types.UniTuple(types.int64, len(shape)), like), emit


take: Any = intrinsic(_take)


def play_agent(state, board, codec, g, player, turns_per_weight, weights, width, rounds, actions, top, arena):
    """Choose ``actions`` [1, S * P] for ``player`` (0, 1) in game ``g`` and carry them out; return how many bytes are missing.

    ``weights``: those of `GraphNetwork`, then those of its waiting. ``arena``: bytes to compute in. Where they are too few,
    nothing is done, and the number needed is returned; else 0.
    """
    b = state.status[g, columns.BOARD]
    N, M = np.int64(board.info[b, columns.PLANETS]), np.int64(board.info[b, columns.EDGES])
    P, E, D = codec.sizes[layout.PLANET_SLOTS], codec.sizes[layout.EDGE_SLOTS], codec.sizes[layout.DEGREE]
    K, H, S = codec.sizes[layout.FRACTION_COUNT], codec.sizes[layout.HORIZON], codec.sizes[layout.SENDS]
    F, C, W, edges_at = layout.ARRIVALS + 2 * H, 1 + D * K, width, P * (layout.ARRIVALS + 2 * H)
    clock_at = edges_at + E * layout.EDGE_WIDTH
    features = F + layout.CLOCK_WIDTH + F - layout.MY_PEOPLE + layout.PROSPECTS
    top[0] = 0
    games, players = take(arena, top, (1,), LONG), take(arena, top, (1,), INT)
    observation = take(arena, top, (1, clock_at + layout.CLOCK_WIDTH), FLOAT)
    index, mask = take(arena, top, (1, E, 2), INT), take(arena, top, (1, S * P * C), BYTE)
    planets, edges = take(arena, top, (1, P, F), FLOAT), take(arena, top, (1, E, layout.EDGE_WIDTH), FLOAT)
    clock_at_top = top[0]
    clock = take(arena, top, (1, layout.CLOCK_WIDTH), FLOAT)
    top[0] = clock_at_top
    bits = take(arena, top, (layout.CLOCK_WIDTH,), BITS)  # the same bytes
    scratch = take(arena, top, (3, max(state.people.shape[2], state.flights.shape[2])), INT)
    none, none_3 = take(arena, top, (1, 1), INT), take(arena, top, (1, 1, 1), INT)
    people, arrivals = take(arena, top, (1, 2, P), INT), take(arena, top, (1, H + 1, 2, P), INT)
    supposed = State(people, arrivals, none_3, none, none, take(arena, top, (1,), WORD))
    sizes, growth = take(arena, top, (1, 2, P), INT), take(arena, top, (1, P), DOUBLE)
    supposed_board = Board(none, sizes, growth, none_3, none)
    forecast = take(arena, top, (derived._FORECAST_TURNS * turns_per_weight, 2, P), INT)
    distances = take(arena, top, (derived._TARGETS, P), FLOAT)
    graphs = graph_batch.GraphBatch(
        take(arena, top, (N, features), FLOAT), take(arena, top, (M, graph_batch.BATCH_EDGE_WIDTH), FLOAT),
        take(arena, top, (M,), INT), take(arena, top, (M,), INT), take(arena, top, (N + 1,), INT),
        take(arena, top, (2,), INT), take(arena, top, (M,), LONG), take(arena, top, (S * P,), LONG),
        take(arena, top, (S * P,), LONG),
    )  # fmt: skip
    x, ends = take(arena, top, (rounds + 1, N, W), FLOAT), take(arena, top, (rounds + 1, N, 2 * W), FLOAT)
    pooled, sends = take(arena, top, (rounds + 1, 1, 2 * W), FLOAT), take(arena, top, (S * P * (C - 1),), FLOAT)
    block = compiled_network._BLOCK
    sums, shares = take(arena, top, (block * N, 2 * W), FLOAT), take(arena, top, (block, W), FLOAT)
    logits, uniform = take(arena, top, (C,), FLOAT), take(arena, top, (S * P,), FLOAT)
    words = take(arena, top, (12,), WORD)
    if top[0] > arena.shape[0]:
        return top[0]

    arrivals[0, H] = 0  # what lands behind the horizon of the forecast
    games[0], players[0] = g, player
    observe(state, board, codec, games, players, 0, scratch, observation, index, mask)
    for p in range(P):
        for f in range(F):
            planets[0, p, f] = observation[0, f * P + p]
    for e in range(E):
        for f in range(layout.EDGE_WIDTH):
            edges[0, e, f] = observation[0, edges_at + f * E + e]
    for f in range(layout.CLOCK_WIDTH):
        clock[0, f] = observation[0, clock_at + f]
    coexistence = state.status[g, columns.COEXISTENCE] > 0
    rows = collate(
        planets, edges, index, clock, mask, S, D, K, coexistence, turns_per_weight, supposed, supposed_board,
        forecast, distances, graphs.planets, graphs.edges, graphs.source, graphs.target, graphs.edge_offsets,
        graphs.graph_offsets, graphs.logit_offsets, graphs.rows, graphs.row_owners,
    )  # fmt: skip
    for i in range(rows * (C - 1)):
        sends[i] = ILLEGAL_LOGIT
    run_network(graphs, (K, S, C - 1), weights, x, ends, pooled, sends, sums, shares)

    sampled = not coexistence and clock[0, 0] >= LATE
    if sampled:
        draw_uniform(bits, words, uniform)
    for slot in range(S * P):
        actions[0, slot] = 0
    wait_at = weights.shape[0] - S * (W + 1)
    for r in range(rows):
        slot = graphs.rows[r]
        p, send = slot % P, slot // P
        logits[0] = weights[wait_at + S * W + send]
        for h in range(W):
            logits[0] += x[rounds, graphs.row_owners[r], h] * weights[wait_at + send * W + h]
        for c in range(C - 1):
            logits[1 + c] = sends[r * (C - 1) + c]
        actions[0, slot] = choose(logits, uniform[p * S + send] if sampled else np.float32(-1))
    carry_out_turn(state, board, codec, g, player, actions, 0, observation, 0)
    return 0


@part
def choose(logits, uniform):
    """The greedy choice where ``uniform`` is negative, else the one that it samples (`MaskedCategorical`)."""
    best, total = 0, np.float32(0)
    for c in range(logits.shape[0]):
        best = c if logits[c] > logits[best] else best
    if uniform < 0:
        return best
    most = logits[best]
    for c in range(logits.shape[0]):
        logits[c] = np.exp(logits[c] - most)
        total += logits[c]
    bound, count, reached = np.float64(uniform) * (1 - 1e-6) * total, 0, np.float32(0)
    for c in range(logits.shape[0]):
        reached += logits[c]
        count += reached <= bound
    return count


# The random numbers of an agent are those of `np.random.default_rng(clock.view(np.uint32)).random(slots, np.float32)`:
# SeedSequence makes a state of the clock's bits, and PCG64 numbers of the state. A word of 128 bits is two of 64.
_32, _LOW, _ONE = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)
_FACTOR_HIGH, _FACTOR_LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)


@part
def draw_uniform(bits, words, uniform):
    """Fill ``uniform`` with the numbers that follow from ``bits`` [2] uint32; ``words`` [12] is room to compute in."""
    hashing = np.uint64(0x43B0D7E5)
    for i in range(4):
        words[i], hashing = _hashed(np.uint64(bits[i]) if i < 2 else np.uint64(0), hashing, np.uint64(0x931E8875))
    for i in range(4):
        for j in range(4):
            if i != j:
                word, hashing = _hashed(words[i], hashing, np.uint64(0x931E8875))
                word = np.uint64(0xCA01F9DD) * words[j] - np.uint64(0x4973F715) * word & _LOW
                words[j] = word ^ word >> np.uint64(16)
    hashing = np.uint64(0x8B51F9DD)
    for i in range(8):
        words[4 + i], hashing = _hashed(words[i % 4], hashing, np.uint64(0x58F38DED))
    first_high, first_low = words[4] | words[5] << _32, words[6] | words[7] << _32
    add_high, add_low = words[8] | words[9] << _32, words[10] | words[11] << _32
    add_high, add_low = add_high << _ONE | add_low >> np.uint64(63), add_low << _ONE | _ONE
    low = first_low + add_low
    high, low = _next(first_high + add_high + np.uint64(low < add_low), low, add_high, add_low)
    for i in range(0, uniform.shape[0], 2):
        high, low = _next(high, low, add_high, add_low)
        turn, word = high >> np.uint64(58), high ^ low
        word = word >> turn | word << (np.uint64(64) - turn & np.uint64(63))
        uniform[i] = np.float32((word & _LOW) >> np.uint64(8)) / np.float32(2**24)
        if i + 1 < uniform.shape[0]:
            uniform[i + 1] = np.float32(word >> np.uint64(40)) / np.float32(2**24)


@part
def _hashed(word, hashing, factor):
    """Return a word of 32 bits hashed, and the next state of the hashing."""
    hashing_next = hashing * factor & _LOW
    word = (word ^ hashing) * hashing_next & _LOW
    return word ^ word >> np.uint64(16), hashing_next


@part
def _next(high, low, add_high, add_low):
    """Return the state after (high, low): it is multiplied by a constant, and (add_high, add_low) is added."""
    a, b, c, d = low >> _32, low & _LOW, _FACTOR_LOW >> _32, _FACTOR_LOW & _LOW
    middle = a * d + (b * d >> _32)
    carry = (middle >> _32) + ((middle & _LOW) + b * c >> _32)
    product_low = low * _FACTOR_LOW
    product_high = a * c + carry + high * _FACTOR_LOW + low * _FACTOR_HIGH
    low = product_low + add_low
    return product_high + add_high + np.uint64(low < add_low), low
