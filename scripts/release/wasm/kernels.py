"""The kernels of planetwars.wasm by name, and the types of their parameters, which follow from the parameters' names."""

import ast
import hashlib
import inspect
import textwrap
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import asdict
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import typeof
from numba.core import types

from planetwars_env import replay
from planetwars_env.bots import bot_codes, planner, search, supposed_game
from planetwars_env.bots import entry_points as bots
from planetwars_env.bots.supposed_game import allocate_supposed
from planetwars_env.codec import layout
from planetwars_env.codec.layout import make_codec
from planetwars_env.codec.limits import CLASSIC, FRACTIONS
from planetwars_env.engine import columns
from planetwars_env.engine import entry_points as engine
from planetwars_env.engine.rules import DEFENCE, MAX_TURNS, PRESETS
from planetwars_env.engine.state import allocate
from planetwars_env.graphs import graph
from planetwars_env.graphs.board import empty_boards, people_type_for
from planetwars_env.render.layout import RADII
from planetwars_env.shipped import PACKAGE_VERSION
from scripts.release.wasm import agent

_OURS = ("planetwars_env.", "scripts.")
KERNELS = {
    "place": engine.place,
    "send": engine.send,
    "put_in_flight": engine.put_in_flight,
    "end_turn": engine.end_turn,
    "look": engine.look,
    "list_launched": engine.list_launched,
    "play_bot": bots.play_bot,
    "play_planner": planner.play_planner,
    "play_agent": agent.play_agent,
}


_P, _E, _T = 101, 103, 107
_BOARD = empty_boards(1, _P, _E)
_STATE = allocate(1, _BOARD, _T)
_SUPPOSED, _KNOWN, _MEMORY = allocate_supposed(1, _BOARD, _STATE)
_PLANNER = {
    "supposed": _SUPPOSED,
    "known": _KNOWN,
    "memory": _MEMORY,
    "trial": allocate(search.ROWS, _BOARD, _T),
    "plans": np.zeros((1, search.PLANS, search.PLAN_ROWS, _P), np.int32),
    "own": np.zeros(_P, np.int32),
}
_CODEC = make_codec(CLASSIC, FRACTIONS, 0)
_LABELS = {_P: "P", _P + 1: "P + 1", _E: "E", _T: "T"}


def manifest() -> dict[str, Any]:
    """Return for JavaScript: of every kernel what its entry reads, shapes of arrays, and constants.

    Axes: P planets, E directed edges, T landing slots (`planetwars_env.engine.state`).
    """
    arrays: dict[str, Any] = {"state": _STATE, "board": _BOARD, **_PLANNER}
    shapes = {
        f"{name}.{field}" if field else name: [_LABELS.get(length, length) for length in array.shape]
        for name, group in arrays.items()
        for field, array in (group._asdict() if hasattr(group, "_asdict") else {"": group}).items()
    }
    return {
        "fingerprint": fingerprint(),
        "kernels": {name: parameters(kernel) for name, kernel in KERNELS.items()},
        "shapes": {**shapes, "scratch": [bot_codes.SCRATCH_ROWS, "max(P, E)"], "codec.sizes": list(_CODEC.sizes.shape)},
        "columns": _numbers(columns)
        | _numbers(layout, "PLANET_SLOTS", "EDGE_SLOTS", "DEGREE", "FRACTION_COUNT", "HORIZON", "SENDS"),
        "bots": bot_codes.COMPILED_BOTS,
        "planner": {
            "budget": planner.BUDGET,
            "horizon": planner.SEARCH_HORIZON,
            "size": supposed_game.SUPPOSED_SIZE,
            "habitability": supposed_game.SUPPOSED_HABITABILITY,
        },
        "rules": {name: asdict(rules) for name, rules in PRESETS.items()},
        "limits": {
            **_numbers(graph, *(name for name in vars(graph) if name.startswith(("MIN_", "MAX_")))),
            "MAX_TURNS": MAX_TURNS,
            "flight_by_size": bisect_left(range(2**40), True, key=lambda most: people_type_for(1, most) is not np.int32)
            - 1,
            "people": int(np.iinfo(np.int32).max),
        },
        "defence": DEFENCE,
        "radii": RADII,
        "replay": {"schema": replay.SCHEMA, "version": PACKAGE_VERSION},
    }


def _numbers(module: ModuleType, *names: str) -> dict[str, int]:
    """Constants of a module; without ``names`` all that it defines."""
    return {name: getattr(module, name) for name in names or [name for name in vars(module) if name.isupper()]}


def argument_types(kernel: Any) -> list[Any]:
    """Numba's types of a kernel's arguments, in order; a parameter that is not an array is a whole number."""
    arrays = {
        "state": _STATE,
        "board": _BOARD,
        **_PLANNER,
        "scratch": bots.make_scratch(_BOARD, np.int32),
        "codec": _CODEC,
        "visible": np.zeros(1, np.int8),
        "people": np.zeros(1, np.int32),
        "weights": np.zeros(1, np.float32),
        "actions": np.zeros((1, 1), np.int32),
        "top": np.zeros(1, np.int32),
        "arena": np.zeros(1, np.int8),
    }
    if kernel is not engine.list_launched:
        arrays.pop("people")
    return [typeof(arrays[name]) if name in arrays else types.int64 for name in inspect.signature(kernel).parameters]


def parameters(kernel: Any) -> list[tuple[str, str, int]]:
    """Path, type and number of axes of every array and number that the entry of a kernel reads, in order."""
    found: list[tuple[str, str, int]] = []

    def add(path: str, kind: Any) -> None:
        if hasattr(kind, "fields"):
            for field, part in zip(kind.fields, kind.types, strict=True):
                add(f"{path}.{field}", part)
        elif isinstance(kind, types.Array):
            assert kind.layout == "C", f"{path} must be contiguous, not {kind}"
            found.append((path, str(kind.dtype), kind.ndim))
        else:
            found.append((path, str(kind), 0))

    for name, kind in zip(inspect.signature(kernel).parameters, argument_types(kernel), strict=True):
        add(name, kind)
    return found


def fingerprint() -> str:
    """A digest of all code and numbers that the module is made from; comments, docstrings and annotations do not count."""
    digest = hashlib.sha256(repr([parameters(kernel) for kernel in KERNELS.values()]).encode())
    known: set[str] = set()
    for kernel in KERNELS.values():
        for piece in _pieces(kernel, known):
            digest.update(piece.encode())
    return digest.hexdigest()[:16]


def _pieces(value: Any, known: set[str]) -> Iterator[str]:
    """The code of a function and, each once, of the project's functions and numbers that it uses."""
    function = getattr(value, "py_func", None) or getattr(value, "_defn", None) or value
    if not isinstance(function, FunctionType):
        yield ",".join(getattr(value, "_fields", ())) if isinstance(value, type) else _written(value)
        return
    source = textwrap.dedent(inspect.getsource(function))
    if not function.__module__.startswith(_OURS) or source in known:
        return
    known.add(source)
    tree = _Bare().visit(ast.parse(source))
    yield ast.unparse(tree)
    closed = inspect.getclosurevars(function).nonlocals
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            used = closed.get(node.id, function.__globals__.get(node.id))
            yield from () if used is None or isinstance(used, ModuleType) else _pieces(used, known)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = function.__globals__.get(node.value.id)
            if isinstance(module, ModuleType) and module.__name__.startswith(_OURS):
                yield from _pieces(getattr(module, node.attr), known)


def _written(value: Any) -> str:
    plain = isinstance(value, int | float | str | tuple | np.generic)
    return repr(value) if plain else type(value).__name__


class _Bare(ast.NodeTransformer):
    """Leaves out docstrings, annotations and decorators."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list, node.returns = [], None
        node.body = node.body[ast.get_docstring(node) is not None :]
        return self.generic_visit(node)  # pyright: ignore[reportReturnType]

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node
