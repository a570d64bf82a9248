"""What this machine can confine a strategy with beyond limits: bubblewrap, user namespaces, or nothing."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from enum import Enum
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
JAIL = PACKAGE / "arena" / "jail.py"
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime")


class Sandbox(Enum):
    """How files and the network are kept from a strategy; the text says it to people."""

    BUBBLEWRAP = "bubblewrap: no network, and no files but Python's, this package's and the strategy's own"
    NAMESPACES = "user namespaces: no network, and no files but Python's, this package's and the strategy's own"
    NONE = (
        "none: this machine has neither bubblewrap nor user namespaces, so strategies are limited in time and memory, but "
        "may read files and use the network"
    )


@cache
def find_sandbox() -> Sandbox:
    """The best one that works here, tried once a process."""
    for sandbox in (Sandbox.BUBBLEWRAP, Sandbox.NAMESPACES):
        if _works(sandbox):
            return sandbox
    return Sandbox.NONE


def jail_command(plan: dict[str, object]) -> list[str]:
    """The command that runs a plan (jail.py)."""
    return [sys.executable, "-I", "-S", str(JAIL), json.dumps(plan)]


def confined(program: list[str], sandbox: Sandbox, visible: list[str]) -> list[str]:
    """The program, inside bubblewrap where that is the sandbox."""
    if sandbox is not Sandbox.BUBBLEWRAP:
        return program
    shown = [part for path in visible if Path(path).exists() for part in _bubble(path)]
    walls = ["--unshare-all", "--die-with-parent", "--new-session", "--dev", "/dev", "--tmpfs", "/strategy"]
    # The package's own fork lives on in process 2; bubblewrap's process 1 reaps what it leaves.
    return [str(shutil.which("bwrap")), *walls, *shown, "--chdir", "/strategy", "--", *program]


def visible_paths(strategy: str) -> list[str]:
    """What a strategy may read: the system's libraries, Python with its packages, this package, and its own file.

    A strategy given as module:Class may read everything that Python finds modules in.
    """
    paths = [*_SYSTEM, sys.base_prefix, sys.prefix, str(Path(sys.executable).resolve().parent)]
    paths += [path for path in sys.path if "site-packages" in path]
    paths += [strategy] if strategy.endswith(".py") else [path for path in sys.path if path and Path(path).is_dir()]
    return _outermost([*paths, str(PACKAGE)])


def _outermost(paths: list[str]) -> list[str]:
    """The paths, each once, without those that lie within another."""
    kept: list[str] = []
    for path in sorted(dict.fromkeys(paths), key=len):
        if path != "/" and not any(Path(path).is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def _bubble(path: str) -> list[str]:
    """Links to folders are copied, links to files are those files."""
    here = Path(path)
    return (
        ["--symlink", str(here.readlink()), path] if here.is_symlink() and here.is_dir() else ["--ro-bind", path, path]
    )


def _works(sandbox: Sandbox) -> bool:
    if sandbox is Sandbox.BUBBLEWRAP and shutil.which("bwrap") is None:
        return False
    visible = visible_paths(str(JAIL))
    plan: dict[str, object] = {
        "program": confined([sys.executable, "-I", "-S", "-c", "pass"], sandbox, visible),
        "environment": {},
        "folder": tempfile.gettempdir(),
        "limits": {},
        "visible": visible,
        "namespaces": sandbox is Sandbox.NAMESPACES,
        "channel": 3,
    }
    nobody, leash = os.pipe()
    channel = os.open(os.devnull, os.O_RDONLY)
    plan["channel"] = channel
    try:
        answer = subprocess.run(
            jail_command(plan), stdin=nobody, capture_output=True, pass_fds=[channel], timeout=20, check=False
        )
        return answer.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        for fd in (nobody, leash, channel):
            os.close(fd)
