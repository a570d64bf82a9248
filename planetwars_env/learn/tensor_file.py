"""Arrays and notes in a safetensors file: equal contents are equal bytes, and a changed number is noticed."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from planetwars_env.engine.state import Array
from planetwars_env.files import write_atomically

_DIGEST = "sha256"
_NOTES = "__metadata__"
_LENGTH = 8
"""Bytes before the header of a safetensors file that hold the header's length, of which that is a multiple."""


def write_tensors(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, str]) -> None:
    """Write the file, whole or not at all, with ``notes`` and a digest of the arrays."""
    parts = {name: np.ascontiguousarray(part) for name, part in arrays.items()}
    data = save(parts, {**notes, _DIGEST: _digest_of(parts)})
    write_atomically(path, _with_sorted_notes(data))


def check_digest(arrays: Mapping[str, Array], notes: Mapping[str, str] | None) -> None:
    """ValueError where the arrays of a file are not those that its notes speak of; files of other origin have no digest."""
    if notes and _DIGEST in notes and notes[_DIGEST] != _digest_of(arrays):
        raise ValueError("its numbers are not those that were written: the file is damaged")


def _digest_of(arrays: Mapping[str, Array]) -> str:
    """SHA-256 of names, shapes, kinds and bytes: safetensors itself does not notice a number that was changed."""
    digest = hashlib.sha256()
    for name, part in sorted(arrays.items()):
        digest.update(f"{name} {part.dtype} {part.shape} ".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _with_sorted_notes(data: bytes) -> bytes:
    """The file with its notes in the order of their names: safetensors writes them in another order every time."""
    begin = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    header = json.loads(data[_LENGTH:begin])
    header[_NOTES] = dict(sorted(header[_NOTES].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    return len(text).to_bytes(_LENGTH, "little") + text + data[begin:]
