"""Process that tests are forked from: it holds the large libraries in memory, and nothing of the package.

It is started in a copy of the checkout, reads one job a line from its input (JSON: ``tests``, arguments of pytest;
``environment``, variables to set, or to unset where null; ``cpu``, seconds; ``wall``, seconds) and answers each with a
line: ``ended``, pytest's exit status, "timeout" or "crash"; ``cpu``, seconds used; ``said``, the end of its output.
"""

import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

WARM = ("numpy", "numba", "pytest", "hypothesis", "gymnasium", "networkx", "yaml", "typer", "rich")
MEMORY = 8 << 30
"""Bytes of address space, so that a mutant with a great number fills no machine."""


def main() -> None:
    """Answer jobs until the input ends."""
    sys.path.insert(0, str(Path.cwd()))
    for name in WARM:
        importlib.import_module(name)
    if "planetwars_env" in sys.modules:
        raise RuntimeError("the package was imported before its mutants were made")
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), flush=True)


def _run(job: dict[str, Any]) -> dict[str, Any]:
    log = Path("tests.log")
    child = os.fork()
    if child == 0:
        _be_the_tests(job, log)
    status, used = _wait(child, job["wall"])
    seconds = used.ru_utime + used.ru_stime
    said = log.read_text(encoding="utf-8", errors="replace")[-4000:] if log.is_file() else ""
    return {"ended": _meaning(status), "cpu": round(seconds, 2), "said": said}


def _be_the_tests(job: dict[str, Any], log: Path) -> None:
    try:
        os.setsid()
        _redirect(log)
        for name, value in job["environment"].items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        importlib.import_module("numba.core.config").reload_config()
        sys.dont_write_bytecode = os.environ.get("PYTHONDONTWRITEBYTECODE") == "1"
        resource.setrlimit(resource.RLIMIT_CPU, (job["cpu"], job["cpu"] + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        import pytest

        os._exit(int(pytest.main(job["tests"])))
    except BaseException as fault:  # whatever it is, this process must not read the parent's jobs
        print(fault)
        os._exit(3)


def _redirect(log: Path) -> None:
    """Output into a file, which the parent may read when the group is dead; no input."""
    to = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(to, 1)
    os.dup2(to, 2)


def _wait(child: int, wall: float) -> tuple[int | None, Any]:
    """Its status, None where it took too long, and what it used; nothing that it started is left."""
    end = time.monotonic() + wall
    ended, status, used = os.wait4(child, os.WNOHANG)
    while not ended and time.monotonic() < end:
        time.sleep(0.01)
        ended, status, used = os.wait4(child, os.WNOHANG)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if ended:
        return status, used
    return None, os.wait4(child, 0)[2]


def _meaning(status: int | None) -> int | str:
    if status is None:
        return "timeout"
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "crash"
    return os.WEXITSTATUS(status)


if __name__ == "__main__":
    main()
