"""A Ray of a test's own, with some worker processes, beside the program that plays on it."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from planetwars_env.arena.confinement.processes import descendants


@contextmanager
def local_ray(workers: int) -> Iterator[str]:
    """Start a Ray with this many processors; give its address, and end it with the block."""
    ray = Path(sys.executable).with_name("ray")
    # Ray's sockets want a short path.
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as place:
        port, client = free_port(), free_port()
        command = [str(ray), "start", "--head", "--block", "--include-dashboard=false", f"--num-cpus={workers}"]
        command += [f"--port={port}", f"--ray-client-server-port={client}", f"--temp-dir={place}"]
        head = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"}
        )
        try:
            assert head.stdout is not None
            assert any("Ray runtime started" in line for line in head.stdout), "Ray did not start"
            yield f"127.0.0.1:{port}"
        finally:
            head.terminate()  # it ends its children
            head.wait(60)


def kill_a_worker(task: str) -> bool:
    """Kill one worker that runs ``task`` on a Ray of this process; whether there was one."""
    for process in descendants(os.getpid()):
        with suppress(OSError):  # it has ended
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(f"ray::{task}".encode()):
                os.kill(process, signal.SIGKILL)
                return True
    return False


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
