"""Mutants of a file and their texts: cosmic-ray's operators on parso's trees."""

import ast
import difflib
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

TARGETS = ("planetwars_env/engine", "planetwars_env/codec", "planetwars_env/view.py")
Place = tuple[int, int]


class Mutant(NamedTuple):
    """One change to one file: the ``occurrence``-th place where ``operator`` fits; ``line`` and ``column`` tell where."""

    path: str
    operator: str
    occurrence: int
    line: int
    column: int


def draw(root: Path, seed: int, only: str = "") -> list[Mutant]:
    """All mutants of the checkout at ``root`` in files whose path begins with ``only``, in the order of a seed."""
    files = [path for path in files_of(root) if path.startswith(only)]
    every = [mutant for path in files for mutant in mutants_of(path, (root / path).read_text(encoding="utf-8"))]
    random.Random(seed).shuffle(every)
    return every


def files_of(root: Path) -> list[str]:
    """The files that are mutated, from ``root``."""
    places = [root / target for target in TARGETS]
    found = [file for place in places for file in ([place] if place.is_file() else place.glob("*.py"))]
    return sorted(file.relative_to(root).as_posix() for file in found)


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file but those that cannot matter: in type annotations, and of `part`, which has no effect uncompiled."""
    nodes, hidden = list(ast_nodes(get_ast(source))), _annotations(source)
    for name in _operators():
        operator = get_operator(name)()
        places = ((node, *place) for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (node, start, end) in enumerate(places):
            inside = any(first <= start and end <= last for first, last in hidden)
            if not inside and node.get_code().strip() != "@part":
                yield Mutant(path, name, occurrence, *start)


@cache
def _operators() -> list[str]:
    """Those that need no arguments, in an order of their own."""
    return sorted(name for name in operator_names() if not get_operator(name).arguments())


def _annotations(source: str) -> list[tuple[Place, Place]]:
    found: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign | ast.arg):
            found.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            found.append(node.returns)
    lines = source.splitlines()
    return [
        (_place(lines, one.lineno, one.col_offset), _place(lines, one.end_lineno, one.end_col_offset))
        for one in found
        if one
    ]


def _place(lines: list[str], line: int | None, column: int | None) -> Place:
    """Columns in characters, as parso has them, from bytes, as `ast` has them."""
    assert line is not None and column is not None
    return line, len(lines[line - 1].encode()[:column].decode())


def mutated(source: str, mutant: Mutant) -> str | None:
    """The file as the mutant has it; None where that is not Python, or is the same program."""
    text = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    try:
        same = text is None or ast.dump(ast.parse(text)) == ast.dump(ast.parse(source))
    except SyntaxError:
        return None
    return None if same else text


def difference(source: str, text: str, path: str) -> str:
    """The change as a diff."""
    lines = difflib.unified_diff(source.splitlines(), text.splitlines(), path, path, n=1, lineterm="")
    return "\n".join(lines)
