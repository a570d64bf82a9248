"""Processes that train one agent together: each plays its own games, and all average their gradients.

They are started by torchrun, by another launcher that sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or by `started_group`
itself. Process 0 leads: it alone reads and writes files, evaluates and ends the run. Without a group there is only process 0.
"""

import errno
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, distributed, nn
from torch.distributed import FileStore  # pyright: ignore[reportPrivateImportUsage] (documented)

from planetwars_env.engine.state import Array

_TIMEOUT = timedelta(minutes=10)
"""Longest wait for another process within an update. A process that ends is noticed at once."""
_PATIENCE = timedelta(days=30)  # Longest wait between updates, for process 0, which may be evaluating
_STORE = "PLANETWARS_STORE"
"""Environment variable of a process that `started_group` has started: the file by which the processes find each other."""
_INTERFACE = "GLOO_SOCKET_IFNAME"
_FOLLOW = "from planetwars_env.learn.run import follow; follow()"

_groups: dict[str, Any] = {}  # Beside torch's own group: "patient", with `_PATIENCE`, and "cuda", for tensors on GPUs


def rank() -> int:
    """Return the number of this process."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def size() -> int:
    """Return the number of processes."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def launched() -> tuple[int, int]:
    """Return this process's number and the number of processes, as a launcher has set them; 0 and 1 without a launcher."""
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def own_seed(*numbers: int) -> int:
    """Return a seed for this process made of ``numbers``; process 0 has a single number as it is."""
    if rank() == 0 and len(numbers) == 1:
        return numbers[0]
    return int(np.random.SeedSequence([rank(), *numbers]).generate_state(1)[0])


def own_device(name: str) -> str:
    """Return this process's device: of several processes with "cuda" each has the GPU of its number on the machine."""
    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if name == "cuda" and size() > 1 else name


@contextmanager
def started_group(count: int) -> Iterator[None]:
    """Lead ``count`` processes during the block: those of the launcher, else new ones on this machine."""
    with ExitStack() as stack:
        if launched()[1] > 1:
            stack.enter_context(joined_group())
        elif count > 1:
            folder = stack.enter_context(TemporaryDirectory(prefix="planetwars-", ignore_cleanup_errors=True))
            path = f"{folder}/store"
            store = FileStore(path, count)
            followers = [stack.enter_context(_follower(i, count, path)) for i in range(1, count)]
            while store.add("started", 0) < count - 1:
                if any(follower.poll() is not None for follower in followers):
                    raise ConnectionError(errno.ECONNRESET, "a process of the run has ended at its start")
                time.sleep(0.02)
            stack.enter_context(_group(0, count, store))
        yield


@contextmanager
def joined_group() -> Iterator[None]:
    """Be one of the processes of a launcher, or of `started_group`, during the block."""
    path = os.environ.get(_STORE)
    store = FileStore(path, launched()[1]) if path else None
    if store:
        store.add("started", 1)
    try:
        with _group(*launched(), store):
            yield
    finally:
        if path:
            shutil.rmtree(Path(path).parent, ignore_errors=True)  # process 0 may have been killed


@contextmanager
def _follower(i: int, count: int, store: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run process i, in a session of its own, which Ctrl-C in a terminal does not reach."""
    numbers = {"RANK": str(i), "LOCAL_RANK": str(i), "WORLD_SIZE": str(count), _STORE: store}
    environment = {**os.environ, **numbers, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", _FOLLOW], env=environment, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _group(own: int, count: int, store: Any) -> Iterator[None]:
    """Connect the processes during the block; those that find each other by ``store`` through this machine's loopback only."""
    place = {"store": store} if store else {}
    before = os.environ.get(_INTERFACE)
    if store and sys.platform != "win32":
        os.environ[_INTERFACE] = next(name for _, name in socket.if_nameindex() if name.startswith("lo"))
    with _connected():
        distributed.init_process_group("gloo", rank=own, world_size=count, timeout=_TIMEOUT, **place)
        _groups["patient"] = distributed.new_group(backend="gloo", timeout=_PATIENCE)
    try:
        yield
    finally:
        _groups.clear()
        distributed.destroy_process_group()
        os.environ.pop(_INTERFACE, None)
        os.environ.update({_INTERFACE: before} if before else {})


@contextmanager
def _connected() -> Iterator[None]:
    """Raise ConnectionError in place of the error of a backend whose other end is gone."""
    try:
        yield
    except RuntimeError as fault:
        raise ConnectionError(errno.ECONNRESET, "a process of the run has ended or does not answer") from fault


def announce(value: Any = None) -> Any:
    """Return the ``value`` of process 0 in every process."""
    values = [value]
    if size() > 1:
        with _connected():
            distributed.broadcast_object_list(values, 0, _groups["patient"])
    return values[0]


def collected(value: Any) -> list[Any]:
    """Return the ``value`` of every process, by their numbers, in process 0, and an empty list in the others."""
    if size() == 1:
        return [value]
    values = [None] * size() if rank() == 0 else None
    with _connected():
        distributed.gather_object(value, values, 0, _groups["patient"])
    return values or []


def shared(value: Any) -> list[Any]:
    """Return the ``value`` of every process, by their numbers, in every process."""
    if size() == 1:
        return [value]
    values = [None] * size()
    with _connected():
        distributed.all_gather_object(values, value)
    return values


def total(values: Tensor) -> Tensor:
    """Return the sum of the ``values`` of all processes, in place."""
    if size() > 1:
        with _connected():
            if values.is_cuda and "cuda" not in _groups:
                _groups["cuda"] = distributed.new_group(backend="nccl", timeout=_TIMEOUT)
            distributed.all_reduce(values, group=_groups["cuda"] if values.is_cuda else None)
    return values


def moments(values: Array) -> tuple[float, float]:
    """Return mean and standard deviation of the ``values`` of all processes; zeros where there are none."""
    wide = values.astype(np.float64)
    sums = torch.tensor([values.size, wide.sum(), (wide * wide).sum()], dtype=torch.float64)
    count, first, second = total(sums).tolist()
    mean = first / max(1, count)
    return mean, max(0.0, second / max(1, count) - mean * mean) ** 0.5


def average_gradients(network: nn.Module, metrics: Tensor, weight: int) -> Tensor:
    """Replace the gradients by their means over all processes, each with its ``weight``; return the means of ``metrics``."""
    if size() == 1:
        return metrics
    parameters = list(network.parameters())
    parts = [torch.zeros_like(parameter) if parameter.grad is None else parameter.grad for parameter in parameters]
    parts += [metrics, metrics.new_ones(1)]
    flat = total(torch.cat([part.flatten() for part in parts]) * weight)
    *means, metrics, _ = (flat / flat[-1]).split([part.numel() for part in parts])
    for parameter, mean in zip(parameters, means, strict=True):
        parameter.grad = mean.view_as(parameter)
    return metrics
