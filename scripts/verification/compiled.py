"""Compiled code outside the package: never kept on disk, since the package's cache is named after the package's sources."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import config as _config

Function = TypeVar("Function", bound=Callable[..., Any])
config: Any = _config
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: Function) -> Function:
    """Compile at the first call, anew in every process (some eight seconds for the audit); plain with ``NUMBA_DISABLE_JIT=1``."""
    if config.DISABLE_JIT:
        return function
    return cast(Function, numba.njit(**_OPTIONS)(function))
