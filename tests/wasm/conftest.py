"""Questions to the page's modules, which answer in node."""

import json
import subprocess
from pathlib import Path
from typing import Any

import playwright
import pytest

from support.page_games import Ask
from support.paths import PACKAGE, TESTS

NODE = Path(playwright.__file__).parent / "driver" / "node"
"""Of playwright, which has one with it."""


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Questions to answer.mjs, and its answers."""

    def answers(questions: list[dict[str, Any]]) -> list[Any]:
        asked, answered = tmp_path / "questions.json", tmp_path / "answers.json"
        asked.write_text(json.dumps(questions))
        program = TESTS / "wasm" / "answer.mjs"
        subprocess.run([NODE, program, PACKAGE / "render", asked, answered], check=True, timeout=200)
        return json.loads(answered.read_text())

    return answers
