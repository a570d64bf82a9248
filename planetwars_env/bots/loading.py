"""Strategy classes from ``module:Class`` and .py files, whose loading runs their code, and agents, by name or folder."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from planetwars_env.names import known_name
from planetwars_env.shipped import data_root

_AGENTS = "planetwars_env.learn.agent", "load_agent"
"""Name of the function that loads an agent. It is text, because it is the one import against the order of layers."""


def agent_names() -> list[str]:
    """The agents of the zoo."""
    found = [path.parent.name for path in data_root("agents").glob("*/weights.safetensors")]
    return sorted(name for name in found if not name.startswith("."))


def agent_folder(name: str) -> Path | None:
    """The folder of an agent: the zoo's by its name, else the folder of this path; None where there is neither."""
    if name not in agent_names() and Path(name).is_dir():
        return Path(name)
    known = known_name(name, agent_names())
    return None if known is None else data_root("agents") / known


def load_agent(folder: Path) -> Any:
    """The agent in a folder, a `Policy`; ValueError where none is in it, ImportError where its libraries are missing."""
    module, function = _AGENTS
    try:
        load = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as fault:
        raise ImportError(
            f'the agent in {folder} needs {fault.name}, which is not installed: pip install "planetwars-env[agents]"'
        ) from fault
    return load(folder)


def module_file(name: str) -> Path | None:
    """The file of a module, found as an import finds it but running nothing; None where there is none."""
    places, spec = None, None
    for end in range(len(parts := name.split("."))):
        full = ".".join(parts[: end + 1])
        found = (finder.find_spec(full, places) for finder in sys.meta_path if hasattr(finder, "find_spec"))
        spec = next((one for one in found if one is not None), None)
        if spec is None:
            return None
        places = spec.submodule_search_locations
    return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None


def load_class(name: str) -> Any:
    """Factory of the strategy ``name``; ValueError says what is wrong with a module or file, its own errors pass."""
    if name.endswith(".py"):
        return _player_class(_module_of_file(Path(name)), name)
    module, _, cls = name.partition(":")
    return _class_in(module, cls)


def import_module_of(name: str) -> ModuleType:
    """Import a module that the user has named; ImportError passes."""
    return importlib.import_module(name)


def _class_in(module: str, name: str) -> Any:
    try:
        return getattr(import_module_of(module), name)
    except ImportError as fault:
        raise ValueError(f"strategy {module}:{name}: module {module} cannot be imported ({fault})") from fault
    except AttributeError:
        raise ValueError(f"strategy {module}:{name}: module {module} has no class {name}") from None


def _module_of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ValueError(f"strategy file {path} does not exist")
    spec = importlib.util.spec_from_file_location(f"planetwars_strategy_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _player_class(module: ModuleType, path: str) -> Any:
    """The one class of the file that has ``take_turn`` or ``act``."""
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and (callable(getattr(value, "take_turn", None)) or callable(getattr(value, "act", None)))
        and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        names = ", ".join(cls.__name__ for cls in found) or "none"
        raise ValueError(
            f"strategy file {path} must hold exactly one class with a take_turn method (a strategy) or an act method (a "
            f"policy); it holds {names}"
        )
    return found[0]
