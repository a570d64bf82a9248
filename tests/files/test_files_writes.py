"""No module writes to a file that has its name already: everything goes through `replacement_file` (planetwars_env/files.py)."""

from __future__ import annotations

import ast

import pytest

from support.paths import PACKAGE

WRITES = {
    "write_text", "write_bytes", "savefig", "savez", "savez_compressed", "save_file", "imsave", "to_csv", "copyfile",
}  # fmt: skip
ALLOWED = {
    ("files.py", "write_bytes"): "into a draft",
    ("arena/submissions.py", "copyfile"): "into a folder of its own, before anything reads it",
    ("arena/round_robin.py", "open"): "appended to, while a tournament plays",
    ("arena/confinement/walls.py", "write_bytes"): "a strategy's files, into a folder of its own",
    ("bots/source_files.py", "write_bytes"): "into a temporary folder",
    ("learn/datasets.py", "savez_compressed"): "into memory, and then in one step",
    ("arena/confinement/walls.py", "write_text"): "/proc, to set up the namespaces of a strategy's process",
}


def writes(source: str) -> set[str]:
    """Names of the calls that write to a file by its name."""
    found = set()
    for node in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = ast.unparse(node.func).split(".")[-1]
        given = [*node.args, *(key.value for key in node.keywords)]
        modes = [arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if name in WRITES or (name in ("open", "fdopen") and any(set(mode) & set("wax") for mode in modes)):
            found.add(name)
    return found


def test_everything_is_written_in_one_step() -> None:
    sources = {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in PACKAGE.rglob("*.py")}
    assert {(place, name) for place, source in sources.items() for name in writes(source)} <= set(ALLOWED)


@pytest.mark.parametrize(
    "source",
    ['path.open("w")', 'open(path, mode="a")', "path.write_text(text)", "figure.savefig(path)", 'open(p, "xb")'],
)
def test_the_scan_finds_who_does_not(source: str) -> None:
    assert writes(source)
