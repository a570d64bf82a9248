"""The supervisor of a strategy's process, run in a process of this test's own (test_isolation.py has it as a program)."""

import errno
import json
import os
import resource
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from coverage import Coverage

from planetwars_env.arena.confinement import supervisor, walls
from planetwars_env.arena.confinement.processes import call, descendants, prctl
from planetwars_env.arena.confinement.supervisor import _NO_NEW_PRIVS, temporary_folder
from planetwars_env.arena.sandbox import Sandbox, Supervisor, _works
from support.disks import disk

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="strategies are isolated on Linux")

TELL = """
import json, os, resource, socket, sys
link = socket.socket(fileno=0)
def what(fd):
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return "listing"

told = {
    "folder": os.getcwd(),
    "home": os.environ["HOME"],
    "leader": os.getsid(0) == os.getpid(),
    "input": what(0),
    "others": [what(fd) for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and int(fd) != link.fileno()],
    "limits": {name: resource.getrlimit(getattr(resource, name))[0] for name in ("RLIMIT_NOFILE", "RLIMIT_NPROC")},
    "privileges": open("/proc/self/status").read().split("NoNewPrivs:")[1].split()[0],
}
link.sendall(json.dumps(told).encode())
sys.exit(5)
"""
STRAY = """
import os, socket, time
link = socket.socket(fileno=0)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
link.sendall(f"{os.getpid()} ".encode())
time.sleep(60)
"""


def in_a_child(act: Callable[[], int], pipe: int | None = None) -> int:
    """The process that runs ``act`` and ends with what that returns; ``pipe`` becomes its standard input."""
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        if pipe is not None:
            os.dup2(pipe, 0)
        code = act()
    finally:
        os._exit(code)


def status_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def measured() -> dict[str, str]:
    """The variable that lets a supervisor's coverage be measured, where that of the tests is."""
    coverage = Coverage.current()
    return {"COVERAGE_PROCESS_CONFIG": coverage.config.serialize()} if coverage else {}


class Game:
    """A game of a program under a supervisor, whose folders lie in ``folder``; ``link``: where the program is heard."""

    def __init__(self, folder: Path, program: list[str], sandbox: Sandbox = Sandbox.NONE, **limits: int) -> None:
        self.supervisor = Supervisor(program, sandbox, environment=measured(), limits=limits, folder=str(folder))
        self.link = self.supervisor.start()

    def ends(self) -> int | None:
        """Its exit status; nothing of it is left then."""
        status = self.supervisor.status(10)
        self.link.close()
        self.supervisor.close()
        return status


def python(program: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", program]


def test_the_program_has_a_folder_a_session_and_a_channel_of_its_own_and_nothing_else(tmp_path: Path) -> None:
    started = Game(tmp_path, python(TELL), RLIMIT_NOFILE=1000, RLIMIT_NPROC=50, RLIMIT_OF_NO_SYSTEM=1)
    told = json.loads(started.link.recv(1 << 16))
    assert started.ends() == 5
    assert told["folder"] == told["home"] and Path(told["folder"]).parent.parent == tmp_path
    assert told["leader"] and told["input"].startswith("socket:") and told["others"] == ["listing"]
    assert told["privileges"] == "1"
    assert told["limits"]["RLIMIT_NOFILE"] == 1000
    assert told["limits"]["RLIMIT_NPROC"] > 50  # the processes that this user has anyway come on top
    assert list(tmp_path.iterdir()) == []


def test_the_end_of_a_game_is_the_end_of_all_even_of_who_has_left_the_session(tmp_path: Path) -> None:
    for end in (Supervisor.end, Supervisor.close):
        started = Game(tmp_path, python(STRAY))
        told = b""
        while told.count(b" ") < 2:
            told += started.link.recv(100)
        end(started.supervisor)
        for process in map(int, told.split()):
            with pytest.raises(ProcessLookupError):
                os.kill(process, 0)
        assert list(tmp_path.iterdir()) == []
        assert started.supervisor.lives == (end is Supervisor.end)
        started.ends()


def test_a_supervisor_plays_one_game_after_another(tmp_path: Path) -> None:
    started = Game(tmp_path, python("import os; os._exit(os.getpid() % 100)"))
    first = started.supervisor.status(10)
    with started.supervisor.start():
        assert first is not None and started.ends() not in (None, first)


def test_a_program_that_is_not_there_is_status_126(tmp_path: Path) -> None:
    assert Game(tmp_path, ["/no/such/program"]).ends() == 126


def test_a_strategy_in_python_begins_with_its_modules_loaded_and_ends_with_its_channel(tmp_path: Path) -> None:
    module = "planetwars_env.arena.worker"
    supervisor = Supervisor(["none"], Sandbox.NONE, modules=[module], environment=measured(), folder=str(tmp_path))
    for _ in range(2):
        supervisor.start().close()
        assert supervisor.status(10) == 0
    supervisor.close()


def error_of(act: Callable[[], object]) -> int:
    """The number of the error that ``act`` comes to; 0 for none."""
    try:
        act()
    except OSError as fault:
        return fault.errno or 0
    return 0


def confined(act: Callable[[], object], wall: Callable[[], None]) -> int:
    """The number of the error that ``act`` comes to behind the ``wall``; 0 for none."""

    def try_it() -> int:
        prctl(_NO_NEW_PRIVS, 1)
        wall()
        return error_of(act)

    return status_of(in_a_child(try_it))


@pytest.mark.skipif(not walls.HAS_FILTER, reason="this machine cannot filter system calls")
def test_filtered_processes_start_none_and_reach_nobody() -> None:
    def fork() -> None:
        if os.fork() == 0:
            os._exit(0)

    def connect() -> None:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()

    def datagrams() -> None:
        socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)

    acts = fork, connect, datagrams, lambda: os.kill(os.getppid(), 0), lambda: Path(__file__).chmod(0o644)
    nobody = partial(walls.filter_calls, processes=False, outside=True)
    assert [confined(act, nobody) for act in acts] == [errno.EPERM] * 5
    inside = partial(walls.filter_calls, processes=True, outside=False)
    assert [confined(act, inside) for act in acts[:4]] == [0] * 4
    assert confined(lambda: Thread(target=print).start(), nobody) == 0


@pytest.mark.skipif(not _works(Sandbox.LANDLOCK), reason="this system has no Landlock")
def test_restricted_processes_read_and_write_only_what_is_named(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "secret").write_text("text")
    # Coverage's figures, where they are taken, come to the folder of the tests.
    restrict = partial(walls.restrict_paths, [str(Path(pytest.__file__).parent), "/no/such/path"], str(Path.cwd()))
    assert confined((tmp_path / "secret").read_text, restrict) == errno.EACCES
    assert confined((tmp_path / "own" / "file").touch, restrict) == errno.EACCES
    assert confined(Path(pytest.__file__).read_text, restrict) == 0
    assert confined(lambda: Path("/dev/null").write_text("nothing"), restrict) == 0
    own = partial(walls.restrict_paths, [], str(tmp_path / "own"))
    assert confined((tmp_path / "own" / "file").touch, own) == 0


def test_capabilities_are_dropped_and_do_not_come_back() -> None:
    def drop() -> int:
        walls.drop_capabilities()
        return int(Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0], 16)

    assert status_of(in_a_child(drop)) == 0


def test_a_limit_of_the_system_is_not_widened() -> None:
    def limited() -> int:
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
        supervisor._limit({"RLIMIT_NOFILE": 1000})
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]

    assert status_of(in_a_child(limited)) == 60


def test_descendants_of_descendants_are_found() -> None:
    read, write = os.pipe()

    def parent() -> int:
        os.write(write, f"{in_a_child(lambda: time.sleep(60) or 0)}\n".encode())
        time.sleep(60)
        return 0

    child = in_a_child(parent)
    grandchild = int(os.read(read, 100))
    found = descendants(os.getpid())
    assert found.index(child) < found.index(grandchild)
    for process in (child, grandchild):
        os.kill(process, 9)
    os.waitpid(child, 0)


def test_a_refused_call_of_the_system_is_told_with_its_name() -> None:
    with pytest.raises(OSError, match="umount2: ") as caught:
        call("umount2", b"/no/such/place", 0)
    assert caught.value.errno in (errno.ENOENT, errno.EPERM)


def test_the_folder_of_a_killed_process_is_removed_at_once_by_the_next_one(tmp_path: Path) -> None:
    read, write = os.pipe()

    def hold() -> int:
        with temporary_folder(str(tmp_path)):
            os.write(write, b"up")
            time.sleep(60)
        return 0

    child = in_a_child(hold)
    assert os.read(read, 2) == b"up"
    with temporary_folder(str(tmp_path)):
        assert len(list(tmp_path.iterdir())) == 2
    os.kill(child, 9)
    os.waitpid(child, 0)
    with temporary_folder(str(tmp_path)) as folder:
        assert [str(path) for path in tmp_path.iterdir()] == [folder]


def test_a_folder_in_use_is_never_removed_by_others_that_begin(tmp_path: Path) -> None:
    def hold(_: int) -> bool:
        with temporary_folder(str(tmp_path)) as folder:
            time.sleep(0.001)
            return Path(folder).is_dir()

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(hold, range(400)))
    assert list(tmp_path.iterdir()) == []


def test_folders_of_other_programs_are_never_removed(tmp_path: Path) -> None:
    """Those whose names begin with the package's name included: they are the user's."""
    mine = [tmp_path / name for name in ("planetwars-results", "planetwars-mutants-abc", "planetwars")]
    for folder in mine:
        folder.mkdir()
    with temporary_folder(str(tmp_path)):
        assert all(folder.is_dir() for folder in mine)


def in_a_mount_namespace(act: Callable[[], int]) -> int:
    """Call ``act`` in a user and mount namespace of its own; its result."""
    user, group = os.getuid(), os.getgid()

    def enter() -> int:
        call("unshare", walls._NEWUSER | walls._NEWNS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        return act()

    return status_of(in_a_child(enter))


@pytest.mark.skipif(not _works(Sandbox.NAMESPACES), reason="this system has no user namespaces")
@pytest.mark.parametrize("disks", [0, 2])
def test_what_is_shown_in_another_root_can_be_read_and_not_written(disks: int, tmp_path: Path) -> None:
    """Neither can disks within it; devices can be written to."""
    shown, root = tmp_path / "shown", tmp_path / "root"
    for folder in (shown, root):
        folder.mkdir()
    folders = [shown, shown / "one within", shown / "one within" / "another"][: 1 + disks]
    with ExitStack() as mounted:
        for folder in folders[1:]:
            mounted.enter_context(disk(folder))
        (shown / "file").write_text("text")
        (tmp_path / "link").symlink_to(shown)

        def look() -> int:
            for path in (shown, shown, shown / "file", tmp_path / "link", tmp_path / "missing"):
                walls._show(str(path), str(root))
            walls._show("/dev/null", str(root))
            there = Path(f"{root}{shown}")
            assert (there / "file").read_text() == "text" and Path(f"{root}{tmp_path}/link").readlink() == shown
            assert not Path(f"{root}{tmp_path}/missing").exists()
            Path(f"{root}/dev/null").write_text("a device can be written where its folder cannot")
            found = {error_of((there / folder.relative_to(shown) / "new").touch) for folder in folders}
            return found.pop() if len(found) == 1 else 0

        assert in_a_mount_namespace(look) == errno.EROFS
    assert [path.name for path in shown.rglob("*") if path.is_file()] == ["file"]
