"""Sandbox of this machine for strategies: user namespaces, Landlock or none."""

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType

from planetwars_env.arena.confinement.walls import HAS_FILTER
from planetwars_env.engine.kernel_cache import cache_folder
from planetwars_env.engine.sources import PACKAGE
from planetwars_env.shipped import data_root

_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
"""Debian keeps in /etc/alternatives which installed Java is called java, and its settings in /etc/java-17-openjdk or alike."""
_SEEN = "no network, and no files but Python's, this package's and the strategy's own"
LOG = 8_000
"""Characters of a strategy's output that are kept, the last ones."""
_CALLS = ", and a filter of system calls" if HAS_FILTER else ""


class Sandbox(Enum):
    """Kinds of sandboxes; the value is the text for users."""

    NAMESPACES = f"user namespaces{_CALLS}: {_SEEN}"
    LANDLOCK = f"Landlock{_CALLS}: {_SEEN}; whether another file exists can be found out"
    NONE = (
        "none (--unsafe): strategies run with all your rights. They can read, change and delete your files, use the network, "
        "and go on after the end. They can forge these results, before and after their games"
    )


class NoSandboxError(ValueError):
    """No sandbox on this machine, and no ``unsafe`` to run strategies without one."""


@cache
def find_sandbox() -> Sandbox:
    """Return the best sandbox that works here; it is tried once per process."""
    return next(filter(_works, (Sandbox.NAMESPACES, Sandbox.LANDLOCK)), Sandbox.NONE)


def choose_sandbox(unsafe: bool = False) -> Sandbox:
    """Return the best sandbox that works here; NoSandboxError if there is none, unless ``unsafe``."""
    sandbox = find_sandbox()
    if sandbox is Sandbox.NONE and not unsafe:
        raise NoSandboxError(
            "this machine has neither user namespaces nor Landlock (Linux 6.2), so a strategy from a file could reach your "
            "files and the network: allow one of them, or run it with all your rights by --unsafe"
        )
    return sandbox


def visible_paths() -> list[str]:
    """Return the paths that a strategy may read: system libraries, Python, its packages, this package and its machine code."""
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


def _works(sandbox: Sandbox) -> bool:
    if sandbox is Sandbox.LANDLOCK and not HAS_FILTER:  # which keeps the network away
        return False
    with suppress(OSError):
        supervisor = Supervisor([sys.executable, "-I", "-S", "-c", "pass"], sandbox)
        with supervisor.start():
            status = supervisor.status(20)
        supervisor.close()
        return status == 0
    return False


class Supervisor:
    """A supervisor's process (confinement/supervisor.py), in its own session, out of reach of Ctrl-C. It ends with its owner.

    ``modules``: those that every game begins with; the first has the function `main` that plays, with the ``command`` as
    arguments. Without them the command is a program. ``limits``: of resources, by name; ``files``: of the strategy;
    ``folder``: where temporary ones are made. ``printed``: the end of what it and the strategy printed.
    """

    def __init__(
        self,
        command: Sequence[str],
        sandbox: Sandbox,
        files: Mapping[str, bytes] = MappingProxyType({}),
        modules: Sequence[str] = (),
        environment: Mapping[str, str] = MappingProxyType({}),
        limits: Mapping[str, int] = MappingProxyType({}),
        folder: str | None = None,
    ) -> None:
        environment, visible = {"PATH": os.defpath, "LANG": "C.UTF-8", **environment}, visible_paths()
        # An installation in development has the folders twice: pip puts those of the wheel beside the link to the checkout.
        kinds = "graphs", "agents"
        shipped = [Path(place, "planetwars_env", "_data", kind) for place in sys.path for kind in kinds]
        shipped += map(data_root, kinds)
        confined, self.program = sandbox is not Sandbox.NONE, not modules
        self.alone = confined and HAS_FILTER and not self.program
        plan = {
            "program": list(command),
            "modules": list(modules),
            "folder": folder or tempfile.gettempdir(),
            # Threads of a strategy that can start no process are counted by looking.
            "limits": {name: most for name, most in limits.items() if not (self.alone and name == "RLIMIT_NPROC")},
            "visible": visible,
            "hidden": [str(path) for path in shipped if path.is_dir() and any(map(path.is_relative_to, visible))],
            "sandbox": sandbox.name,
            "owner": os.getpid(),
            "files": [[path, len(data)] for path, data in files.items()],
        }
        paths = [PACKAGE.parent, *(Path(path) for path in sys.path if path and Path(path).is_dir())]
        if confined:  # the others are those of the user
            paths = [path for path in paths if any(map(path.is_relative_to, [*visible, PACKAGE.parent]))]
        self._control, theirs = socket.socketpair()
        log, output = os.pipe()
        os.set_blocking(log, False)
        self.log, self.printed, self._playing = os.fdopen(log, "rb", 0), b"", False
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-u", "-m", "planetwars_env.arena.confinement.supervisor"],
                stdin=theirs.fileno(),
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**environment, "PYTHONPATH": os.pathsep.join(map(str, dict.fromkeys(paths)))},
            )
        os.close(output)
        with suppress(OSError):  # one that ended is noticed by its silence
            self._control.sendall(json.dumps(plan).encode() + b"\n" + b"".join(files.values()))

    @property
    def lives(self) -> bool:
        """Whether it can start a game."""
        return self.process.poll() is None and not self._playing

    def start(self) -> socket.socket:
        """Start a game and return its channel."""
        ours, theirs = socket.socketpair()
        with theirs, suppress(OSError):
            socket.send_fds(self._control, [b"+"], [theirs.fileno()])
        self._playing = True
        return ours

    def read_log(self) -> bool:
        """Add to ``printed`` all that the pipe holds; False at its end."""
        part = None if self.log.closed else self.log.read(1 << 16)  # as much as a pipe holds
        self.printed = (self.printed + (part or b""))[-LOG:]
        return part != b""

    def said(self) -> str:
        """Return what was printed, as far as ``printed`` holds it."""
        self.read_log()
        return self.printed.decode(errors="replace")

    def status(self, seconds: float) -> int | None:
        """Wait for the end of the game and return its exit status; None where there is none in ``seconds``."""
        answer = b""
        if self._playing and select.select([self._control], [], [], seconds)[0]:
            with suppress(OSError):
                answer = self._control.recv(1)
        self._playing = self._playing and not answer
        return answer[0] if answer else None

    def end(self) -> None:
        """End the game, with everything that was started in it."""
        if self._playing and self.status(0) is None:
            with suppress(OSError):
                self._control.send(b"-")
            if self.status(8) is None:
                self.close()

    def close(self) -> None:
        """End the supervisor, with everything that was started."""
        self._playing = False
        self._control.close()
        try:
            self.process.wait(8)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.read_log()
        self.log.close()
