"""The two decorators of compiled code."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, DefaultPassBuilder

from planetwars_env.engine.kernel_cache import KernelCache, config, place_of

Function = TypeVar("Function", bound=Callable[..., Any])
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
    """Passes that lower a part: it is simplified, but neither vectorised nor compiled, which happens in its kernel."""

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


class _SeparateCompiler(Compiler):
    """Numba's usual passes, told that no two arguments share memory: ``restrict`` in C, which Numba offers no option for."""

    def _compile_core(self) -> Any:
        self.state.flags.noalias = True
        return super()._compile_core()


def kernel_of_separate_arrays(function: Function) -> Function:
    """A `kernel` whose arrays share no memory with each other, so that no loop checks whether they do.

    Nothing checks it: arrays that do share memory give wrong numbers.
    """
    return _kernel(function, pipeline_class=_SeparateCompiler)


def kernel(function: Function) -> Function:
    """Compiled code that Python calls, compiled at its first call and kept on disk; a `part` may be made one as well.

    Without Python objects, the global interpreter lock or memory management: it cannot allocate. With
    ``NUMBA_DISABLE_JIT=1`` it stays plain Python. Where no folder can be trusted and written, it is compiled anew in every
    process, and one warning says so.
    """
    return _kernel(function)


def _kernel(function: Function, **options: Any) -> Function:
    if config.DISABLE_JIT:
        return function
    source: Any = getattr(function, "py_func", function)
    compiled: Any = numba.njit(**_OPTIONS, **options)(source)
    folder = place_of(source.__code__.co_filename)
    if folder is not None:
        before, config.CACHE_DIR = config.CACHE_DIR, folder
        try:
            compiled._cache = KernelCache(source)
        finally:
            config.CACHE_DIR = before
    return cast(Function, compiled)


def compiled_for(function: Function, arguments: Sequence[Any]) -> Function:
    """A kernel for arguments of these types only: its calls look no types up, which takes 1 µs for 20 arrays."""
    compiled: Any = function
    return function if config.DISABLE_JIT else compiled.compile(tuple(numba.typeof(value) for value in arguments))
