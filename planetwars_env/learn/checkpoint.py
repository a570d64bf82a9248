"""Checkpoint of a training run: arrays and JSON values in one safetensors file, to resume from."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open

from planetwars_env.engine.state import Array
from planetwars_env.learn.agent import AgentError
from planetwars_env.learn.tensor_file import check_digest, check_schema, write_tensors

CHECKPOINT = "checkpoint.safetensors"
_VALUES = "values"


def save_checkpoint(folder: Path, arrays: dict[str, Array], values: dict[str, Any]) -> None:
    """Write the checkpoint atomically."""
    # The values travel as an array: JSON in the file's header would be limited in size.
    text = np.frombuffer(json.dumps(values).encode(), np.uint8)
    write_tensors(folder / CHECKPOINT, {**arrays, _VALUES: text}, {})


def load_checkpoint(folder: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read arrays and values; loading runs no code. AgentError for a missing, damaged or older checkpoint."""
    path = folder / CHECKPOINT
    try:
        arrays = _arrays(path)
        return arrays, json.loads(arrays.pop(_VALUES).tobytes())
    except FileNotFoundError as fault:
        raise AgentError(f"nothing to resume: there is no {path}") from fault
    except (OSError, SafetensorError, LookupError, ValueError, TypeError, RecursionError) as fault:
        raise cannot_resume(folder, fault) from fault


def _arrays(path: Path) -> dict[str, Array]:
    path.stat()  # safetensors reports a missing file as a damaged one
    with safe_open(path, framework="numpy") as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
        check_schema(file.metadata())
        check_digest(arrays, file.metadata())
        return arrays


def cannot_resume(folder: Path, fault: Exception) -> AgentError:
    """Return the error for a checkpoint that does not fit."""
    return AgentError(f"{folder / CHECKPOINT} cannot be resumed from: {fault}")


def tensors(arrays: dict[str, Array], prefix: str) -> dict[str, torch.Tensor]:
    """Return the arrays whose names begin with ``prefix``, without it, as tensors."""
    return {name: torch.tensor(part) for name, part in arrays_under(prefix, arrays).items()}


def arrays_under(prefix: str, arrays: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays whose names begin with ``prefix``, without it."""
    return {name.removeprefix(prefix): part for name, part in arrays.items() if name.startswith(prefix)}


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, Array]:
    """Return the state of an optimiser: its moments of every parameter."""
    moments = optimizer.state_dict()["state"]
    return {f"optimizer/{i}/{name}": part.cpu().numpy() for i, parts in moments.items() for name, part in parts.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: dict[str, Array]) -> None:
    """Restore `optimizer_arrays`."""
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name, part in tensors(arrays, "optimizer/").items():
        i, key = name.split("/")
        moments.setdefault(int(i), {})[key] = part
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
