"""Search for modules that a user names, which runs none of their code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sysconfig import get_paths

from planetwars_env.engine.sources import PACKAGE


@contextmanager
def current_folder_last() -> Iterator[None]:
    """Let modules be found in the current folder too, after all other places, until the block ends."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.reverse()  # the last one, since it may stand there twice
        sys.path.remove(here)
        sys.path.reverse()


def find_module(name: str) -> Path | None:
    """Return the file of a module, found as an import finds it but running nothing; None where there is none."""
    places, spec = None, None
    with current_folder_last():
        for end in range(len(parts := name.split("."))):
            full = ".".join(parts[: end + 1])
            found = (finder.find_spec(full, places) for finder in sys.meta_path if hasattr(finder, "find_spec"))
            spec = next((one for one in found if one is not None), None)
            if spec is None:
                return None
            places = spec.submodule_search_locations
    return Path(spec.origin).absolute() if spec is not None and spec.has_location and spec.origin else None


def installed(file: Path) -> bool:
    """Whether a module's file is part of Python, of an installed distribution or of this package."""
    paths = get_paths()
    places = [PACKAGE, *(Path(paths[kind]) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))]
    return "site-packages" in file.parts or any(file.is_relative_to(place) for place in places)
