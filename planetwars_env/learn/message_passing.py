"""Messages along edges, fused: what the layers of the graph network do between two matrix products, without its copies.

A relation is the ReLU of three parts, ``near[source] + far[target] + details @ weight``: gathering, adding and summing them as
torch operations costs five copies of [M, H] a layer and as many again backwards. Here each is one compiled loop, on the CPU; on
another device the same sums are torch's own (`plain_gather`, `plain_score`, `plain_pool`).

Axes: N planets of all boards, M directed edges sorted by source, H width, G edge features, B boards. The kernels
stand alone in this file, whose changes Numba's cache notices by itself.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from planetwars_env.engine.kernel import kernel, part
from planetwars_env.learn.graph_batch import Packed


def gather(ends: Tensor, weight: Tensor, packed: Packed) -> Tensor:
    """[N, 2 H]: sum and maximum of the relations of every planet's edges; ``ends`` [N, 2 H] near and far, ``weight`` [G, H]."""
    if ends.device.type != "cpu":
        return plain_gather(ends, weight, packed)
    return _Gather.apply(ends, weight, packed)  # type: ignore[no-any-return]


def score(ends: Tensor, weight: Tensor, head: Tensor, packed: Packed, scores: Tensor) -> Tensor:
    """``scores`` (flat) with relation times ``head`` [K, H] at ``packed.place`` of every legal edge."""
    if ends.device.type != "cpu":
        return plain_score(ends, weight, head, packed, scores)
    return _Score.apply(ends, weight, head, packed, scores)  # type: ignore[no-any-return]


def pool(x: Tensor, packed: Packed) -> Tensor:
    """[B, 2 H]: mean and maximum over the planets of every board, of ``x`` [N, H] that is nowhere negative."""
    if x.device.type != "cpu":
        return plain_pool(x, packed)
    return _Pool.apply(x, packed)  # type: ignore[no-any-return]


def plain_gather(ends: Tensor, weight: Tensor, packed: Packed) -> Tensor:
    """`gather` in torch's own operations, for any device."""
    relations, source = _relations(ends, weight, packed), packed.source.long()
    nothing = relations.new_zeros(len(ends), weight.shape[1])
    index = source.unsqueeze(1).expand_as(relations)
    return torch.cat([nothing.index_add(0, source, relations), nothing.scatter_reduce(0, index, relations, "amax")], 1)


def plain_score(ends: Tensor, weight: Tensor, head: Tensor, packed: Packed, scores: Tensor) -> Tensor:
    """`score` in torch's own operations, for any device."""
    # Edges that are not legal write behind the scores: to leave them out by a mask, host and device would wait for each other.
    place = torch.where(packed.place >= 0, packed.place, len(scores))
    at = place.unsqueeze(1) + torch.arange(len(head), device=place.device)
    roomy = torch.cat([scores, scores.new_zeros(len(head))])
    return roomy.index_copy(0, at.flatten(), (_relations(ends, weight, packed) @ head.T).flatten())[: len(scores)]


def plain_pool(x: Tensor, packed: Packed) -> Tensor:
    """`pool` in torch's own operations, for any device."""
    count = packed.first_planet.diff()
    board = torch.arange(len(count), device=x.device).repeat_interleave(count, output_size=len(x))
    nothing = x.new_zeros(len(count), x.shape[1])
    mean = nothing.index_add(0, board, x) / count.unsqueeze(1)
    index = board.unsqueeze(1).expand_as(x)
    return torch.cat([mean, nothing.scatter_reduce(0, index, x, "amax")], 1)


def _relations(ends: Tensor, weight: Tensor, packed: Packed) -> Tensor:
    H = weight.shape[1]
    near, far = ends[:, :H].index_select(0, packed.source), ends[:, H:].index_select(0, packed.target)
    return torch.relu(near + far + packed.details @ weight)


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, ends: Tensor, weight: Tensor, packed: Packed) -> Tensor:
        N, H = len(ends), weight.shape[1]
        out, best = torch.empty(N, 2 * H), torch.empty(N, H, dtype=torch.int32)
        _gather(*_arrays(ends, weight, packed.first, packed.target, packed.details, out, best))
        ctx.packed = packed
        ctx.save_for_backward(ends, weight, best)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        ends, weight, best = ctx.saved_tensors
        packed, d_ends, d_weight = ctx.packed, torch.zeros_like(ends), torch.zeros_like(weight)
        seen, notes = (ends, weight, packed.first, packed.target, packed.details, best), torch.empty(weight.shape[1])
        _gather_back(*_arrays(*seen, gradients[0].contiguous(), d_ends, d_weight, notes))
        return d_ends, d_weight, None


class _Score(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, ends: Tensor, weight: Tensor, head: Tensor, packed: Packed, scores: Tensor) -> Tensor:
        out = scores.clone()
        seen = ends, weight, head, packed.source, packed.target, packed.details, packed.place
        _score(*_arrays(*seen, out, torch.empty(head.shape[1])))
        ctx.packed = packed
        ctx.save_for_backward(ends, weight, head)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        ends, weight, head = ctx.saved_tensors
        packed, d_ends, d_weight = ctx.packed, torch.zeros_like(ends), torch.zeros_like(weight)
        d_head = torch.zeros_like(head)
        seen = ends, weight, head, packed.source, packed.target, packed.details, packed.place
        notes = torch.empty(2, head.shape[1])
        _score_back(*_arrays(*seen, gradients[0].contiguous(), d_ends, d_weight, d_head, *notes))
        return d_ends, d_weight, d_head, None, None


class _Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, packed: Packed) -> Tensor:
        B, H = len(packed.first_planet) - 1, x.shape[1]
        out, best = torch.empty(B, 2 * H), torch.empty(B, H, dtype=torch.int32)
        _pool(*_arrays(x, packed.first_planet, out, best))
        ctx.packed, ctx.shape = packed, x.shape
        ctx.save_for_backward(best)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        (best,) = ctx.saved_tensors
        d_x = torch.empty(ctx.shape)
        _pool_back(*_arrays(ctx.packed.first_planet, best, gradients[0].contiguous(), d_x))
        return d_x, None


def _arrays(*tensors: Tensor) -> list[Any]:
    return [tensor.detach().numpy() for tensor in tensors]


# Plain indices and conditional values below: with views of rows, max() or unsigned indices LLVM does not vectorise these
# loops, which makes them up to 17 times slower. H is handed to the part: read from another array's shape there, it makes the
# scores a sixth slower.


@part
def _details(details, e):
    """The six numbers of edge e, read once for all of its H sums."""
    return details[e, 0], details[e, 1], details[e, 2], details[e, 3], details[e, 4], details[e, 5]


@part
def _relation(ends, weight, told, p, t, h, H):
    """Number h of what an edge from p to t, with the six numbers ``told``, says to p, before the ReLU."""
    v = ends[p, h] + ends[t, H + h] + told[0] * weight[0, h] + told[1] * weight[1, h] + told[2] * weight[2, h]
    return v + (told[3] * weight[3, h] + told[4] * weight[4, h] + told[5] * weight[5, h])


@kernel
def _gather(ends, weight, first, target, details, out, best):
    H, zero = weight.shape[1], np.float32(0)
    for p in range(ends.shape[0]):
        for h in range(H):
            out[p, h] = zero
            out[p, H + h] = zero
            best[p, h] = -1
        for e in range(first[p], first[p + 1]):
            t, told = target[e], _details(details, e)
            for h in range(H):
                v = _relation(ends, weight, told, p, t, h, H)
                v = v if v > zero else zero
                out[p, h] += v
                larger = v > out[p, H + h]
                best[p, h] = np.int32(e) if larger else best[p, h]
                out[p, H + h] = v if larger else out[p, H + h]


@kernel
def _gather_back(ends, weight, first, target, details, best, d_out, d_ends, d_weight, notes):
    """``notes`` [H] is scratch."""
    H, zero = weight.shape[1], np.float32(0)
    for p in range(ends.shape[0]):
        for e in range(first[p], first[p + 1]):
            t, told = target[e], _details(details, e)
            for h in range(H):
                v = _relation(ends, weight, told, p, t, h, H)
                g = d_out[p, h] + (d_out[p, H + h] if best[p, h] == np.int32(e) else zero)
                notes[h] = g if v > zero else zero
            for h in range(H):
                d_ends[p, h] += notes[h]
            for h in range(H):
                d_ends[t, H + h] += notes[h]
            for j in range(details.shape[1]):
                d = details[e, j]
                if d != zero:
                    for h in range(H):
                        d_weight[j, h] += d * notes[h]


@kernel
def _score(ends, weight, head, source, target, details, place, out, notes):
    """``notes`` [H] is scratch; ``head`` [K, H]."""
    K, H, zero = head.shape[0], head.shape[1], np.float32(0)
    for e in range(source.shape[0]):
        if place[e] < 0:
            continue
        p, t, told = source[e], target[e], _details(details, e)
        for h in range(H):
            v = _relation(ends, weight, told, p, t, h, H)
            notes[h] = v if v > zero else zero
        for k in range(K):
            total = zero
            for h in range(H):
                total += notes[h] * head[k, h]
            out[place[e] + k] = total


@kernel
def _score_back(ends, weight, head, source, target, details, place, d_out, d_ends, d_weight, d_head, notes, d_notes):
    """``notes`` and ``d_notes`` [H] are scratch."""
    K, H, zero = head.shape[0], head.shape[1], np.float32(0)
    for e in range(source.shape[0]):
        if place[e] < 0:
            continue
        p, t, told = source[e], target[e], _details(details, e)
        for h in range(H):
            v = _relation(ends, weight, told, p, t, h, H)
            notes[h] = v if v > zero else zero
            d_notes[h] = zero
        for k in range(K):
            d = d_out[place[e] + k]
            for h in range(H):
                d_head[k, h] += d * notes[h]
                d_notes[h] += d * head[k, h] if notes[h] > zero else zero
        for h in range(H):
            d_ends[p, h] += d_notes[h]
        for h in range(H):
            d_ends[t, H + h] += d_notes[h]
        for j in range(details.shape[1]):
            d = details[e, j]
            if d != zero:
                for h in range(H):
                    d_weight[j, h] += d * d_notes[h]


@kernel
def _pool(x, first, out, best):
    """Number by number: with planets in the outer loop the maximum is not vectorised (0.6 instead of 0.2 ms)."""
    H, zero = x.shape[1], np.float32(0)
    for b in range(first.shape[0] - 1):
        share = np.float32(1) / np.float32(first[b + 1] - first[b])
        for h in range(H):
            total, most, where = zero, zero, np.int32(-1)
            for p in range(first[b], first[b + 1]):
                v = x[p, h]
                total += v
                larger = v > most
                where = np.int32(p) if larger else where
                most = v if larger else most
            out[b, h] = total * share
            out[b, H + h] = most
            best[b, h] = where


@kernel
def _pool_back(first, best, d_out, d_x):
    H, zero = d_x.shape[1], np.float32(0)
    for b in range(first.shape[0] - 1):
        share = np.float32(1) / np.float32(first[b + 1] - first[b])
        for p in range(first[b], first[b + 1]):
            for h in range(H):
                d_x[p, h] = d_out[b, h] * share + (d_out[b, H + h] if best[b, h] == np.int32(p) else zero)
