"""Reproducible safetensors files: equal contents are equal bytes; a digest and a schema number are checked on loading."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from planetwars_env.engine.state import Array
from planetwars_env.files import write_atomically

AGENT_SCHEMA = 3
"""Version of agents and checkpoints; raised when names of weights, configuration keys or checkpoint entries change."""
_SCHEMA, _DIGEST = "schema", "sha256"
_NOTES = "__metadata__"
_LENGTH = 8
"""Bytes before the header of a safetensors file that hold the header's length, of which that is a multiple."""


def write_tensors(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, str]) -> None:
    """Write the file atomically, with ``notes``, the schema number and a digest of the arrays as metadata."""
    parts = {name: np.asarray(part, order="C") for name, part in arrays.items()}
    data = save(parts, {**notes, _SCHEMA: str(AGENT_SCHEMA), _DIGEST: _digest_of(parts)})
    write_atomically(path, _with_sorted_notes(data))


def check_schema(notes: Mapping[str, str] | None) -> None:
    """Raise ValueError for a file of another schema than `AGENT_SCHEMA`."""
    found = (notes or {}).get(_SCHEMA, "1")
    if found != str(AGENT_SCHEMA):
        raise ValueError(
            f"it has schema {found[:20]}, this version of planetwars-env reads schema {AGENT_SCHEMA}: train the agent again, or "
            "use the version that wrote it"
        )


def check_digest(arrays: Mapping[str, Array], notes: Mapping[str, str] | None) -> None:
    """Raise ValueError where the arrays do not match the digest in ``notes``; files of other origin have none."""
    if notes and _DIGEST in notes and notes[_DIGEST] != _digest_of(arrays):
        raise ValueError("its numbers are not those that were written: the file is damaged")


def _digest_of(arrays: Mapping[str, Array]) -> str:
    """Return the SHA-256 of names, shapes, types and bytes: safetensors itself does not notice a changed number."""
    digest = hashlib.sha256()
    for name, part in sorted(arrays.items()):
        digest.update(f"{name} {part.dtype} {part.shape} ".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _with_sorted_notes(data: bytes) -> bytes:
    """Return the file with sorted metadata: safetensors writes it in another order every time."""
    begin = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    header = json.loads(data[_LENGTH:begin])
    header[_NOTES] = dict(sorted(header[_NOTES].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    return len(text).to_bytes(_LENGTH, "little") + text + data[begin:]
