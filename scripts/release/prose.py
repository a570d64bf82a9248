"""Prose linter: lines of Markdown, first words of docstrings, replaced phrases.

    python -m scripts.release.prose [FILE ...]

It prints one line for each fault and exits with 1 if there is any.
"""

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LONGEST_LINE = 120

COUNTED = (
    "actions|bytes|calls|choices|decisions|episodes|frames|games|kernels|matches|moves|observations|orders|positions"
)
PHRASES = {
    rf"\b(?:{COUNTED}|samples|steps|times|turns|updates|[kKM]i?B) an? second\b(?!\s+(?:time|one|game))": "per second",
    rf"\b(?:{COUNTED}|samples|steps|times|turns|updates) an? minute\b": "per minute",
    r"\bwho (?:it|one|somebody) plays\b": "opponent",
    r"\bthe luck of both\b": "a two-sample z-test",
    r"\bheld against the card\b": "compared with the recorded win rate",
}
"""Patterns of phrases in prose, and what to write instead."""

FIRST_WORDS = ("how", "what", "whatever", "where", "wherever", "which", "who", "whoever", "whom", "whose")
"""A docstring begins with a noun phrase or a verb, not with one of these."""

SOURCES = ("planetwars_env", "scripts", "tests")
PAGES = ("*.md", "docs/**/*.md", "agents/**/*.md", "graphs/*.md", "tests/**/*.md", ".github/**/*.md")


class Fault(NamedTuple):
    """``line``: counted from 1, in the file at ``path``."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class Passage(NamedTuple):
    """Lines of prose that belong together: a paragraph of a page, a docstring, or a comment."""

    line: int
    text: str
    docstring: bool = False


def files() -> list[Path]:
    """Every file whose prose is checked."""
    pages = [path for pattern in PAGES for path in ROOT.glob(pattern)]
    return sorted([*pages, *(path for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))])


def faults_of(path: Path) -> list[Fault]:
    """The faults of one file, which is Markdown or Python."""
    text, name = path.read_text(encoding="utf-8"), _name(path)
    if path.suffix == ".md":
        found = [*_long_lines(text), *_replaced(prose_of_page(text))]
    else:
        passages = prose_of_module(text)
        found = [*_first_words(passages), *_replaced(passages)]
    return [Fault(name, line, fault) for line, fault in sorted(set(found))]


# --- where prose is ------------------------------------------------------------------------------------------------


def prose_of_page(text: str) -> list[Passage]:
    """The paragraphs of a page, without code, tables, comments and the targets of links."""
    passages: list[Passage] = []
    for number, line in _lines_of_page(text):
        words = re.sub(r"`[^`]*`", "CODE", re.sub(r"\]\([^)]*\)", "]", line)).strip()
        opens = not words or words.startswith(("#", "- ", "* "))
        if passages and not opens and number == passages[-1].line + passages[-1].text.count("\n") + 1:
            passages[-1] = passages[-1]._replace(text=f"{passages[-1].text}\n{words}")
        elif words:
            passages.append(Passage(number, words))
    return passages


def _lines_of_page(text: str) -> Iterator[tuple[int, str]]:
    """Lines of prose with their numbers: no code in fences or indented, no tables, no HTML."""
    fenced, within = False, False
    for number, line in enumerate(text.splitlines(), 1):
        starts = line.lstrip()
        if starts.startswith("```"):
            fenced = not fenced
        elif not fenced and (within or not line.startswith("    ")) and not starts.startswith(("|", "<")):
            yield number, line
            within = bool(starts)


def prose_of_module(text: str) -> list[Passage]:
    """Docstrings, strings below names as documentation of them, and comments."""
    tree, passages = ast.parse(text), []
    for node in ast.walk(tree):
        for child in getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            ):
                passages.append(Passage(child.lineno, _plain(child.value.value), docstring=True))
    comments = enumerate(text.splitlines(), 1)
    return passages + [Passage(n, _plain(line.strip()[1:])) for n, line in comments if line.strip().startswith("# ")]


def _plain(text: str) -> str:
    return re.sub(r"``?[^`]*``?", "CODE", textwrap.dedent(text).strip())


# --- what is wrong -------------------------------------------------------------------------------------------------


def _long_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in _lines_of_page(text):
        length = len(re.sub(r"\]\([^)]*\)", "]", line))
        if length > LONGEST_LINE:
            yield number, f"a line of {length} characters: at most {LONGEST_LINE}"


def _first_words(passages: list[Passage]) -> Iterator[tuple[int, str]]:
    for passage in passages:
        first = re.match(r"\w*", passage.text)
        if passage.docstring and first and first[0].lower() in FIRST_WORDS:
            yield passage.line, f"a docstring begins with {first[0]!r}: begin with a noun phrase or a verb"


def _replaced(passages: list[Passage]) -> Iterator[tuple[int, str]]:
    for passage in passages:
        for pattern, instead in PHRASES.items():
            for found in re.finditer(pattern.replace(" ", r"\s+"), passage.text, re.IGNORECASE):
                line = passage.line + passage.text.count("\n", 0, found.start())
                yield line, f"{' '.join(found[0].split())!r}: write {instead!r}"


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def main() -> int:
    """Check the files that are named, or all; the exit status."""
    paths = [Path(name).resolve() for name in sys.argv[1:]] or files()
    faults = [fault for path in paths for fault in faults_of(path)]
    print(*faults, f"prose: {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
