"""Observations as the arrays of PyTorch Geometric (docs/graph-observations.md)."""

from typing import Any

import torch
from gymnasium.spaces import GraphInstance
from torch import Tensor

from planetwars_env.codec.layout import EDGE_EXISTS, EXISTS


def pyg_arrays(observation: Any) -> dict[str, Tensor]:
    """Return ``x`` [n, F], ``edge_index`` [2, e] int64, ``edge_attr`` [e, 4] and ``batch`` [n] int64, the game of each node.

    ``observation``: a "graph", or "tensors" of one game or many, as arrays or tensors. Unused slots are left out. F: the features
    of a planet, then the derived ones if there are any, then the clock of its game. ``Data(**pyg_arrays(observation))`` is an
    object of torch_geometric.
    """
    if isinstance(observation, GraphInstance):
        x, edges, links = map(torch.as_tensor, observation)
        batch = torch.zeros(len(x), dtype=torch.long)
        return {"x": x, "edge_index": links.long().T, "edge_attr": edges, "batch": batch}
    names = "planets", "derived_planets", "clock", "edges", "derived_edges", "edge_index"
    parts = {name: torch.as_tensor(observation[name]) for name in names if name in observation}
    if parts["planets"].ndim == 2:
        parts = {name: part[None] for name, part in parts.items()}
    B, P, _ = parts["planets"].shape
    parts["clock"] = parts["clock"][:, None].expand(B, P, -1)
    exists, used = parts["planets"][..., EXISTS] > 0, parts["edges"][..., EDGE_EXISTS] > 0
    numbers = exists.flatten().cumsum(0) - 1
    links = parts["edge_index"].long() + P * torch.arange(B, device=exists.device)[:, None, None]
    return {
        "x": torch.cat([parts[name] for name in names[:3] if name in parts], -1)[exists],
        "edge_index": numbers[links[used]].T,
        "edge_attr": torch.cat([parts[name] for name in names[3:5] if name in parts], -1)[used],
        "batch": exists.nonzero()[:, 0],
    }
