"""Tensors on devices and in files: safetensors files of agents, and the checkpoint of a training run.

Equal contents are equal bytes. A digest and a schema number are checked on loading, and loading runs no code.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from torch import Tensor

from planetwars_env.engine.state import Array
from planetwars_env.files import write_atomically
from planetwars_env.graphs.graph import show
from planetwars_env.settings import ConfigError

AGENT_SCHEMA = 3
"""Version of agents and checkpoints; raised when names of weights, configuration keys or checkpoint entries change."""
_SCHEMA, _DIGEST = "schema", "sha256"
_NOTES = "__metadata__"
_LENGTH = 8  # Bytes before the header of a safetensors file that hold the header's length, of which that is a multiple
CHECKPOINT = "checkpoint.safetensors"
_VALUES = "values"


class AgentError(ValueError):
    """A folder without an agent, or with files that do not fit each other."""


def check_device(where: str, name: str, needed: int | None = None) -> None:
    """Raise ConfigError that begins with ``where`` unless torch finds the device; ``needed``: so many CUDA devices."""
    name = str(name)
    if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", name):
        raise ConfigError(f'{where} must be "cpu", "cuda" or "cuda:" and a number, not {show(name)}')
    if name == "cpu":
        return
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (needed or (torch.device(name).index or 0) + 1) > count:
        right = f'"cpu" or a number below {count}' if count else '"cpu"'
        raise ConfigError(f'{where} is "{name}", but torch finds {count} CUDA devices here: set it to {right}')


def as_tensors(arrays: Mapping[str, Array]) -> dict[str, Tensor]:
    """Return arrays as tensors over the same memory."""
    return {name: torch.from_numpy(part) for name, part in arrays.items()}


def to_device(part: Tensor, device: torch.device) -> Tensor:
    """Return a tensor on ``device``; from the CPU to a GPU it travels through pinned memory, while the GPU computes."""
    if device.type == "cuda" and part.device.type == "cpu":
        return part.pin_memory().to(device, non_blocking=True)
    return part.to(device)


def to_host(part: Tensor) -> Array:
    """Return a tensor of any device as an array."""
    return part.detach().cpu().numpy()


def write_tensors(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, str]) -> None:
    """Write the file atomically, with ``notes``, the schema number and a digest of the arrays as metadata."""
    parts = {name: np.asarray(part, order="C") for name, part in arrays.items()}
    data = save(parts, {**notes, _SCHEMA: str(AGENT_SCHEMA), _DIGEST: _digest_of(parts)})
    begin = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    header = json.loads(data[_LENGTH:begin])
    header[_NOTES] = dict(sorted(header[_NOTES].items()))  # safetensors writes them in another order every time
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    write_atomically(path, len(text).to_bytes(_LENGTH, "little") + text + data[begin:])


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Read arrays and notes. FileNotFoundError; SafetensorError or ValueError for a damaged file and for another schema."""
    path.stat()  # safetensors reports a missing file as a damaged one
    with safe_open(path, framework="numpy") as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is not a mapping)
        notes = file.metadata() or {}
    schema = notes.get(_SCHEMA, "1")
    if schema != str(AGENT_SCHEMA):
        raise ValueError(
            f"it has schema {schema[:20]}, this version of planetwars-env reads schema {AGENT_SCHEMA}: train the agent again, or "
            "use the version that wrote it"
        )
    if _DIGEST in notes and notes[_DIGEST] != _digest_of(arrays):
        raise ValueError("its numbers are not those that were written: the file is damaged")
    return arrays, notes


def _digest_of(arrays: Mapping[str, Array]) -> str:
    """Return the SHA-256 of names, shapes, types and bytes: safetensors itself does not notice a changed number."""
    digest = hashlib.sha256()
    for name, part in sorted(arrays.items()):
        digest.update(f"{name} {part.dtype} {part.shape} ".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def save_checkpoint(folder: Path, arrays: dict[str, Array], values: dict[str, Any]) -> None:
    """Write the checkpoint atomically."""
    # The values travel as an array: JSON in the file's header would be limited in size.
    text = np.frombuffer(json.dumps(values).encode(), np.uint8)
    write_tensors(folder / CHECKPOINT, {**arrays, _VALUES: text}, {})


def load_checkpoint(folder: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read arrays and values; AgentError for a missing, damaged or older checkpoint."""
    path = folder / CHECKPOINT
    try:
        arrays, _ = read_tensors(path)
        return arrays, json.loads(arrays.pop(_VALUES).tobytes())
    except FileNotFoundError as fault:
        raise AgentError(f"nothing to resume: there is no {path}") from fault
    except (OSError, SafetensorError, LookupError, ValueError, TypeError, RecursionError) as fault:
        raise cannot_resume(folder, fault) from fault


def cannot_resume(folder: Path, fault: object) -> AgentError:
    """Return the error for a checkpoint that does not fit."""
    return AgentError(f"{folder / CHECKPOINT} cannot be resumed from: {fault}")


def named(prefix: str, parts: Mapping[str, Array | Tensor]) -> dict[str, Array]:
    """Return tensors and arrays as arrays, with ``prefix`` before their names."""
    return {prefix + name: to_host(part) if isinstance(part, Tensor) else part for name, part in parts.items()}


def tensors_under(prefix: str, arrays: dict[str, Array]) -> dict[str, Tensor]:
    """Return the arrays whose names begin with ``prefix``, without it, as tensors."""
    return {name: torch.tensor(part) for name, part in arrays_under(prefix, arrays).items()}


def arrays_under(prefix: str, arrays: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays whose names begin with ``prefix``, without it."""
    return {name.removeprefix(prefix): part for name, part in arrays.items() if name.startswith(prefix)}
