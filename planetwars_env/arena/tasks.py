"""Tasks of a tournament, a grading or a ladder: over the processors of this machine, or over a Ray cluster.

`finished_tasks` spreads them over joblib's processes; inside ``with ray_cluster(address):`` over the cluster, where a task
runs again if its worker or its machine was lost.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib._parallel_backends import LokyBackend
from joblib.parallel import get_active_backend

from planetwars_env.shipped import pip_line

_RETRIES = 10
"""Losses of a worker that one task survives."""
_WAITING = 2
"""Tasks that are handed out per processor of the cluster, so that none waits for the next one."""

_joined: ContextVar[bool] = ContextVar("joined", default=False)

Shared = TypeVar("Shared")
Argument = TypeVar("Argument")
Answer = TypeVar("Answer")


@contextmanager
def ray_cluster(address: str | None) -> Iterator[None]:
    """Join the Ray cluster at ``address`` until the block ends; None changes nothing.

    ``address``: "host:6379", "auto" for the Ray that runs on this machine, or "local" for one that starts and ends with the
    block. ValueError where Ray is not installed or cannot be joined.
    """
    if address is None:
        yield
        return
    if find_spec("ray") is None:
        raise ValueError(f"a cluster needs Ray, which is not installed: {pip_line('cluster')}")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    try:
        more: Any = {"include_dashboard": False} if address == "local" else {}
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **more)
    except (ConnectionError, RuntimeError, ValueError) as fault:
        raise ValueError(
            f"no Ray can be joined at {address} ({str(fault).strip().partition(chr(10))[0]}). Start one by 'ray start "
            "--head', with the same versions of Python and Ray and the same RAY_AUTH_MODE as here, and name it as HOST:6379"
        ) from None
    token = _joined.set(True)
    try:
        yield
    finally:
        _joined.reset(token)
        ray.shutdown()


def finished_tasks(
    task: Callable[[Shared, Argument], Answer], shared: Shared, arguments: Iterable[Argument], jobs: int = -1
) -> Generator[Answer, None, None]:
    """Yield ``task(shared, argument)`` of every argument as soon as each is done, in any order.

    ``jobs``: tasks that run at a time, -1 for one per processor. Errors of tasks pass. Where that happens, or the generator
    is closed early, the other tasks are cancelled.
    """
    if _joined.get():
        yield from _on_ray(task, shared, iter(arguments), jobs)
        return
    options: Any = {"n_jobs": jobs, "batch_size": 1, "return_as": "generator_unordered", "pre_dispatch": "3*n_jobs"}
    if isinstance(get_active_backend()[0], LokyBackend):
        options |= {"initializer": _end_with, "initargs": (os.getpid(),)}
    workers: Any = Parallel(**options)
    here = Path.cwd()
    yield from workers(delayed(_run_in)(here, task, shared, argument) for argument in arguments)


def _run_in(folder: Path, task: Callable[[Shared, Argument], Answer], shared: Shared, argument: Argument) -> Answer:
    """Run a task in the owner's current folder, which may have changed since joblib's worker began."""
    os.chdir(folder)
    return task(shared, argument)


def _on_ray(
    task: Callable[[Shared, Argument], Answer], shared: Shared, arguments: Iterator[Argument], jobs: int
) -> Generator[Answer, None, None]:
    import ray
    from ray.exceptions import RayError, RayTaskError

    remote, place = ray.remote(max_retries=_RETRIES)(task), ray.put(shared)
    waiting: set[Any] = set()
    try:
        while True:
            # Without ``jobs`` it follows machines that come and go.
            at_once = jobs if jobs > 0 else max(1, _WAITING * int(ray.cluster_resources().get("CPU", 1)))
            more = islice(arguments, max(0, at_once - len(waiting)))
            waiting |= {remote.remote(place, argument) for argument in more}
            if not waiting:
                return
            done, _ = ray.wait(list(waiting), num_returns=1)
            waiting.difference_update(done)
            yield from ray.get(done)
    except RayTaskError as fault:
        raise (fault.cause if isinstance(fault.cause, Exception) else fault) from None
    except RayError as fault:
        raise ValueError(
            f"lost the Ray cluster ({type(fault).__name__}); finished games are saved: run the same command again"
        ) from fault
    finally:
        for one in waiting:
            with suppress(Exception):  # the cluster itself may be gone
                ray.cancel(one, force=True)


def _end_with(owner: int) -> None:
    """End this worker when ``owner`` ends. joblib's workers wait for minutes, with strategies loaded."""

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
