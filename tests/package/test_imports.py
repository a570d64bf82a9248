"""The shape of the package: imports flow one way, libraries stay in their rooms, `import` costs little, names are unique."""

import ast
import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support.paths import PACKAGE, ROOT

NAME = PACKAGE.name

# A module may import from its own layer and from those before it.
LAYERS = [
    "text", "names", "files", "shipped", "engine", "graphs", "settings", "codec", "view", "language", "game", "bots", "sim",
    "replay", "move_counts", "render", "envs", "arena", "learn", "playing", "benchmark", "cli", "__main__",
]  # fmt: skip

# The only places (folders or files of the package) that may import these.
ROOMS = {
    "torch": ["learn"],
    "stable_baselines3": ["envs/sb3.py", "learn/sb3.py"],
    "sb3_contrib": ["learn/sb3.py"],
    "pettingzoo": ["envs/pettingzoo.py", "envs/pettingzoo_aec.py", "envs/pettingzoo_parallel.py"],
    "matplotlib": ["render"],
    "PIL": ["render"],
    "jinja2": ["render/templates.py"],
    "pygame": ["render"],
    "starlette": ["playing"],
    "uvicorn": ["playing"],
    "mcp": ["playing"],
    "minari": ["learn/datasets.py"],
}
INSIDE = {"sim": ["fields", "buffers"]}
"""Modules that nothing outside their folder may import: columns of buffers, which have names outside."""
FORBIDDEN = {"engine": ["gymnasium", "typer", "rich", "yaml"], "graphs": ["gymnasium", "typer", "rich"]}

FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def layer(place: str) -> str:
    """The first part of a file's place in the package: `engine/turn.py` and `game.py` are of `engine` and `game`."""
    return place.split("/")[0].removesuffix(".py")


def imported(source: str, place: str) -> Iterator[str]:
    """Dotted names of everything that the file at ``place`` imports, in functions and by a literal name too."""
    package = [NAME, *place.split("/")[:-1]]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join(above + ([node.module] if node.module else []))
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module":
            yield from (
                arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
            )


def faults(source: str, place: str) -> list[str]:
    """Faults of the imports in the file at ``place``, one sentence each."""
    found = []
    for name in imported(source, place):
        parts = name.split(".")
        if parts[0] == NAME:
            found += _faults_inside(parts, place)
        elif parts[0] in ROOMS and not any(place == room or place.startswith(f"{room}/") for room in ROOMS[parts[0]]):
            found.append(f"{place} imports {name}, which belongs in {', '.join(ROOMS[parts[0]])}")
        elif parts[0] in FORBIDDEN.get(layer(place), []):
            found.append(f"{place} imports {name}, which {layer(place)} does without")
    return found


def _faults_inside(parts: list[str], place: str) -> list[str]:
    if re.match("_[^_]", parts[-1]):
        return [f"{place} imports {'.'.join(parts)}, which is private"]
    if len(parts) == 1 or parts[1] not in LAYERS:
        return [f"{place} imports {'.'.join(parts)} from the front door: import it where it lives"]
    if LAYERS.index(parts[1]) > LAYERS.index(layer(place)):
        return [f"{place} imports {'.'.join(parts)}, against the flow"]
    if layer(place) != parts[1] and set(parts[2:]) & set(INSIDE.get(parts[1], [])):
        return [f"{place} imports {'.'.join(parts)}, which only {parts[1]} may know: ask the batch by name"]
    return []


def test_every_module_has_a_place_in_the_order() -> None:
    assert FILES
    assert {layer(place) for place in FILES} - {"__init__"} <= set(LAYERS)


@pytest.mark.parametrize("place", [place for place in FILES if place != "__init__.py" and layer(place) in LAYERS])
def test_imports_flow_one_way_and_libraries_stay_in_their_rooms(place: str) -> None:
    assert faults((PACKAGE / place).read_text(encoding="utf-8"), place) == []


@pytest.mark.parametrize(
    ("place", "source", "wrong"),
    [
        ("engine/turn.py", "def f():\n    from ..game import Game", 1),
        ("engine/turn.py", "from .. import game", 1),
        ("engine/turn.py", "import gymnasium.spaces", 1),
        ("graphs/dot.py", "from planetwars_env import Graph", 1),
        ("bots/catalogue.py", "importlib.import_module('planetwars_env.learn.zoo')", 1),
        ("envs/gym.py", "if TYPE_CHECKING:\n    import torch.nn as nn", 1),
        ("envs/vector.py", "from planetwars_env.sim import fields", 1),
        ("cli/train.py", "from planetwars_env.envs.registration import _PRESETS", 1),
        ("engine/turn.py", "from . import conquest\nfrom .state import State\nimport numpy as np, numba", 0),
        ("learn/sb3.py", "from sb3_contrib import MaskablePPO\nimport torch\nfrom ..envs.sb3 import VecEnv", 0),
    ],
)
def test_the_rule_finds_what_breaks_it_and_nothing_else(place: str, source: str, wrong: int) -> None:
    assert len(faults(source, place)) == wrong


MAP = re.compile(r"(?<=<!-- made by tests/package/test_imports.py -->\n).*?(?=<!-- end of what is made -->)", re.DOTALL)
CONTRIBUTING = ROOT / "CONTRIBUTING.md"


def layers_text() -> str:
    """The layers in their order as CONTRIBUTING.md lists them, each with the first sentence of its docstring."""
    lines = ["", "```"]
    for name in LAYERS:
        folder = PACKAGE / name
        module = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        about = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
        first = re.split(r"\.\s|\.$", about.split("\n\n")[0].replace("\n", " "))[0]
        lines += textwrap.wrap(f"{name + '/' * folder.is_dir():<17}{first}", 116, subsequent_indent=" " * 17)
    return "\n".join([*lines, "```", "", ""])


def test_contributing_lists_the_layers() -> None:
    found = MAP.findall(CONTRIBUTING.read_text(encoding="utf-8"))
    assert found == [layers_text()], "write the list anew: python tests/package/test_imports.py"


def test_the_package_has_at_most_the_lines_that_it_may_have() -> None:
    most, *_ = (ROOT / "tests" / "package" / "most_lines.txt").read_text(encoding="utf-8").split()
    lines = sum(path.read_bytes().count(b"\n") for path in PACKAGE.rglob("*.py"))
    assert lines <= int(most), "make it smaller, or raise the number in most_lines.txt and write the reason below it"


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
    for place in FILES:
        for name in names_in((PACKAGE / place).read_text(encoding="utf-8")):
            modules[name].append(place)
    assert len(modules) > 300
    assert {name: places for name, places in modules.items() if len(places) > 1} == {}


def run(program: str) -> str:
    """The output of ``program`` in a fresh Python."""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=280)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = f"import sys, gymnasium; before = set(sys.modules); import {NAME}; print(*set(sys.modules) - before)"
    loaded = {name.split(".")[0] for name in run(program).split()}
    assert loaded & {"numba", "llvmlite", "typer", "rich", *ROOMS} == set()


def test_the_process_of_a_strategy_starts_without_numpy_and_gymnasium_and_has_the_environments() -> None:
    """Every game pays for it. A strategy that wants an environment gets one."""
    begin = f"import os, sys; os.environ['PLANETWARS_STRATEGY'] = '1'; import {NAME}.arena.worker"
    begin = f"{begin}; import {NAME} as pw; pw.Strategy; pw.Move; pw.neighbours"  # what strategies are written with
    loaded = {name.split(".")[0] for name in run(f"{begin}; print(*sys.modules)").split()}
    assert loaded & {"numpy", "gymnasium", "numba", *ROOMS} == set()
    assert "PlanetWars" in run(f"{begin}; import planetwars_env as pw; print(pw.make('PlanetWars-v0'))")


def test_importing_the_package_takes_under_half_a_second_beside_gymnasium() -> None:
    program = f"import time, gymnasium; start = time.perf_counter(); import {NAME}; print(time.perf_counter() - start)"
    assert min(float(run(program)) for _ in range(3)) < 0.5


if __name__ == "__main__":
    CONTRIBUTING.write_text(
        MAP.sub(lambda _: layers_text(), CONTRIBUTING.read_text(encoding="utf-8")), encoding="utf-8"
    )
