"""Interruption of a training run by Ctrl-C or SIGTERM, once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def single_interruption() -> Iterator[Callable[[], None]]:
    """Raise KeyboardInterrupt at the first SIGINT or SIGTERM during the block and ignore all further ones.

    A terminal and torchrun may both send them. The function given ignores all from now on. Signals with handlers of somebody
    else, and threads other than the main one, are left as they are.
    """
    heeding = True

    def ignore() -> None:
        nonlocal heeding
        heeding = False

    def handle(*_: object) -> None:
        if heeding:
            ignore()
            raise KeyboardInterrupt

    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    ours = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    if threading.current_thread() is not threading.main_thread():
        ours = []
    for number in ours:
        signal.signal(number, handle)
    try:
        yield ignore
    finally:
        for number in ours:
            signal.signal(number, usual[number])
