"""One name, one thing: no public class and no constant has the same name in two modules of the package."""

from __future__ import annotations

import ast
from collections import defaultdict

from support.paths import PACKAGE


def names_in(text: str) -> set[str]:
    """The public classes and UPPER_CASE constants that a module defines."""
    found: set[str] = set()
    for node in ast.parse(text).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
        found |= {one.id for one in names if isinstance(one, ast.Name) and one.id.isupper()}
        found |= {node.name} if isinstance(node, ast.ClassDef) else set()
    return {name for name in found if not name.startswith("_")}


def test_no_class_and_no_constant_is_defined_in_two_modules() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in names_in(path.read_text(encoding="utf-8")):
            modules[name].append(path.relative_to(PACKAGE).as_posix())
    assert len(modules) > 300
    assert {name: places for name, places in modules.items() if len(places) > 1} == {}
