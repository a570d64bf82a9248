"""planetwars.wasm in this process, by wasmtime, with NumPy arrays over its memory."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

from planetwars_env.engine.state import Board, State

Placed = tuple[int, Any]
"""The address of an array in the memory, and the array."""


class WasmModule:
    """The module in ``folder``. Arrays are put into its memory one behind the other, until `clear`."""

    def __init__(self, folder: Path, pages: int = 512) -> None:
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        module = wasmtime.Module.from_file(engine, str(folder / "planetwars.wasm"))
        kind = wasmtime.FuncType([wasmtime.ValType.f32()], [wasmtime.ValType.f32()])
        imports = {"log1pf": math.log1p, "expf": math.exp}
        needed = [wasmtime.Func(self._store, kind, imports[str(one.name)]) for one in module.imports]
        self._exports = wasmtime.Instance(self._store, module, needed).exports(self._store)
        self.manifest = json.loads((folder / "planetwars.wasm.json").read_text())
        memory: Any = self._exports["memory"]
        memory.grow(self._store, pages)
        self._bytes = np.frombuffer(memory.get_buffer_ptr(self._store, memory.data_len(self._store)), np.uint8)
        base: Any = self._exports["__heap_base"]
        self._base = self._top = base.value(self._store)

    def clear(self) -> None:
        """Forget all arrays."""
        self._top = self._base

    def put(self, array: Any) -> Placed:
        """Copy an array into the memory."""
        at = (self._top + 63) & ~63
        self._top = at + max(1, array.nbytes)
        placed = self._bytes[at : at + array.nbytes].view(array.dtype).reshape(array.shape)
        placed[...] = array
        return at, placed

    def put_game(self, state: State, board: Board, scratch: Any) -> dict[str, Placed]:
        """Copy the arrays of a game; by the paths of the manifest."""
        groups = {"state": state, "board": board}
        paths = {f"{name}.{field}": one for name, group in groups.items() for field, one in group._asdict().items()}
        return {path: self.put(array) for path, array in {**paths, "scratch": scratch}.items()}

    def bind(self, name: str, arrays: Mapping[str, Placed]) -> Callable[..., int]:
        """The kernel ``name`` over these arrays, as a function of its numbers."""
        slots: list[int] = []
        numbers: list[int] = []
        for path, kind, axes in self.manifest["kernels"][name]:
            if axes:
                at, array = arrays[path]
                assert str(array.dtype) == kind and array.ndim == axes, f"{path} must be {kind} with {axes} axes"
                slots += [at, *array.shape]
            else:
                numbers.append(len(slots))
                slots.append(0)
        at, block = self.put(np.array(slots, np.int32))
        entry: Any = self._exports[name]

        def call(*values: int) -> int:
            block[numbers] = values
            return entry(self._store, at)

        return call
