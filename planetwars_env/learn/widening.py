"""Weights of a network for one of twice the width, which computes nearly the same and has room to learn more.

Every hidden number comes twice. Both copies are computed by the same weights, a little changed, so that they can become
different. Whatever is computed from them shares its weight between the two.

Source: Net2Net, Chen et al. (2016), arXiv 1511.05641.
"""

import torch
from torch import Tensor

NOISE = 0.1
"""Standard deviation of the change of a weight, as a part of the weight."""
_SHARES = 0.35, 0.65
"""Between these lies the first copy's share of a weight."""


def widened(weights: dict[str, Tensor], shapes: dict[str, tuple[int, ...]], width: int) -> dict[str, Tensor]:
    """Return ``weights`` of a network of ``width`` for the ``shapes`` of one of twice this width.

    The changes are drawn by torch's global generator. A weight whose shape is none of the two stays as it is.
    """
    return {name: _widened(name, part, shapes.get(name, ()), width) for name, part in weights.items()}


def _widened(name: str, part: Tensor, shape: tuple[int, ...], width: int) -> Tensor:
    if len(shape) != part.dim():
        return part
    for axis, (old, new) in enumerate(zip(part.shape, shape, strict=True)):
        if new == 2 * old and old % width == 0:
            is_input = axis == 1 and not name.endswith("edge")  # features of an edge are inputs of its own matrix
            copies = [_copies(block, axis, is_input) for block in part.split(width, axis)]
            part = torch.cat([one for pair in copies for one in pair], axis)
    return part


def _copies(block: Tensor, axis: int, is_input: bool) -> tuple[Tensor, Tensor]:
    if not is_input:
        first, second = (block * (1 + NOISE * torch.randn_like(block)) for _ in range(2))
        return first, second
    sizes = [size if i == axis else 1 for i, size in enumerate(block.shape)]
    share = torch.empty(sizes).uniform_(*_SHARES)
    return block * share, block * (1 - share)
