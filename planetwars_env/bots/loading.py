"""Strategy classes from files, folders and modules. Loading runs their code.

The files of a strategy become a package of their own: each finds its own ``helper``, whatever else is loaded. ``import helper``
in one of them finds the strategy's file first, and ``from . import helper`` finds it too. Modules of Python, of this package
and NumPy are never replaced (`RESERVED`).
"""

import atexit
import builtins
import importlib
import re
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

from planetwars_env.bots.program import program_strategy
from planetwars_env.bots.source_files import RESERVED, SourceFiles, current_folder_last
from planetwars_env.bots.strategy import Strategy


def load_strategy(name: str, source: SourceFiles | None) -> Any:
    """Return the class that plays the strategy ``name``, or a function that makes players.

    ``source``: its files; None for ``module:Class`` in an installed module. ValueError says what is wrong with them, errors of
    the strategy's own code pass.
    """
    if source is None:
        module, _, cls = name.partition(":")
        try:
            return _named_class(import_module_of(module), name, cls)
        except ImportError as fault:
            raise ValueError(f"strategy {name}: module {module} cannot be imported ({fault})") from fault
    folder = source.place
    if not Path(folder).is_dir():  # a .zip
        folder = mkdtemp(prefix="planetwars-unpacked-")
        atexit.register(rmtree, folder, ignore_errors=True)
        source.write_to(folder)
    return load_from_folder(name, folder, source)


def load_from_folder(name: str, folder: str, source: SourceFiles) -> Any:
    """Return the same, of files that lie in ``folder``; tracebacks say that they lie in ``source.place``."""
    if source.command:
        return program_strategy(source.command, folder)
    key, entry = f"planetwars_strategy_{source.fingerprint()}", source.entry
    # An earlier import of the same files is removed.
    sys.meta_path[:] = [one for one in sys.meta_path if not (isinstance(one, _OwnModules) and one.key == key)]
    for imported in [imported for imported in sys.modules if imported.partition(".")[0] == key]:
        del sys.modules[imported]
    finder = _OwnModules(key, Path(folder), source.place, entry, frozenset(source.files))
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]
    try:
        builtins.__import__(finder.entry_name)
    except Exception as fault:
        if shadowed := sorted((finder.tops - {entry.removesuffix(".py")}) & RESERVED):
            fault.add_note(
                f"{', '.join(shadowed)}: the strategy has a file of this name, but 'import' finds Python's module or the "
                "package's. Give the file another name"
            )
        raise
    module = sys.modules[finder.entry_name]
    return _named_class(module, name, source.cls) if source.cls else _player_class(module, name, entry)


def import_module_of(name: str) -> ModuleType:
    """Import a module that the user has named, from the current folder if it is nowhere else; ImportError passes."""
    with current_folder_last():
        return importlib.import_module(name)


def _named_class(module: ModuleType, name: str, cls: str) -> Any:
    try:
        return getattr(module, cls)
    except AttributeError:
        known = ", ".join(player.__name__ for player in _players_in(module)) or "none"
        raise ValueError(
            f"strategy {name}: module {name.partition(':')[0]} has no class {cls}; its strategies are: {known}"
        ) from None


def _player_class(module: ModuleType, name: str, entry: str) -> Any:
    """The class that a file means: STRATEGY, else its last class that plays, else the only such one that it imports."""
    if (marked := getattr(module, "STRATEGY", None)) is not None:
        if _plays(marked):
            return marked
        raise ValueError(f"strategy {name}: STRATEGY in {entry} must be a class with take_turn, not {marked!r:.100}")
    own = [player for player in _players_in(module) if player.__module__ == module.__name__]
    if own:
        return own[-1]
    key = module.__name__.partition(".")[0]
    imported = [player for player in _players_in(module) if player.__module__.partition(".")[0] == key]
    if len(imported) == 1:
        return imported[0]
    remarks = []
    for cls in vars(module).values():
        if isinstance(cls, type) and cls.__module__ == module.__name__:
            near = [word for word in vars(cls) if word.replace("_", "").casefold() in ("taketurn", "taketurns", "turn")]
            remarks.append(f"{cls.__name__} ({f'you wrote {near[0]}: name it' if near else 'without'} take_turn)")
    classes = ", ".join(cls.__name__ for cls in imported) or ", ".join(remarks) or "no class"
    raise ValueError(
        f"strategy {name}: {entry} must hold a class with a take_turn method (a strategy) or an act method (a policy), "
        f"import exactly one from the strategy's other files, or name it: STRATEGY = MyClass. Found: {classes}"
    )


def _players_in(module: ModuleType) -> list[Any]:
    """The classes that play among a module's names, in their order, each once."""
    return list(dict.fromkeys(value for value in vars(module).values() if _plays(value)))


def _plays(value: Any) -> bool:
    """Whether this is a class that plays: one that only inherits `Strategy.take_turn` does not."""
    if not isinstance(value, type) or getattr(value, "take_turn", None) is Strategy.take_turn:
        return False
    return any(callable(getattr(value, method, None)) for method in ("take_turn", "act"))


class _OwnModules:
    """Finder of the modules of one strategy. ``key``: one word, the same for the same files; ``tops``: what its folder holds."""

    def __init__(self, key: str, folder: Path, place: str, entry: str, files: frozenset[str]) -> None:
        self.key, self._folder, self._place, self._files, self._entry = key, folder, place, files, entry
        self.tops = frozenset(path.partition("/")[0].removesuffix(".py") for path in files if path.endswith(".py"))
        self.builtins = {**vars(builtins), "__import__": self._import}
        stem = re.sub(r"[^\w/]", "_", entry.removesuffix(".py")).replace("/", ".")
        inner = (stem if stem != "__init__" else "").removesuffix(".__init__")
        self.entry_name = f"{key}.{inner}" if inner else key
        self._own_name = Path(place).name if "__init__.py" in files else ""  # of a package that imports itself by name

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Return where a module of this strategy lies, None for every other module."""
        if name.partition(".")[0] != self.key:
            return None
        place = name.partition(".")[2].replace(".", "/")
        package = f"{place}/__init__.py".lstrip("/")
        for file in (self._entry if name == self.entry_name else "", package, f"{place}.py"):
            if file in self._files:
                source = self._folder / file
                inside = [str(source.parent)] if source.name == "__init__.py" else None
                loader = _Loader(name, str(source), str(Path(self._place, file)), self.builtins)
                return spec_from_file_location(name, source, loader=loader, submodule_search_locations=inside)
        if name == self.key or any(file.startswith(f"{place}/") for file in self._files):
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(self._folder / place)]
            return spec
        return None

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Import as the ``import`` of the strategy's own modules does."""
        top = name.partition(".")[0]
        own = top in self.tops
        if level or top in RESERVED or not (own or top == self._own_name):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        full = f"{self.key}.{name}" if own else f"{self.key}{name.removeprefix(top)}"
        module = builtins.__import__(full, globals, locals, fromlist or (), 0)
        return module if fromlist else sys.modules[f"{self.key}.{top}" if own else self.key]


class _Loader(SourceFileLoader):
    """Loader of one file, with the ``import`` of its strategy, under the name by which its user knows it.

    It keeps no compiled file: an edit within a second would not be noticed.
    """

    def __init__(self, name: str, path: str, place: str, own_builtins: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._place, self._builtins = place, own_builtins

    def path_stats(self, path: str) -> Mapping[str, Any]:
        raise OSError(path)

    def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> Any:
        return super().source_to_code(data, self._place)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = self._builtins
        super().exec_module(module)
