"""Sandboxes of this machine for strategies, beyond limits: bubblewrap, user namespaces, or nothing."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from enum import Enum
from functools import cache
from pathlib import Path

from planetwars_env.arena.confinement.namespaces import CONFINED
from planetwars_env.engine.sources import PACKAGE
from planetwars_env.shipped import data_root

_ARENA = PACKAGE / "arena"
_START = "import sys; sys.path.append(sys.argv.pop()); from confinement.supervisor import main; sys.exit(main())"
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


class Sandbox(Enum):
    """Means that keep files and the network from a strategy; the text describes it to people."""

    NAMESPACES = "user namespaces: no network, and no files but Python's, this package's and the strategy's own"
    BUBBLEWRAP = "bubblewrap: no network, and no files but Python's, this package's and the strategy's own"
    NONE = (
        "none (--unsafe): strategies run with all your rights. They can read, change and delete your files, use the network, "
        "and go on after the end. They can forge these results, before and after their games"
    )


class NoSandboxError(ValueError):
    """A machine that cannot confine strategies, and nobody has said that they may run all the same."""


@cache
def find_sandbox() -> Sandbox:
    """The best one that works here, tried once a process."""
    for sandbox in (Sandbox.NAMESPACES, Sandbox.BUBBLEWRAP):
        if _works(sandbox):
            return sandbox
    return Sandbox.NONE


def choose_sandbox(unsafe: bool = False) -> Sandbox:
    """The best one that works here; NoSandboxError where there is none, unless ``unsafe`` allows to do without."""
    sandbox = find_sandbox()
    if sandbox is Sandbox.NONE and not unsafe:
        raise NoSandboxError(
            "this machine has neither user namespaces nor bubblewrap (bwrap), so nothing keeps a strategy from a file from "
            "your files and the network: install bubblewrap, or run it with all your rights by --unsafe"
        )
    return sandbox


def supervisor_command(plan: dict[str, object]) -> list[str]:
    """The command that runs a plan (confinement/supervisor.py)."""
    return [sys.executable, "-I", "-S", "-c", _START, json.dumps(plan), str(_ARENA)]


def confined(program: list[str], sandbox: Sandbox, visible: list[str], hidden: list[str]) -> list[str]:
    """The program, inside bubblewrap where that is the sandbox."""
    if sandbox is not Sandbox.BUBBLEWRAP:
        return program
    shown = [part for path in visible if Path(path).exists() for part in _bubble(path)]
    devices = [part for path in _DEVICES for part in ("--dev-bind", path, path)]
    emptied = [part for path in hidden for part in ("--size", "4096", "--tmpfs", path, "--remount-ro", path)]
    walls = ["--unshare-all", "--die-with-parent", "--new-session"]
    own = ["--size", str(16 * 2**20), "--tmpfs", CONFINED, "--remount-ro", "/", "--chdir", CONFINED]
    # The program lives in process 2; bubblewrap's process 1 reaps what it leaves.
    return [str(shutil.which("bwrap")), *walls, *shown, *devices, *emptied, *own, "--", *program]


def visible_paths(strategy: str) -> list[str]:
    """Paths that a strategy may read: the system's libraries, Python with its packages, this package, and its own file.

    A strategy given as module:Class may read everything that Python finds modules in.
    """
    paths = [*_SYSTEM, sys.base_prefix, sys.prefix, str(Path(sys.executable).resolve().parent)]
    paths += [str(PACKAGE), *(path for path in sys.path if "site-packages" in path)]
    paths += map(os.path.realpath, list(paths))  # a link needs what it leads to
    paths += [strategy] if strategy.endswith(".py") else [path for path in sys.path if path and Path(path).is_dir()]
    return _outermost(paths)


def hidden_paths(visible: list[str]) -> list[str]:
    """The folders with the shipped graphs and agents, as far as they lie in what is visible.

    An installation in development has them twice: pip puts those of the wheel beside the link to the checkout.
    """
    kinds = "graphs", "agents"
    installed = [Path(place, "planetwars_env", "_data", kind) for place in sys.path if place for kind in kinds]
    folders = [*(data_root(kind) for kind in kinds), *installed]
    shown = [path for path in folders if path.is_dir() and any(path.is_relative_to(one) for one in visible)]
    return list(dict.fromkeys(map(str, shown)))


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
    visible = visible_paths(__file__)
    hidden = hidden_paths(visible)
    channel = os.open(os.devnull, os.O_RDONLY)
    plan: dict[str, object] = {
        "program": confined([sys.executable, "-I", "-S", "-c", "pass"], sandbox, visible, hidden),
        "environment": {},
        "folder": tempfile.gettempdir(),
        "limits": {},
        "visible": visible,
        "hidden": hidden,
        "namespaces": sandbox is Sandbox.NAMESPACES,
        "confined": True,
        "channel": channel,
        "owner": os.getpid(),
    }
    try:
        supervisor = start_supervisor(plan, subprocess.DEVNULL)
    except OSError:
        return False
    finally:
        os.close(channel)
    try:
        return supervisor.wait(20) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        end_supervisor(supervisor)


def start_supervisor(plan: dict[str, object], output: int) -> "subprocess.Popen[bytes]":
    """A supervisor with a parent pipe as its standard input, in a session of its own, out of reach of Ctrl-C."""
    channel = plan["channel"]
    assert isinstance(channel, int)
    return subprocess.Popen(
        supervisor_command(plan),
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        pass_fds=[channel],
        start_new_session=True,
        env={"PATH": os.defpath},
    )


def end_supervisor(supervisor: "subprocess.Popen[bytes]") -> None:
    """Close the parent pipe, and wait until the supervisor has ended everything and removed its folder."""
    assert supervisor.stdin is not None
    supervisor.stdin.close()
    try:
        supervisor.wait(8)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()
