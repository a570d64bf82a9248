"""Environment to learn, teach and research strategy games: two players conquer a graph of planets under fog of war.

`import planetwars_env as pw` registers the environment ids with Gymnasium and offers every public name as ``pw.NAME``
(docs/api.md lists them). A name's module loads when the name is first used. Deeper imports are private and may change.
"""

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# The command line loads modules for up to a second; until `main` listens, Ctrl-C ends it without a traceback.
if (
    Path((*sys.argv, "")[0]).name in ("-m", "planetwars")
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
):
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

__version__ = import_module("planetwars_env.shipped").PACKAGE_VERSION

_HOMES: dict[str, str] = {}
"""The module of every public name, as __init__.pyi has it, one line ``from MODULE import NAME as NAME`` each."""
for _line in Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines():
    if _line.startswith("from planetwars_env."):
        _, _module, _, _name, *_ = _line.split()
        _HOMES[_name] = _module.removeprefix("planetwars_env.")
_EXTRAS = {"torch": "agents", "safetensors": "agents", "matplotlib": "render"}
_EXTRAS |= dict.fromkeys(("stable_baselines3", "sb3_contrib", "tensorboard"), "train")
"""Optional libraries that a public name may need, and the extra that brings each."""
_TRAINING = {"learn.run", "learn.sb3"}
"""Modules that need all of the extra "train", whichever of its libraries is missed first."""
__all__ = ["__version__", *sorted(_HOMES)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'planetwars_env' has no attribute '{name}'; it has {', '.join(__all__)}")
    try:
        value = getattr(import_module(f"planetwars_env.{_HOMES[name]}"), name)
    except ModuleNotFoundError as fault:
        extra = _EXTRAS.get((fault.name or "").split(".")[0])
        if extra is None:
            raise
        extra = "train" if _HOMES[name] in _TRAINING else extra
        pip_line = import_module("planetwars_env.shipped").pip_line(extra)
        raise ImportError(f"pw.{name} needs {fault.name}, which is not installed: {pip_line}") from fault
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# The variable is set in the processes of strategies from files: Gymnasium is half of their start.
if "PLANETWARS_STRATEGY" not in os.environ:
    import_module("planetwars_env.envs.registration")
