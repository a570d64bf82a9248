"""Mutation tests (scripts/verification/mutants.py): which mutants are made, and that noticed ones are told from others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.verification.mutation.mutations import draw, files_of, mutants_of, mutated
from scripts.verification.mutation.stages import STAGES, Stage, stages_of
from scripts.verification.mutation.trial import Trials
from support.paths import ROOT

SOURCE = '''
from planetwars_env.engine.kernel import part

@part
def larger(first: int | None, second: "int | None") -> int | None:
    """Not a mutant: 1 + 1."""
    return first if first > second else second
'''


def test_annotations_texts_and_decorators_of_compiled_code_are_left_alone() -> None:
    found = list(mutants_of("file.py", SOURCE))
    assert {mutant.line for mutant in found} == {7}
    texts = {mutated(SOURCE, mutant) for mutant in found}
    assert SOURCE.replace("first > second", "first >= second") in texts
    assert SOURCE not in texts


def test_a_seed_draws_the_same_mutants() -> None:
    first, again, other = (draw(ROOT, seed, "planetwars_env/engine/pop") for seed in (0, 0, 1))
    assert first == again != other
    assert sorted(first) == sorted(other)


def test_engine_codec_and_view_are_tested_and_every_file_has_tests() -> None:
    files = files_of(ROOT)
    assert {path.split("/")[1] for path in files} == {"engine", "codec", "view.py"}
    assert all(stages_of(path) for path in files)


def test_every_test_of_the_stages_is_there() -> None:
    stages = {stage for stages in STAGES.values() for stage in stages}
    files = {name for stage in stages for name in stage.tests if name.endswith(".py")}
    assert [name for name in files if not (ROOT / name).is_file()] == []


@pytest.mark.slow
def test_what_changes_nothing_survives_and_what_breaks_hangs_or_lies_is_noticed() -> None:
    path, stage = "planetwars_env/view.py", Stage(("tests/test_game.py",))
    source = (ROOT / path).read_text()
    with Trials() as trials:
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
