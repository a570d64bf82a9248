"""``planetwars graphs``: list the shipped graphs, print one, make the pools again or check them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.cli.errors import require, user_errors
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import GraphSpec, graph_names, load_graph, load_pool, resolve_graphs
from planetwars_env.graphs.dot import write_dot
from planetwars_env.graphs.graph import GraphError
from planetwars_env.graphs.pools import NAMED_FILE, POOLS, file_names, file_text
from planetwars_env.shipped import data_root

app = typer.Typer(help="List, print, make and check the shipped graphs.", no_args_is_help=True)


@app.command("make")
def make_graphs(
    out: Annotated[Path | None, typer.Option(help="The folder to write or check; default: the shipped one.")] = None,
    pool: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this one; may be repeated.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; compare files and checksums.")] = False,
    preview: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write no graphs; draw each pool as a contact sheet into it.")
    ] = None,
) -> None:
    """Make the shipped graphs again, bit for bit, or check them.

    \b
    Examples:
      planetwars graphs make --check            # do files, generator, checksums agree?
      planetwars graphs make --out /tmp/graphs  # all files, into a folder of your own
      planetwars graphs make --pool test --out /tmp/graphs
      planetwars graphs make --pool test --preview /tmp/sheets
    """
    folder = out or data_root()
    names = pool or file_names()
    for name in names:
        if name not in file_names():
            raise typer.BadParameter(f"there is no pool {name!r}; known: {', '.join(file_names())}")
    if preview is not None:
        for name in names:
            _draw(graph_names() if name == NAMED_FILE else name, preview / f"{name}.png")
    elif check:
        _check(folder, names)
    else:
        with user_errors("The files that are there are whole: the same command makes all of them again."):
            _make(folder, names)


@app.command("list")
def list_graphs() -> None:
    """List the shipped pools and boards with their numbers of planets and edges."""
    for name, pool in POOLS.items():
        graphs = load_pool(name)
        planets = [len(graph.planets) for graph in graphs]
        edges = [len(graph.edges) for graph in graphs]
        typer.echo(
            f"{name:<12}{len(graphs):>4} {pool.generator} boards, {min(planets)}-{max(planets)} planets, "
            f"{min(edges)}-{max(edges)} edges: {pool.about}"
        )
    for name in graph_names():
        graph = load_graph(name)
        typer.echo(f"{name:<12}   1 board, {len(graph.planets)} planets, edges: {len(graph.edges)}")


@app.command("show")
def show_graph(name: Annotated[str, typer.Argument(help="rings, test/17 or a .dot file")]) -> None:
    """Print one graph in the .dot dialect: planetwars graphs show rings."""
    try:
        typer.echo(write_dot(load_graph(name)), nl=False)
    except GraphError as error:
        raise typer.BadParameter(str(error)) from None


@app.command("preview")
def preview_graphs(
    graphs: Annotated[str, typer.Argument(help="A pool, a graph, a .dot file or a folder of them.")],
    out: Annotated[Path, typer.Option(help="The contact sheet: a .png or a .html.")] = Path("preview.png"),
) -> None:
    """Draw boards side by side on one contact sheet.

    \b
    Examples:
      planetwars graphs preview test
      planetwars graphs preview large --out large.html
      planetwars graphs preview my-boards/ --out mine.png
    """
    _draw(graphs, out)


def _draw(spec: GraphSpec, out: Path) -> None:
    if out.suffix == ".png":
        require("render", "PIL")
    from planetwars_env.render.preview import sheet_html, sheet_png

    with user_errors():
        graphs = resolve_graphs(spec)
        if out.suffix not in (".png", ".html"):
            raise ValueError(f"a contact sheet is a .png or a .html, not {out.name!r}")
        out.parent.mkdir(parents=True, exist_ok=True)
        title = f"{spec if isinstance(spec, str) else 'named boards'}: {len(graphs)} boards"
        data = sheet_png(graphs) if out.suffix == ".png" else sheet_html(title, graphs).encode()
        write_atomically(out, data)
    typer.echo(f"{title} drawn into {out}")


def _make(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        text = file_text(name)
        write_atomically(folder / f"{name}.dot", text.encode())
        typer.echo(f"{_checksum(text.encode())}  {name}.dot")


def _check(folder: Path, names: list[str]) -> None:
    faults = [fault for name in names for fault in check_file(folder, name)]
    for fault in faults:
        typer.echo(fault, err=True)
    if faults:
        raise typer.Exit(1)
    typer.echo(f"{folder}: {', '.join(names)}: identical, checksums correct")


def check_file(folder: Path, name: str) -> list[str]:
    """What is wrong with one shipped file: missing, unlike what is generated, or unlike its checksum in README.md."""
    path = folder / f"{name}.dot"
    if not path.is_file():
        return [f"{path} is missing"]
    data = path.read_bytes()
    faults = []
    if data != file_text(name).encode():
        faults.append(f"{path} differs from what is generated")
    readme = folder / "README.md"
    if readme.is_file() and f"\n{_checksum(data)}  {name}.dot\n" not in readme.read_text(encoding="utf-8"):
        faults.append(f"{path} differs from its checksum in {readme}")
    return faults


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
