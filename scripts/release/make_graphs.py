"""Make the shipped graphs again, bit for bit, or check them: python -m scripts.release.make_graphs [--check]."""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.cli.shell import user_errors
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import NAMED_FILE, POOLS
from planetwars_env.graphs.dot import write_dot
from planetwars_env.graphs.generators import generate_graph
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.shipped import data_root

app = typer.Typer(add_completion=False)


@app.command()
def make_graphs(
    out: Annotated[Path | None, typer.Option(help="The folder to write or check; default: the shipped one.")] = None,
    pool: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this file; may be repeated.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; compare files and checksums.")] = False,
) -> None:
    """Make the shipped graphs again, or compare files, generator and checksums.

    \b
    Examples:
      python -m scripts.release.make_graphs --check
      python -m scripts.release.make_graphs --out /tmp/graphs
      python -m scripts.release.make_graphs --pool test --out /tmp/graphs
    """
    folder, names = out or data_root(), pool or file_names()
    for name in names:
        if name not in file_names():
            raise typer.BadParameter(f"there is no pool {name!r}; known: {', '.join(file_names())}")
    with user_errors("Files that were written are complete; the same command makes all of them again."):
        (_check if check else _make)(folder, names)


def _make(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        data = file_text(name).encode()
        write_atomically(folder / f"{name}.dot", data)
        typer.echo(f"{_checksum(data)}  {name}.dot")


def _check(folder: Path, names: list[str]) -> None:
    faults = [fault for name in names for fault in check_file(folder, name)]
    for fault in faults:
        typer.echo(fault, err=True)
    if faults:
        raise typer.Exit(1)
    typer.echo(f"{folder}: {', '.join(names)}: identical, checksums correct")


def check_file(folder: Path, name: str) -> list[str]:
    """Return the faults of one file: missing, unlike the generator's text, or unlike its checksum in README.md."""
    path = folder / f"{name}.dot"
    if not path.is_file():
        return [f"{path} is missing"]
    data, faults = path.read_bytes(), []
    if data != file_text(name).encode():
        faults.append(f"{path} differs from what is generated")
    readme = folder / "README.md"
    if readme.is_file() and f"\n{_checksum(data)}  {name}.dot\n" not in readme.read_text(encoding="utf-8"):
        faults.append(f"{path} differs from its checksum in {readme}")
    return faults


def file_names() -> list[str]:
    """The names of the shipped files, without their ending."""
    return [*POOLS, NAMED_FILE]


def file_text(name: str) -> str:
    """The whole text of ``graphs/<name>.dot``, made from nothing: the same every time."""
    if name == NAMED_FILE:
        return _text("named: small boards drawn by hand", named_graphs())
    pool = POOLS[name]
    boards = [generate_graph(pool.generator, pool.first_seed + i) for i in range(pool.count)]
    named = [Graph(f"{name}/{i}", board.planets, board.edges) for i, board in enumerate(boards)]
    return _text(f"{name}: {pool.count} {pool.generator} boards, {pool.about}", named)


def named_graphs() -> list[Graph]:
    """The small graphs ``duel``, ``line``, ``k4`` and ``rings``; on each the players are in the same position."""
    # 1 -- 2
    duel = Graph("duel", [Planet(1, 5, 200, 1.0, 1.0, 1), Planet(2, 5, 200, 4.0, 1.0, 2)], [Edge(1, 2, 3)])
    # 1 -- 2 -- 3 -- 4 -- 5
    sizes = [200, 150, 400, 150, 200]
    row = [Planet(i + 1, 5, size, 1.0 + 2 * i, 1.0, {0: 1, 4: 2}.get(i, 0)) for i, size in enumerate(sizes)]
    line = Graph("line", row, [Edge(i, i + 1, 2) for i in range(1, 5)])
    # Four planets, each joined to every other one; the bases at opposite corners.
    corners = [(1.0, 1.0, 1), (5.0, 1.0, 0), (1.0, 5.0, 0), (5.0, 5.0, 2)]
    square = [Planet(i, 5, 250, x, y, base) for i, (x, y, base) in enumerate(corners, 1)]
    pairs = [(a, b) for a in range(1, 5) for b in range(a + 1, 5)]
    k4 = Graph("k4", square, [Edge(a, b, {(1, 4): 5, (2, 3): 5}.get((a, b), 3)) for a, b in pairs])
    # Two rings of four, each with a base at its far end, joined by a bridge.
    # 1 - 2     5 - 6
    # |   |   / |   |
    # 3 - 4 -   7 - 8
    places = [(1.0, 4.0), (3.0, 4.0), (1.0, 2.0), (3.0, 2.0)]
    kinds = [(5, 250), (3, 300), (8, 150), (4, 400)]
    left = [Planet(i + 1, *kinds[i], *places[i], 1 if i == 0 else 0) for i in range(4)]
    right = [Planet(9 - p.id, p.habitability, p.size, 10.0 - p.x, 6.0 - p.y, 2 if p.base else 0) for p in left]
    ring = [Edge(1, 2, 2), Edge(1, 3, 3), Edge(2, 4, 4), Edge(3, 4, 2)]
    image = [Edge(9 - edge.a, 9 - edge.b, edge.weight) for edge in ring]
    return [duel, line, k4, Graph("rings", left + right, [*ring, Edge(4, 5, 4), *image])]


def _text(title: str, graphs: list[Graph]) -> str:
    return "\n".join([f"// {title}. Written by planetwars graphs make.", *map(write_dot, graphs)])


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    app()
