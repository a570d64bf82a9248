"""The prose linter (scripts/release/prose.py): this checkout passes it, and each of its rules finds its fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.release import prose


def test_the_prose_of_this_checkout_has_no_faults() -> None:
    assert len(prose.files()) > 300
    faults = [fault for path in prose.files() for fault in prose.faults_of(path)]
    assert list(map(str, faults)) == []


def faults(folder: Path, name: str, text: str) -> list[tuple[int, str]]:
    (folder / name).write_text(text, encoding="utf-8")
    return [(fault.line, fault.text) for fault in prose.faults_of(folder / name)]


LONG = "word " * 30


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"Short.\n\n{LONG}\n", 3),
        (f"- item\n  {LONG}\n", 2),
        ("It plays 9 turns a second.\n", 1),
        ("It plays 9 million\nturns\na second.\n", 2),
    ],
)
def test_faults_of_a_page_are_found_with_their_lines(tmp_path: Path, text: str, line: int) -> None:
    assert [number for number, _ in faults(tmp_path, "page.md", text)] == [line]


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG} |\n",
        f"```\n{LONG}\n```\n",
        f"Text:\n\n    {LONG}\n",
        f"[a link](https://example.org/{'x' * 150})\n",
        "It is played for a second time.\n",
    ],
)
def test_tables_code_and_links_of_a_page_may_be_long(tmp_path: Path, text: str) -> None:
    assert faults(tmp_path, "page.md", text) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"""What a module does."""\n', 1),
        ('def f():\n    """Whose turn it is."""\n', 2),
        ('class A:\n    x: int = 1\n    """How many."""\n', 3),
        ("# 9 turns a second\n", 1),
    ],
)
def test_faults_of_a_module_are_found_with_their_lines(tmp_path: Path, text: str, line: int) -> None:
    assert [number for number, _ in faults(tmp_path, "module.py", text)] == [line]


def test_a_module_in_plain_words_has_no_fault(tmp_path: Path) -> None:
    text = '"""Store of games."""\n\n\ndef f() -> None:\n    """Return the mask."""\n'
    assert faults(tmp_path, "module.py", text) == []


def test_long_sentences_are_counted(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"Short one. {LONG}. Another. \n\n{LONG}", encoding="utf-8")
    assert prose.long_sentences(tmp_path / "page.md") == 2
