"""Sandbox of this machine for strategies: user namespaces, bubblewrap or none."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType

from planetwars_env.arena.confinement.namespaces import CONFINED
from planetwars_env.arena.confinement.supervisor import FILES
from planetwars_env.engine.kernel_cache import cache_folder
from planetwars_env.engine.sources import PACKAGE
from planetwars_env.shipped import data_root

_ARENA = PACKAGE / "arena"
_START = "import sys; sys.path.append(sys.argv.pop()); from confinement.supervisor import main; sys.exit(main())"
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
"""Debian keeps in /etc/alternatives which installed Java is called java, and its settings in /etc/java-17-openjdk or alike."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


class Sandbox(Enum):
    """Kinds of sandboxes; the value is the text for users."""

    NAMESPACES = "user namespaces: no network, and no files but Python's, this package's and the strategy's own"
    BUBBLEWRAP = "bubblewrap: no network, and no files but Python's, this package's and the strategy's own"
    NONE = (
        "none (--unsafe): strategies run with all your rights. They can read, change and delete your files, use the network, "
        "and go on after the end. They can forge these results, before and after their games"
    )


class NoSandboxError(ValueError):
    """No sandbox on this machine, and no ``unsafe`` to run strategies without one."""


@cache
def find_sandbox() -> Sandbox:
    """Return the best sandbox that works here; it is tried once per process."""
    for sandbox in (Sandbox.NAMESPACES, Sandbox.BUBBLEWRAP):
        if _works(sandbox):
            return sandbox
    return Sandbox.NONE


def choose_sandbox(unsafe: bool = False) -> Sandbox:
    """Return the best sandbox that works here; NoSandboxError if there is none, unless ``unsafe``."""
    sandbox = find_sandbox()
    if sandbox is Sandbox.NONE and not unsafe:
        raise NoSandboxError(
            "this machine has neither user namespaces nor bubblewrap (bwrap), so a strategy from a file could reach "
            "your files and the network: install bubblewrap, or run it with all your rights by --unsafe"
        )
    return sandbox


def supervisor_command(channel: int) -> list[str]:
    """Return the command of a supervisor, which reads its plan from standard input."""
    return [sys.executable, "-I", "-S", "-c", _START, str(channel), str(_ARENA)]


def confined(
    program: list[str], sandbox: Sandbox, visible: list[str], hidden: list[str], other_language: bool = False
) -> list[str]:
    """Return the program's command, inside bubblewrap if that is the sandbox.

    ``other_language``: it is a program that runs in the folder of its files and sees its own processes in /proc.
    """
    if sandbox is not Sandbox.BUBBLEWRAP:
        return program
    binds: list[str] = []
    for path in filter(Path.exists, map(Path, visible)):  # links to folders stay links
        link = path.is_symlink() and path.is_dir()
        binds += ["--symlink", str(path.readlink()), str(path)] if link else ["--ro-bind", str(path), str(path)]
    binds += ["--ro-bind", FILES, FILES]
    devices = [part for path in _DEVICES for part in ("--dev-bind", path, path)]
    emptied = [part for path in hidden for part in ("--size", "4096", "--tmpfs", path, "--remount-ro", path)]
    devices += ["--proc", "/proc"] if other_language else []
    walls = ["--unshare-all", "--die-with-parent", "--new-session"]
    own = ["--size", str(16 * 2**20), "--tmpfs", CONFINED, "--remount-ro", "/"]
    own += ["--chdir", FILES if other_language else CONFINED]
    # The program lives in process 2; bubblewrap's process 1 reaps what it leaves.
    return [str(shutil.which("bwrap")), *walls, *binds, *devices, *emptied, *own, "--", *program]


def visible_paths() -> list[str]:
    """Return the paths that a strategy may read: system libraries, Python, its packages, this package and its machine code.

    The supervisor adds the folder with the strategy's own files.
    """
    paths = [*_SYSTEM, *map(str, Path("/etc").glob("java*")), sys.base_prefix, sys.prefix]
    paths += [str(Path(sys.executable).resolve().parent), str(PACKAGE)]
    paths += [path for path in sys.path if "site-packages" in path]
    paths += map(os.path.realpath, list(paths))  # a link needs what it leads to
    paths += filter(None, [cache_folder()])
    outermost: list[str] = []  # each once, and none within another
    for path in sorted(dict.fromkeys(paths), key=len):
        if path != "/" and not any(Path(path).is_relative_to(other) for other in outermost):
            outermost.append(path)
    return outermost


def hidden_paths(visible: list[str]) -> list[str]:
    """Return the folders of the shipped graphs and agents within the visible paths, which are hidden from strategies.

    An installation in development has them twice: pip puts those of the wheel beside the link to the checkout.
    """
    kinds = "graphs", "agents"
    installed = [Path(place, "planetwars_env", "_data", kind) for place in sys.path if place for kind in kinds]
    folders = [*(data_root(kind) for kind in kinds), *installed]
    present = [path for path in folders if path.is_dir() and any(path.is_relative_to(one) for one in visible)]
    return list(dict.fromkeys(map(str, present)))


def _works(sandbox: Sandbox) -> bool:
    if sandbox is Sandbox.BUBBLEWRAP and shutil.which("bwrap") is None:
        return False
    channel = os.open(os.devnull, os.O_RDONLY)
    plan = make_plan([sys.executable, "-I", "-S", "-c", "pass"], sandbox, channel)
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


def make_plan(
    command: list[str],
    sandbox: Sandbox,
    channel: int,
    other_language: bool = False,
    environment: Mapping[str, str] = MappingProxyType({}),
    limits: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, object]:
    """Return the supervisor's plan (confinement/supervisor.py) for a command; ``limits``: of resources, by name."""
    visible = visible_paths()
    hidden = hidden_paths(visible)
    return {
        "program": confined(command, sandbox, visible, hidden, other_language),
        "environment": dict(environment),
        "folder": tempfile.gettempdir(),
        "limits": dict(limits),
        "visible": visible,
        "hidden": hidden,
        "other_language": other_language,
        "namespaces": sandbox is Sandbox.NAMESPACES,
        "confined": sandbox is not Sandbox.NONE,
        "channel": channel,
        "owner": os.getpid(),
    }


def start_supervisor(
    plan: dict[str, object], output: int, files: Mapping[str, bytes] = MappingProxyType({})
) -> "subprocess.Popen[bytes]":
    """Start a supervisor with a parent pipe as its standard input, in its own session, out of reach of Ctrl-C.

    ``files``: of the strategy. The supervisor alone writes them to a folder, so nothing of a killed owner is left behind.
    """
    channel = plan["channel"]
    assert isinstance(channel, int)
    supervisor = subprocess.Popen(
        supervisor_command(channel),
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        pass_fds=[channel],
        start_new_session=True,
        env={"PATH": os.defpath},
    )
    assert supervisor.stdin is not None
    head = {**plan, "files": [[path, len(data)] for path, data in files.items()]}
    with suppress(OSError):  # one that ended is noticed by its silence
        supervisor.stdin.write(json.dumps(head).encode() + b"\n" + b"".join(files.values()))
        supervisor.stdin.flush()
    return supervisor


def end_supervisor(supervisor: "subprocess.Popen[bytes]") -> None:
    """Close the parent pipe, and wait until the supervisor has ended everything and removed its folder."""
    assert supervisor.stdin is not None
    supervisor.stdin.close()
    try:
        supervisor.wait(8)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()
