"""The two decorators of compiled code, and the folder its machine code is kept in.

Numba's own cache notices a change only in the file a function stands in; a rule edited elsewhere would go on running
in its old form (numba issues 8359 and 9483). So the folder is named after *all* sources that hold kernels, the numba
version and the processor: whatever changes, another folder is used.
"""

import hashlib
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config as _config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder

Function = TypeVar("Function", bound=Callable[..., Any])
PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS_WITH_KERNELS = ("engine", "codec", "bots", "sim")
config: Any = _config
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def part(function: Function) -> Function:
    """A piece of compiled code, called by kernels and other parts only, never from Python.

    It is pasted into its callers: arrays handed on by an ordinary call cost more than most rules (docs/decisions.md).
    With ``NUMBA_DISABLE_JIT=1`` it stays plain Python.
    """
    if config.DISABLE_JIT:
        return function
    bare = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _PartCompiler}
    return cast(Function, numba.njit(forceinline=True, **_OPTIONS, **bare)(function))


class _PartLibrary(JITCodeLibrary):
    """What a part is lowered to: simplified, but neither vectorised nor turned into machine code.: both happen in its kernel."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _PartCompiler(CompilerBase):
    """Numba's usual passes, into a `_PartLibrary`: halves the time of a cold start (docs/decisions.md)."""

    def define_pipelines(self) -> list[Any]:
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]

    def _compile_core(self) -> Any:
        target, name = self.state.targetctx, self.state.func_id.func_qualname
        self.state.library = _PartLibrary(target.codegen(), name)
        self.state.flags.no_compile = True
        # Never called, but Numba tells functions apart by it, and it must be a builtin: a method of an object of its own.
        result = super()._compile_core()._replace(entry_point=[].append)
        target.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


def kernel(function: Function) -> Function:
    """Compiled code that Python calls, compiled at its first call and kept on disk; a `part` may be made one as well.

    Without Python objects, the global interpreter lock or memory management: it cannot allocate. With
    ``NUMBA_DISABLE_JIT=1`` it stays plain Python. Where no folder can be written, it is compiled anew in every process,
    and one warning says so.
    """
    if config.DISABLE_JIT:
        return function
    folder = cache_folder()
    before, config.CACHE_DIR = config.CACHE_DIR, folder or ""
    try:
        source = getattr(function, "py_func", function)
        compiled = numba.njit(cache=folder is not None, **_OPTIONS)(source)
        if folder is not None:
            _play_on_without_room(compiled)
        return cast(Function, compiled)
    finally:
        config.CACHE_DIR = before


def _play_on_without_room(compiled: Any) -> None:
    """A disk that fills up keeps no machine code, and stops nobody: Numba would raise its OSError in the midst of a game."""
    save = compiled._cache.save_overload

    def save_if_possible(*what: Any) -> None:
        with suppress(OSError):
            save(*what)

    compiled._cache.save_overload = save_if_possible


@cache
def cache_folder() -> str | None:
    """The folder for machine code, made if need be: in the user's ``NUMBA_CACHE_DIR``, else in the user's cache."""
    folder = Path("~/.cache/planetwars-env")
    try:
        folder = _user_cache() / f"kernels-{_fingerprint()}"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except (OSError, RuntimeError) as fault:  # RuntimeError: a user without a home directory, as in containers
        warnings.warn(
            f"planetwars-env cannot write to {folder} ({getattr(fault, 'strerror', fault)}): its kernels are compiled anew in "
            "every process (several seconds). Set NUMBA_CACHE_DIR to a folder that can be written.",
            stacklevel=2,
        )
        return None


def _user_cache() -> Path:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "planetwars-env"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "planetwars-env"
    return Path.home() / ".cache" / "planetwars-env"


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for folder in FOLDERS_WITH_KERNELS:
        for source in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(source.read_bytes())
    processor = f"{platform.machine()} {platform.processor()} {config.CPU_NAME or _host_processor()}"
    digest.update(f"{numba.__version__} {sys.version_info[:2]} {processor}".encode())
    return digest.hexdigest()[:16]


def _host_processor() -> str:
    from llvmlite import binding

    return binding.get_host_cpu_name()
