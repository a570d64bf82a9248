"""Modules of a strategy, kept apart from those of all others: each finds its own ``helper``, whatever else is loaded.

The files of a strategy become a package of their own. ``import helper`` in one of them finds the strategy's file first, and
``from . import helper`` finds it too. Modules of Python, of this package and NumPy are never replaced (`RESERVED`).
"""

import builtins
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

from planetwars_env.bots.source_files import RESERVED


def import_entry(key: str, folder: Path, place: str, entry: str, files: Iterable[str]) -> ModuleType:
    """Import the file ``entry`` of a strategy, which runs its code, and return its module.

    ``key``: one word, the same for the same files; ``folder``: they lie there; ``place``: where tracebacks say that they lie;
    ``files``: their paths below the folder.
    """
    _forget(key)
    found = _OwnModules(key, folder, place, entry, frozenset(files))
    sys.meta_path.insert(0, found)  # type: ignore[arg-type]
    try:
        builtins.__import__(found.entry_name)
        return sys.modules[found.entry_name]
    except Exception as fault:
        if shadowed := sorted((found.tops - {entry.removesuffix(".py")}) & RESERVED):
            fault.add_note(
                f"{', '.join(shadowed)}: the strategy has a file of this name, but 'import' finds Python's module or the "
                "package's. Give the file another name"
            )
        raise


def _forget(key: str) -> None:
    """Remove an earlier import of the same files."""
    sys.meta_path[:] = [one for one in sys.meta_path if not (isinstance(one, _OwnModules) and one.key == key)]
    for name in [name for name in sys.modules if name.partition(".")[0] == key]:
        del sys.modules[name]


class _OwnModules:
    """Finder of the modules of one strategy. ``tops``: the modules and packages at the top of its folder."""

    def __init__(self, key: str, folder: Path, place: str, entry: str, files: frozenset[str]) -> None:
        self.key, self._folder, self._place, self._files, self._entry = key, folder, place, files, entry
        self.tops = frozenset(
            PurePosixPath(path).parts[0].removesuffix(".py") for path in files if path.endswith(".py")
        )
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
                return self._spec(name, file)
        if name == self.key or any(file.startswith(f"{place}/") for file in self._files):
            found = ModuleSpec(name, None, is_package=True)
            found.submodule_search_locations = [str(self._folder / place)]
            return found
        return None

    def _spec(self, name: str, file: str) -> ModuleSpec | None:
        path = self._folder / file
        inside = [str(path.parent)] if path.name == "__init__.py" else None
        loader = _Loader(name, str(path), str(Path(self._place, file)), self.builtins)
        return spec_from_file_location(name, path, loader=loader, submodule_search_locations=inside)

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
    """Loader of one file. It keeps no compiled file: an edit within a second would not be noticed."""

    def __init__(self, name: str, path: str, place: str, own_builtins: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._place, self._builtins = place, own_builtins

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """OSError: nothing is known of a compiled file."""
        raise OSError(path)

    def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> Any:
        """Compile the file under the name by which its user knows it."""
        return super().source_to_code(data, self._place)

    def exec_module(self, module: ModuleType) -> None:
        """Run the file with the ``import`` of its strategy."""
        vars(module)["__builtins__"] = self._builtins
        super().exec_module(module)
