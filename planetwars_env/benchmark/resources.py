"""Tables of resources: bytes of a game, and seconds of a process to its first step."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

from planetwars_env.benchmark.measure import Probe, Reading, Table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.codec.limits import CLASSIC, LARGE, Limits
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset

_GAMES = 64
_PROGRAM = """
import json, time
times = [time.perf_counter()]
def took(): times.append(time.perf_counter()); return times[-1] - times[-2]
parts = {}
import gymnasium; parts["import gymnasium"] = took()
import planetwars_env; parts["import planetwars_env"] = took()
env = gymnasium.make("PlanetWars-v0", opponent="ai1"); parts["make"] = took()
env.reset(seed=0); parts["reset"] = took()
env.step(env.action_space.sample()); parts["first step"] = took()
print(json.dumps(parts))
"""


def memory_table(settings: BenchmarkSettings) -> Table:
    """Return the table of bytes per game: of ``State``, and of the step buffers with the actions."""
    cases: list[tuple[str, str, str, Limits]] = [
        ("PLANETWARS", "train", "turn", CLASSIC),
        ("PLANETWARS", "train", "order", CLASSIC),
        ("PLANETWARS_HALF_STEP", "train", "turn", CLASSIC),
        ("SPACE_EXPLORERS", "train", "turn", CLASSIC),
        ("PLANETWARS", "large", "turn", LARGE),
    ]
    return Table(
        name="memory",
        title="Memory of a game",
        unit="bytes",
        axes=("rules", "pool", "actions", "part"),
        probes=[_memory(*case) for case in cases],
        runs=1,
    )


def _memory(rules: str, pool: str, actions: str, limits: Limits) -> Probe:
    def probe(seconds: float) -> Iterable[Reading]:
        setup = EnvArguments(rules, graphs=pool, actions=actions, limits=limits).setup(Autoreset.SAME_STEP)
        batch = Batch(_GAMES, setup)
        yield Reading((rules, pool, actions, "state"), _bytes(batch.state))
        yield Reading((rules, pool, actions, "buffers"), _bytes((*batch.buffers, batch.actions)))

    return probe


def _bytes(arrays: Iterable[Any]) -> float:
    return sum(array.nbytes for array in arrays) / _GAMES


def start_table(settings: BenchmarkSettings) -> Table:
    """Return the table of new processes, each first with an empty NUMBA_CACHE_DIR and then with a filled one."""
    return Table(
        name="start",
        title="From nothing to the first step of an environment: without machine code on disk (cold) and with it (warm)",
        unit="s",
        axes=("start", "part"),
        probes=[_start],
        runs=settings.starts,
    )


def _start(seconds: float) -> Iterable[Reading]:
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("cold", "warm"):
            before = time.perf_counter()
            parts = _first_step(folder)
            parts["whole process"] = time.perf_counter() - before
            yield from (Reading((kind, part), value) for part, value in parts.items())


def _first_step(cache: str) -> dict[str, float]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    answer = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(answer.stdout)
