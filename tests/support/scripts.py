"""Files of scripts/ as modules."""

import importlib
import importlib.util
from types import ModuleType


def script(name: str) -> ModuleType:
    """A file of scripts/ as a module; of a folder that can be run, its ``__main__``."""
    module = importlib.import_module(f"scripts.{name}")
    runs = hasattr(module, "__path__") and importlib.util.find_spec(f"scripts.{name}.__main__")
    return importlib.import_module(f"scripts.{name}.__main__") if runs else module
