"""The folder that machine code is kept in, and what is read from it.

Numba's own cache notices a change only in the file a function stands in; a rule edited elsewhere would go on running
in its old form (numba issues 8359 and 9483). So the folder is named after *all* modules that kernels are made from, the
numba version and the processor: whatever changes, another folder is used. Machine code is run as it is read, so that it is read
only from a folder that nobody else can write to, and only if it is whole.
"""

import hashlib
import os
import platform
import stat
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numba
from llvmlite import binding
from numba.core import config as _config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator

from planetwars_env.engine.sources import PACKAGE, fingerprint_of_files, kernel_sources

READ_ONLY = "PLANETWARS_KERNELS"
"""Environment variable of a strategy's process: the owner's folder for machine code, which it may only read."""
config: Any = _config
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_SECONDS_OF_ONE_START = 15
"""Within these, all workers of a command have begun."""
_OUTSIDE = 65534
"""The owner that Linux shows for whoever has no number in this container or sandbox."""
_DIGEST = hashlib.sha256().digest_size


@cache
def cache_folder() -> str | None:
    """The folder for machine code, made if need be: in the user's ``NUMBA_CACHE_DIR``, else in the user's cache.

    None, with a warning, where it cannot be written, or somebody else could have written it.
    """
    folder = Path("~/.cache/planetwars-env")
    try:
        if READ_ONLY in os.environ:
            folder = Path(os.environ[READ_ONLY])
            fault = _what_others_can(folder)
            return _warn(f"planetwars-env does not trust {folder}: {fault}") if fault else str(folder)
        processor = f"{platform.machine()} {platform.processor()} {config.CPU_NAME or binding.get_host_cpu_name()}"
        made_by = f"{fingerprint_of_files(kernel_sources())} {numba.__version__} {sys.version_info[:2]} {processor}"
        folder = user_cache() / f"kernels-{hashlib.sha256(made_by.encode()).hexdigest()[:16]}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if fault := _what_others_can(folder):
            return _warn(f"planetwars-env does not trust {folder}: {fault}")
        with tempfile.TemporaryFile(dir=folder):
            return str(folder)
    except (OSError, RuntimeError) as fault:  # RuntimeError: a user without a home directory, as in containers
        return _warn(f"planetwars-env cannot write to {folder} ({getattr(fault, 'strerror', fault)})")


def _warn(fault: str) -> None:
    warnings.warn(
        f"{fault}, so its kernels are compiled anew in every process (several seconds). "
        "Set NUMBA_CACHE_DIR to a folder of your own that nobody else can write to.",
        stacklevel=3,
    )


def _what_others_can(folder: Path) -> str:
    """Say how another user could have put machine code into the folder; nothing where only this user and root can."""
    if not hasattr(os, "geteuid"):  # Windows, where the user's folders are the user's own
        return ""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return "it is a link"
    if found.st_uid != os.geteuid():
        return f"it belongs to the user with the number {found.st_uid}, not to you"
    if found.st_mode & _OTHERS_WRITE:
        return "others can write to it (chmod 700 mends that, after you have emptied it)"
    for above in folder.resolve().parents:
        status = above.stat()
        if status.st_uid not in (0, os.geteuid(), _OUTSIDE):
            return f"another user can replace it, because {above} belongs to the user with the number {status.st_uid}"
        if status.st_mode & stat.S_ISVTX:
            continue  # as /tmp: everybody can write there, but not remove what is another's
        if status.st_mode & stat.S_IWOTH:
            return f"others can replace it, because everybody can write to {above}"
        if status.st_mode & stat.S_IWGRP and status.st_gid not in (0, os.getegid(), _OUTSIDE):
            return f"others can replace it, because the group with the number {status.st_gid} can write to {above}"
    return ""


def place_of(source: str) -> str | None:
    """The folder for the machine code of a kernel in the file ``source``, None where there is none.

    Kernels of other folders than the package's are kept by the state of all files beside theirs, too.
    """
    folder, file = cache_folder(), Path(source)
    if folder is None or file.is_relative_to(PACKAGE) or not file.is_file():
        return folder
    return str(Path(folder) / _fingerprint_beside(file.parent))


@cache
def _fingerprint_beside(folder: Path) -> str:
    return fingerprint_of_files(sorted(folder.glob("*.py")))


class _Locator(UserProvidedCacheLocator):
    """The chosen folder, which need not be writable where it is only read."""

    def ensure_cache_path(self) -> None:
        """Make the folder. OSError where it cannot be written."""
        if READ_ONLY not in os.environ:
            super().ensure_cache_path()


class _CacheFiles(CompileResultCacheImpl):
    _locator_classes: ClassVar[list[type]] = [_Locator]


class KernelCache(FunctionCache):
    """Numba's cache of one kernel, which compiles again where a file is damaged, and goes on where the disk is full."""

    _impl_class = _CacheFiles

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        locator, base = self._impl.locator, self._impl.filename_base
        self._cache_file = _CheckedFile(self._cache_path, base, locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the machine code for a signature; None, and one line on stderr, where it is to be compiled."""
        loaded = None
        try:
            loaded = super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling raises, and LLVM: the file is damaged
            with suppress(OSError):
                self.flush()
        if loaded is None:
            _announce()
        return loaded

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code where there is room; Numba would raise its OSError in the midst of a game."""
        with suppress(OSError):
            super().save_overload(sig, data)


@cache
def _announce() -> None:
    """Say that this process waits for the compiler, unless another one has just said so (the workers of one command).

    What a strategy's process writes is the strategy's, so that it says nothing.
    """
    folder = cache_folder()
    if folder is None or READ_ONLY in os.environ:
        return
    marker = Path(folder) / "announced"
    with suppress(OSError):
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            if time.time() - marker.stat().st_mtime < _SECONDS_OF_ONE_START:
                return
            marker.touch()
    print(
        f"planetwars-env compiles its kernels for this computer (seconds, once); they stay in {folder}", file=sys.stderr
    )


class _CheckedFile(IndexDataCacheFile):
    """Files that end with a digest of themselves: a changed byte of machine code would be run otherwise."""

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return data + hashlib.sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        data = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
            raise ValueError(f"{name} is damaged")
        return super()._load_data(name)


def user_cache() -> Path:
    """Return the folder that the package keeps things of this user in, which may be removed."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "planetwars-env"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "planetwars-env"
    return Path.home() / ".cache" / "planetwars-env"
