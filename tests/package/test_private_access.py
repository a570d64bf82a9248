"""No module of the package reaches into the private parts of another object."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from support.paths import PACKAGE

FOREIGN = {
    "_asdict", "_fields", "_replace",  # public methods of named tuples
    "_exit",  # of os
    "_cache", "_compile_core", "_dump", "_load_data",  # of Numba's dispatchers, compilers and cache files
    "_get_samples", "_last_obs", "_setup_learn", "_update_current_progress_remaining",  # of Stable-Baselines3
}  # fmt: skip
"""Names with an underscore that other libraries expect their users to know."""


def own_names(scope: ast.AST) -> set[str]:
    """The private names that a class defines or gives to ``self``: another instance of it may be asked for them."""
    return {node.name for node in ast.walk(scope) if isinstance(node, ast.FunctionDef)} | {
        node.attr for node in ast.walk(scope) if isinstance(node, ast.Attribute) and said_of_itself(node)
    }


def said_of_itself(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def reached_into(node: ast.AST, own: frozenset[str] = frozenset()) -> Iterator[str]:
    """Each private attribute of something other than ``self``, ``cls`` and instances of the class that it stands in."""
    if isinstance(node, ast.ClassDef):
        own = own | own_names(node)
    if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr):
        known = said_of_itself(node) or node.attr in own | FOREIGN
        yield from [] if known else [ast.unparse(node)]
    for child in ast.iter_child_nodes(node):
        yield from reached_into(child, own)


def private_imports(tree: ast.AST) -> Iterator[str]:
    """Private names that are imported from a module of the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE.name):
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name.startswith("_"))


@pytest.mark.parametrize("place", sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")))
def test_no_module_uses_private_parts_of_another(place: str) -> None:
    tree = ast.parse((PACKAGE / place).read_text(encoding="utf-8"))
    assert [*reached_into(tree), *private_imports(tree)] == []


def test_the_rule_finds_private_parts_of_others_and_knows_those_of_one_class() -> None:
    assert list(reached_into(ast.parse("def f(game): return game._board"))) == ["game._board"]
    assert list(reached_into(ast.parse("class A:\n    def f(self): self.games._rollout"))) == ["self.games._rollout"]
    twin = "class A:\n    def __init__(self): self._a = 1\n    def twin(self, other): other._a = self._a"
    assert list(reached_into(ast.parse(twin))) == []
    assert list(private_imports(ast.parse("from planetwars_env.envs.registration import _PRESETS"))) == [
        "planetwars_env.envs.registration._PRESETS"
    ]
