"""Trial of mutants in a copy of the checkout, one after the other."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from scripts.verification.mutation.stages import Stage

ROOT = Path(__file__).resolve().parents[3]
COPIED, LINKED = ("planetwars_env", "tests", "graphs"), ("agents", "docs", "scripts")
FLAGS = ("-x", "-q", "-m", "not slow", "--timeout=0", "--basetemp=tmp", "-p", "no:cacheprovider", "-p", "no:xdist")
SHARE = "5"
"""Of hypothesis's usual number of examples, per cent."""


class Verdict(NamedTuple):
    """``outcome``: "survived"; or how the mutant was noticed: "killed" (a test failed), "unusable" (the tests could not
    begin), "timeout", "crash". ``by``: the test that did; ``cpu``: seconds."""

    outcome: str
    by: str
    cpu: float


class Trials:
    """A copy and the process that tests are forked from, until the block ends. The checkout itself is never changed."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="planetwars-mutants-"))
        self._limits: dict[Stage, float] = {}
        _copy(self.folder)
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "NUMBA_DISABLE_JIT": "1",
            "PLANETWARS_EXAMPLES": SHARE,
        }
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fork_server.py"))],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def try_out(self, path: str, text: str, stages: tuple[Stage, ...]) -> Verdict:
        """Run the tests with ``text`` in the file at ``path`` of the copy.

        ValueError where they fail as it is.
        """
        file, cpu = self.folder / path, 0.0
        before = file.read_bytes()
        for stage in stages:
            limit = self._limit_of(stage)
            try:
                file.write_text(text, encoding="utf-8")
                reply = self._run(stage, cpu=limit, wall=60 + 20 * limit, PYTHONDONTWRITEBYTECODE="1")
            finally:
                file.write_bytes(before)
            cpu += reply["cpu"]
            if reply["ended"] != 0:
                return Verdict(_outcome(reply["ended"]), _first_failure(reply["said"], stage), round(cpu, 2))
        return Verdict("survived", "", round(cpu, 2))

    def _limit_of(self, stage: Stage) -> float:
        """CPU seconds that a stage may take: a multiple of what it takes without a mutant, measured when it is first needed."""
        if stage not in self._limits:
            reply = self._run(stage, cpu=600, wall=1800)
            if reply["ended"] != 0:
                raise ValueError(f"without a mutant, too, these tests fail: {' '.join(stage.tests)}\n{reply['said']}")
            self._limits[stage] = 10 + 4 * reply["cpu"]
        return self._limits[stage]

    def _run(self, stage: Stage, cpu: float, wall: float, **environment: str | None) -> dict[str, Any]:
        if stage.compiled:
            environment["NUMBA_DISABLE_JIT"] = None
        job = {"tests": [*FLAGS, *stage.tests], "environment": environment, "cpu": int(cpu), "wall": wall}
        assert self._server.stdin and self._server.stdout
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        reply = self._server.stdout.readline()
        if not reply:
            raise ValueError(f"the process that tests are forked from has ended: {self._server.wait()}")
        return json.loads(reply)

    def __enter__(self) -> "Trials":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server.stdin
        self._server.stdin.close()
        self._server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _copy(folder: Path) -> None:
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    # Judged by its content: of two versions written in the same second, Python would run the first.
    command = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "planetwars_env"]
    subprocess.run(command, cwd=folder, check=True)


def _outcome(ended: int | str) -> str:
    if isinstance(ended, str):
        return ended
    return "killed" if ended == 1 else "unusable"


def _first_failure(said: str, stage: Stage) -> str:
    failures = [line.split()[1] for line in said.splitlines() if line.startswith(("FAILED ", "ERROR ")) and " " in line]
    return failures[0] if failures else stage.tests[0]
