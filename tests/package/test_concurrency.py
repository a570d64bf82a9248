"""Several processes, forks and threads at once, no home, and nothing of the package that could be written."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.files import BusyError, exclusive_lock
from scripts.verification.kill_tests.commands import CONFIG
from support.command_line import run
from support.disks import disk, read_only
from support.paths import ROOT

GAME = """
import planetwars_env as pw
game = pw.Game(pw.load_graph("rings"))
for _ in range(30):
    game.play([])
print(pw.__file__, game.people())
"""


def start(program: str, **more: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


# --- locks ----------------------------------------------------------------------------------------------------------

HOLD = """
import sys, time
from pathlib import Path
from planetwars_env.files import exclusive_lock
with exclusive_lock(Path(sys.argv[1] if len(sys.argv) > 1 else {lock!r}), "training"):
    print("held", flush=True)
    sys.stdin.readline()
"""


def hold(lock: Path) -> subprocess.Popen[str]:
    """Another process that works under the lock until a line comes or it is killed."""
    process = start(HOLD.format(lock=str(lock)), stdin=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_told_who_the_first_one_is_until_that_ends_or_is_killed(tmp_path: Path) -> None:
    holder = hold(tmp_path / "run.lock")
    with (
        pytest.raises(BusyError, match=rf"in use by training, process {holder.pid} on .*, since 20"),
        exclusive_lock(tmp_path / "run.lock", "training"),
    ):
        pass
    holder.communicate("\n", timeout=20)
    with exclusive_lock(tmp_path / "run.lock", "training"):
        assert (tmp_path / "run.lock").exists()
    assert not list(tmp_path.iterdir())
    holder = hold(tmp_path / "run.lock")
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (tmp_path / "run.lock").exists()
    with exclusive_lock(tmp_path / "run.lock", "training"):
        pass
    assert not list(tmp_path.iterdir())


def test_of_many_at_once_one_has_the_lock_at_any_time(tmp_path: Path) -> None:
    """The file is removed and made again all the while."""
    inside, most, done = 0, 0, 0
    guard = threading.Lock()

    def work(_: int) -> None:
        nonlocal inside, most, done
        for _ in range(40):
            try:
                with exclusive_lock(tmp_path / "lock", "work"):
                    with guard:
                        inside, done = inside + 1, done + 1
                        most = max(most, inside)
                    time.sleep(0.0005)
                    with guard:
                        inside -= 1
            except BusyError:
                time.sleep(0.0005)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert most == 1 and done > 8


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("run.lock", "train --config tiny.yaml --out run"),
        ("run.lock", "demo --steps 128 --out run"),
        ("games.sqlite.lock", "rank random noop --graphs duel --out run"),
    ],
)
def test_two_trainings_or_tournaments_do_not_share_a_folder(
    lock: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a demo clear it, nor anybody resume from it, while one of them runs."""
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(CONFIG)
    Path("run").mkdir()
    Path("run/history.json").write_text("{}")
    holder = hold(tmp_path / "run" / lock)
    try:
        result = run(*command.split())
        said = "".join(result.output.split("\n"))
        assert result.exit_code == 1 and f"in use by training, process {holder.pid}" in said and "Traceback" not in said
        assert {path.name for path in Path("run").iterdir()} - {"games.sqlite"} == {"history.json", lock}
    finally:
        holder.communicate("\n", timeout=20)


# --- forks, spawns, threads -------------------------------------------------------------------------------------------

ARGUMENTS: dict[str, Any] = {"graphs": "rings", "opponent": "ai1", "observation": "flat"}


def make_env() -> gymnasium.Env[Any, Any]:
    return gymnasium.make("planetwars_env:PlanetWars-v0", **ARGUMENTS)


def played(env: gymnasium.Env[Any, Any], seed: int, steps: int = 40) -> np.ndarray[Any, Any]:
    """All observations of a random agent."""
    env.action_space.seed(seed)
    seen = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        seen.append(observation)
        if terminated or truncated:
            seen.append(env.reset()[0])
    return np.concatenate(seen)


def test_a_fork_out_of_a_process_with_threads_plays_on() -> None:
    """The threads of a batch do not exist in the child: it makes its own, and its games equal those of one thread."""
    alone, venv = (pw.make_sb3_vec_env("PlanetWars-v0", num_envs=8, num_threads=n, **ARGUMENTS) for n in (1, 2))
    still = np.zeros((8, 21), np.int64)
    for one in (alone, venv):
        one.seed(0)
        one.reset()
        one.step(still)
    expected = [alone.step(still)[0] for _ in range(5)]
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that waits for a thread that is not there
        os._exit(0 if all(np.array_equal(rows, venv.step(still)[0]) for rows in expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(venv.step(still)[0], expected[0])


def test_games_in_threads_are_the_same_as_one_after_the_other() -> None:
    alone_each = [played(make_env(), seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda seed: played(make_env(), seed), range(6)))
    for one, other in zip(alone_each, together, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.slow
def test_threads_that_all_begin_without_machine_code_compile_it_once_and_play(tmp_path: Path) -> None:
    program = f"""
from concurrent.futures import ThreadPoolExecutor
def play(_):
{"".join(f"    {line}{chr(10)}" for line in GAME.strip().splitlines()[:-1])}
    return game.people()
with ThreadPoolExecutor(4) as pool:
    print(len(set(map(tuple, pool.map(play, range(4))))))
"""
    process = start(program, env={"NUMBA_CACHE_DIR": str(tmp_path)})
    out, err = process.communicate(timeout=280)
    assert out.strip() == "1", err


# --- where nothing can be written -------------------------------------------------------------------------------------


NOBODY = """
import os, pwd
del os.environ["HOME"]
def unknown(user): raise KeyError(user)
pwd.getpwuid = unknown
"""
"""Environment of a process whose user has neither a name nor a home, as in containers."""


@pytest.mark.slow
def test_without_a_home_and_with_a_package_that_cannot_be_written_it_plays(tmp_path: Path) -> None:
    """One warning says what to set."""
    with disk(tmp_path / "site-packages") as site:
        for folder in ("planetwars_env", "graphs"):
            shutil.copytree(ROOT / folder, site / folder, ignore=shutil.ignore_patterns("__pycache__", "train.dot"))
        nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"), "")
        with read_only(site):
            process = start(NOBODY + GAME, cwd="/", env={**nowhere, "PYTHONPATH": str(site)})
            out, err = process.communicate(timeout=280)
    expected, _ = start(GAME, cwd="/").communicate(timeout=280)
    assert process.returncode == 0 and str(site) in out, err
    assert out.split(" ", 1)[1] == expected.split(" ", 1)[1]
    assert err.count("cannot write to") == 1 and "Set NUMBA_CACHE_DIR" in err


def test_a_user_without_a_home_is_told_once_where_machine_code_could_go() -> None:
    nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"), "")
    process = start(f"{NOBODY}\nimport planetwars_env.sim.batch", env=nowhere)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and err.count("Set NUMBA_CACHE_DIR") == 1, err
