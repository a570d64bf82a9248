"""How this process asks for memory: a setting of the C library that learning is an eighth faster with."""

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGE = 1 << 30


def keep_memory() -> None:
    """Let freed memory be used again instead of going back to the system (glibc's mallopt; nothing happens elsewhere).

    An update makes and drops hundreds of tensors of some megabytes, which glibc would map and clear anew every time.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _LARGE)
