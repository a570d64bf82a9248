"""Mutation tests (scripts/verification/mutants.py): which mutants are made, and that noticed ones are told from others."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT

SOURCE = '''
from planetwars_env.engine.kernel import part

@part
def larger(first: int | None, second: "int | None") -> int | None:
    """Not a mutant: 1 + 1."""
    return first if first > second else second
'''
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants are tried in forks")


@pytest.fixture
def parts() -> Any:
    """Loader of modules in scripts/verification/mutation."""
    return lambda name: importlib.import_module(f"scripts.verification.mutation.{name}")


def test_annotations_texts_and_decorators_of_compiled_code_are_left_alone(parts: Any) -> None:
    mutations = parts("mutations")
    found = list(mutations.mutants_of("file.py", SOURCE))
    assert {mutant.line for mutant in found} == {7}
    texts = {mutations.mutated(SOURCE, mutant) for mutant in found}
    assert SOURCE.replace("first > second", "first >= second") in texts
    assert SOURCE not in texts


def test_a_seed_draws_the_same_mutants(parts: Any) -> None:
    first, again, other = (parts("mutations").draw(ROOT, seed, "planetwars_env/engine/pop") for seed in (0, 0, 1))
    assert first == again != other
    assert sorted(first) == sorted(other)


def test_engine_codec_and_view_are_tested_and_every_file_has_tests(parts: Any) -> None:
    files = parts("mutations").files_of(ROOT)
    assert {path.split("/")[1] for path in files} == {"engine", "codec", "view.py"}
    assert all(parts("stages").stages_of(path) for path in files)


def test_every_test_of_the_stages_is_there(parts: Any) -> None:
    stages = {stage for stages in parts("stages").STAGES.values() for stage in stages}
    files = {name for stage in stages for name in stage.tests if name.endswith(".py")}
    assert [name for name in files if not (ROOT / name).is_file()] == []


@pytest.mark.slow
def test_what_changes_nothing_survives_and_what_breaks_hangs_or_lies_is_noticed(parts: Any) -> None:
    path, stage = "planetwars_env/view.py", parts("stages").Stage(("tests/test_game.py",))
    source = (ROOT / path).read_text()
    trials = parts("trial").Trials()
    try:
        outcomes = [
            trials.try_out(path, text, (stage,)).outcome
            for text in (
                source + "# nothing\n",
                source.replace("3 - self.player", "2 - self.player"),
                source + "import nothing_of_this_name\n",
                source + "while True: pass\n",
                source + "import os; os.abort()\n",
                source,
            )
        ]
    finally:
        trials.close()
    assert outcomes == ["survived", "killed", "unusable", "timeout", "crash", "survived"]
    assert (ROOT / path).read_text() == source
    assert not trials.folder.exists()


@pytest.mark.slow
def test_a_run_is_gone_on_with_and_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.verification.mutants", "--only", "planetwars_env/engine/population.py"]
    command += ["--out", str(tmp_path), "--sample"]
    for sample in ("2", "3", "3"):
        ended = subprocess.run([*command, sample], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
        assert f"| all | {sample} |" in ended.stdout
    keys = [json.loads(line)["key"] for line in (tmp_path / "outcomes.jsonl").read_text().splitlines()[1:]]
    assert len(keys) == len(set(keys)) == 3
