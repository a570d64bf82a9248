"""Description of the machine that the figures were measured on."""

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("planetwars-env", "numba", "numpy", "gymnasium", "stable-baselines3", "sb3-contrib", "torch")
_SPIN = """
import time
clock, processor = time.perf_counter(), time.process_time()
while time.perf_counter() < clock + 0.5: pass
print((time.process_time() - processor) / (time.perf_counter() - clock))
"""


def free_cores(processes: int) -> float:
    """Return the number of cores that ``processes`` spinning processes get; fewer where the machine is busy."""
    line = [sys.executable, "-S", "-c", _SPIN]
    spinning = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    return round(sum(float(process.communicate()[0]) for process in spinning), 2)


def machine() -> dict[str, Any]:
    """Return date, commit, processor, cores that this process may use, load, system and versions."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        **({"commit": commit} if (commit := _commit()) else {}),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": _load(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: found for package in _PACKAGES if (found := _version(package))},
    }


def _commit() -> str | None:
    """Return the commit of the checkout that holds this package, with a plus sign where files differ; None outside one."""
    line = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def _processor() -> str:
    """Return the name in /proc/cpuinfo, where it exists."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _load() -> float | None:
    """Return the load average of the last minute; above 1, other processes disturb the measurement."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
