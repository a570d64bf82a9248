"""The prose linter (scripts/release/prose.py): each of its rules finds its fault. `make lint` runs it on this checkout."""

from pathlib import Path

import pytest

from scripts.release import prose

LONG = "word " * 30


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("page.md", f"Short.\n\n{LONG}\n", [3]),
        ("page.md", f"- item\n  {LONG}\n", [2]),
        ("page.md", "It plays 9 turns a second.\n", [1]),
        ("page.md", "It plays 9 million\nturns\na second.\n", [2]),
        ("page.md", f"| {LONG} |\n", []),
        ("page.md", f"```\n{LONG}\n```\n", []),
        ("page.md", f"Text:\n\n    {LONG}\n", []),
        ("page.md", f"[a link](https://example.org/{'x' * 150})\n", []),
        ("page.md", "It is played for a second time.\n", []),
        ("module.py", '"""What a module does."""\n', [1]),
        ("module.py", 'def f():\n    """Whose turn it is."""\n', [2]),
        ("module.py", 'class A:\n    x: int = 1\n    """How many."""\n', [3]),
        ("module.py", "# 9 turns a second\n", [1]),
        ("module.py", '"""Store of games."""\n\n\ndef f() -> None:\n    """Return the mask."""\n', []),
    ],
)
def test_faults_of_pages_and_modules_are_found_with_their_lines(
    tmp_path: Path, name: str, text: str, lines: list[int]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [fault.line for fault in prose.faults_of(tmp_path / name)] == lines


def test_it_reads_every_page_and_module() -> None:
    assert len(prose.files()) > 300
