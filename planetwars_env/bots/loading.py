"""Strategy classes from files, folders and modules. Loading runs their code."""

import atexit
import importlib
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

from planetwars_env.bots.module_search import current_folder_last
from planetwars_env.bots.own_modules import import_entry
from planetwars_env.bots.program import program_strategy
from planetwars_env.bots.source_files import SourceFiles
from planetwars_env.bots.strategy import Strategy


def load_strategy(name: str, source: SourceFiles | None) -> Any:
    """Return the class that plays the strategy ``name``, or a function that makes players.

    ``source``: its files; None for ``module:Class`` in an installed module. ValueError says what is wrong with them, errors of
    the strategy's own code pass.
    """
    if source is None:
        return _class_in_module(name)
    folder = source.place
    if not source.on_disk:
        folder = mkdtemp(prefix="planetwars-unpacked-")
        atexit.register(rmtree, folder, ignore_errors=True)
        source.write_to(folder)
    return load_from_folder(name, folder, source)


def load_from_folder(name: str, folder: str, source: SourceFiles) -> Any:
    """Return the same, of files that lie in ``folder``."""
    if source.command:
        return program_strategy(source.command, folder)
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
        f"{one.__name__} ({_misspelt(one) or 'without take_turn'})"
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__
    ]


def _plays(value: Any) -> bool:
    """Say whether a class plays: one that only inherits `Strategy.take_turn` does not."""
    if not isinstance(value, type) or getattr(value, "take_turn", None) is Strategy.take_turn:
        return False
    return any(callable(getattr(value, method, None)) for method in ("take_turn", "act"))


def _misspelt(cls: type) -> str:
    """Return a remark on a method whose name is nearly take_turn, empty for none."""
    near = [name for name in vars(cls) if name.replace("_", "").casefold() in ("taketurn", "taketurns", "turn")]
    return f"you wrote {near[0]}: name it take_turn" if near else ""
