"""CPU time of a step of a batch by opponent and games, beside other commits, and the speed of this machine's memory."""

import atexit
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from planetwars_env.benchmark import Measurement, Reading, rates

ROOT = Path(__file__).resolve().parents[3]
CASES = [(opponent, games) for opponent in ("noop", "random", "ai3") for games in (64, 1024, 8192, 65536)]
CASES += [("planner", 64), ("planner", 1024)]  # a turn takes milliseconds, however many games there are

PROGRAM = """
import sys, time
import gymnasium
import numpy as np
import planetwars_env
opponent, games = sys.argv[1], int(sys.argv[2])
same, kind = gymnasium.vector.AutoresetMode.SAME_STEP, "vector_entry_point"
options = dict(opponent=opponent, graphs="test", autoreset_mode=same, copy=False, vectorization_mode=kind)
batch = gymnasium.make_vec("PlanetWars-v0", games, **options).unwrapped._batch
batch.seed(0)
batch.reset()
rng, steps = np.random.default_rng(0), max(4, min(256, 16384 // games))
sends = 1 + rng.integers(27, size=(steps, *batch.actions.shape))
actions = np.where(rng.random(sends.shape) < 0.5, 0, sends)
settle = 2 if opponent == "planner" else 100
for age in range(settle):
    batch.actions[:] = actions[age % steps]
    batch.step()
    batch.reset(np.arange(games) * settle // games == age)
for _ in sys.stdin:
    clock, done = time.process_time(), 0
    while time.process_time() < clock + 0.5:
        batch.actions[:] = actions[done % steps]
        batch.step()
        done += 1
    print(1e9 * (time.process_time() - clock) / done / games, flush=True)
"""
"""Ages the games, then measures for half a second whenever a line comes; it plays the commits of all its years."""
CARTPOLE = """
import sys, time
import gymnasium
env = gymnasium.make("CartPole-v1")
env.reset(seed=0)
for _ in sys.stdin:
    clock, done = time.process_time(), 0
    while time.process_time() < clock + 0.5:
        _, _, terminated, truncated, _ = env.step(done % 2)
        if terminated or truncated:
            env.reset()
        done += 1
    print(1e9 * (time.process_time() - clock) / done, flush=True)
"""


def steps(commits: Sequence[str], runs: int) -> Measurement:
    """Return the table of CPU ns by step and game, here and at ``commits``, whose processes take turns ``runs`` times.

    With 1,024 games, Gymnasium's CartPole-v1 takes its turn among them.
    """

    trees = {"here": ROOT}
    for commit in commits:  # one folder for all cases, since machine code is kept by folder
        trees[commit] = tree = Path(mkdtemp(), "tree")
        subprocess.run(["git", "worktree", "add", "-q", "--detach", tree, commit], cwd=ROOT, check=True)
        atexit.register(subprocess.run, ["git", "worktree", "remove", "--force", tree], cwd=ROOT)

    def read() -> Iterator[Reading]:
        for opponent, games in CASES:
            with ExitStack() as stack:
                processes = {}
                programs = dict.fromkeys(trees, PROGRAM) | ({"CartPole-v1": CARTPOLE} if games == 1024 else {})
                for commit, program in programs.items():
                    command, tree = [sys.executable, "-c", program, opponent, str(games)], trees.get(commit, ROOT)
                    environment, pipe = {**os.environ, "PYTHONPATH": str(tree)}, subprocess.PIPE
                    process = subprocess.Popen(command, cwd=tree, env=environment, stdin=pipe, stdout=pipe, text=True)
                    processes[commit] = stack.enter_context(process)
                for _ in range(runs):
                    for commit, process in processes.items():
                        print(file=process.stdin, flush=True)
                        yield Reading((opponent, games, commit), float(process.stdout.readline()))

    return Measurement("CPU time of a step in a batch", "ns a game", ("opponent", "games", "commit"), read, runs=1)


def memory() -> Measurement:
    """Return the table of what one core reads and writes, as STREAM's copy does: a step of as many bytes takes as long."""
    source, target = np.ones(2**25), np.zeros(2**25)

    def read() -> Iterator[Reading]:
        rate, cpu = rates(lambda: np.copyto(target, source) or 2 * source.nbytes, 1)
        yield Reading(("copy",), rate / 1e9, cpu / 1e9)

    return Measurement("Memory of this machine, one core", "GB/s", ("loop",), read)
