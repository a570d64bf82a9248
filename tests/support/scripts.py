"""Files of scripts/ as modules."""

import importlib
from types import ModuleType


def script(name: str) -> ModuleType:
    """A file of scripts/, as a module."""
    return importlib.import_module(f"scripts.{name}")
