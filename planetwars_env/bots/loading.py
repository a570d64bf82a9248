"""Strategy classes from files, folders and modules, whose loading runs their code, and agents, by name or folder."""

import atexit
import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

from planetwars_env.bots.module_search import current_folder_last
from planetwars_env.bots.own_modules import import_entry
from planetwars_env.bots.program import program_strategy
from planetwars_env.bots.source_files import SourceFiles, names_source, read_source
from planetwars_env.names import known_name
from planetwars_env.shipped import data_root

_AGENTS = "planetwars_env.learn.agent", "load_agent"
"""Name of the function that loads an agent. It is text, because imports against the order of layers are not allowed."""
_SEARCH = "planetwars_env.learn.searching_agent", "SearchingAgent"
SEARCH_SUFFIX = "+search"
"""Behind an agent's name or folder: the agent with a search on every turn."""


def agent_names() -> list[str]:
    """The agents of the zoo."""
    found = [path.parent.name for path in data_root("agents").glob("*/weights.safetensors")]
    return sorted(name for name in found if not name.startswith("."))


def agent_folder(name: str) -> Path | None:
    """The folder of an agent: the zoo's by its name, else the folder of this path; None where there is neither."""
    if name not in agent_names() and Path(name).is_dir():
        return None if names_source(name) else Path(name)
    known = known_name(name, agent_names())
    return None if known is None else data_root("agents") / known


def load_agent(folder: Path) -> Any:
    """The agent in a folder, a `Policy`; ValueError where none is in it, ImportError where its libraries are missing."""
    return _from_learn(_AGENTS, folder)(folder)


def searching_factory(folder: Path) -> Callable[[], Any]:
    """Return a function that makes strategies: the agent in a folder with a search on every turn. Errors as of `load_agent`."""
    return partial(_from_learn(_SEARCH, folder), load_agent(folder))


def _from_learn(path: tuple[str, str], folder: Path) -> Any:
    module, name = path
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as fault:
        raise ImportError(
            f'the agent in {folder} needs {fault.name}, which is not installed: pip install "planetwars-env[agents]"'
        ) from fault


def load_class(name: str) -> Any:
    """Factory of the strategy ``name``; ValueError says what is wrong with its files or module, its own errors pass."""
    source = read_source(name)
    if source is None:
        return _class_in_module(name)
    folder = source.place
    if not source.on_disk:
        folder = mkdtemp(prefix="planetwars-unpacked-")
        atexit.register(rmtree, folder, ignore_errors=True)
        source.write_to(folder)
    return load_unpacked(name, folder, source)


def load_unpacked(name: str, folder: str, source: SourceFiles) -> Any:
    """Factory of the strategy ``name`` from its files, which lie in ``folder``."""
    if source.is_program:
        return program_strategy(source.entry, folder)
    key = f"planetwars_strategy_{source.fingerprint()}"
    module = import_entry(key, Path(folder), source.place, source.entry, source.files)
    return _named_class(module, name, source.cls) if source.cls else _player_class(module, name, source.entry)


def import_module_of(name: str) -> ModuleType:
    """Import a module that the user has named, from the current folder if it is nowhere else; ImportError passes."""
    with current_folder_last():
        return importlib.import_module(name)


def _class_in_module(name: str) -> Any:
    module, _, cls = name.partition(":")
    try:
        return _named_class(import_module_of(module), name, cls)
    except ImportError as fault:
        raise ValueError(f"strategy {name}: module {module} cannot be imported ({fault})") from fault


def _named_class(module: ModuleType, name: str, cls: str) -> Any:
    try:
        return getattr(module, cls)
    except AttributeError:
        known = ", ".join(one.__name__ for one in _players_in(module)) or "none"
        raise ValueError(
            f"strategy {name}: module {name.partition(':')[0]} has no class {cls}; its strategies are: {known}"
        ) from None


def _player_class(module: ModuleType, name: str, entry: str) -> Any:
    """The class that a file means: STRATEGY, else its last class that plays, else the only such one that it imports."""
    if (marked := getattr(module, "STRATEGY", None)) is not None:
        if _plays(marked):
            return marked
        raise ValueError(f"strategy {name}: STRATEGY in {entry} must be a class with take_turn, not {marked!r:.100}")
    own = [one for one in _players_in(module) if one.__module__ == module.__name__]
    if own:
        return own[-1]
    key = module.__name__.partition(".")[0]
    imported = [one for one in _players_in(module) if one.__module__.partition(".")[0] == key]
    if len(imported) == 1:
        return imported[0]
    found = ", ".join(cls.__name__ for cls in imported) or ", ".join(_classes_of(module)) or "no class"
    raise ValueError(
        f"strategy {name}: {entry} must hold a class with a take_turn method (a strategy) or an act method (a policy), "
        f"import exactly one from the strategy's other files, or name it: STRATEGY = MyClass. Found: {found}"
    )


def _players_in(module: ModuleType) -> list[Any]:
    """The classes that play among a module's names, in their order, each once."""
    return list(dict.fromkeys(one for one in vars(module).values() if isinstance(one, type) and _plays(one)))


def _classes_of(module: ModuleType) -> list[str]:
    return [
        f"{one.__name__} (without take_turn)"
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__
    ]


def _plays(value: Any) -> bool:
    return isinstance(value, type) and any(callable(getattr(value, method, None)) for method in ("take_turn", "act"))
