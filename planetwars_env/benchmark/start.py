"""How long the first step takes: with no machine code on disk, and with it there."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable

from planetwars_env.benchmark.measure import Reading, Table
from planetwars_env.benchmark.plan import Plan

COLD, WARM, WHOLE = "cold", "warm", "whole process"
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


def table(plan: Plan) -> Table:
    """A new Python each time, with an empty NUMBA_CACHE_DIR, then with what the first one left there."""
    return Table(
        name="start",
        title="From nothing to the first step of an environment: no machine code on disk (cold), then again (warm)",
        unit="s",
        axes=("start", "part"),
        probes=[_probe],
        runs=plan.starts,
    )


def _probe(seconds: float) -> Iterable[Reading]:
    with tempfile.TemporaryDirectory() as folder:
        for kind in (COLD, WARM):
            before = time.perf_counter()
            parts = _first_step(folder)
            parts[WHOLE] = time.perf_counter() - before
            yield from (Reading((kind, part), value) for part, value in parts.items())


def _first_step(cache: str) -> dict[str, float]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    answer = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(answer.stdout)
