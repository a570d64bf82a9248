"""Command `planetwars graphs`: list, show and draw graphs."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.cli.shell import require, user_errors
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import POOLS, graph_names, load_graph, load_pool, resolve_graphs
from planetwars_env.graphs.dot import write_dot

app = typer.Typer(help="List, show and draw graphs.", no_args_is_help=True)


@app.command("list")
def list_graphs() -> None:
    """List the shipped pools and graphs with their numbers of planets and edges.

    \b
    Examples:
      planetwars graphs list
      planetwars graphs list | grep large
      planetwars graphs list > graphs.txt
    """
    for name, pool in POOLS.items():
        graphs = load_pool(name)
        planets = [len(graph.planets) for graph in graphs]
        edges = [len(graph.edges) for graph in graphs]
        typer.echo(
            f"{name:<12}{len(graphs):>4} {pool.generator} graphs, {min(planets)}-{max(planets)} planets, "
            f"{min(edges)}-{max(edges)} edges: {pool.about}"
        )
    for name in graph_names():
        graph = load_graph(name)
        typer.echo(f"{name:<12}   1 graph, {len(graph.planets)} planets, {len(graph.edges)} edges")


@app.command("show")
def show_graph(name: Annotated[str, typer.Argument(help="A graph's name or a .dot file.")]) -> None:
    """Print one graph in the .dot dialect.

    \b
    Examples:
      planetwars graphs show rings
      planetwars graphs show test/17
      planetwars graphs show fair/20 > mine.dot
    """
    with user_errors():
        typer.echo(write_dot(load_graph(name)), nl=False)


@app.command("preview")
def preview_graphs(
    graphs: Annotated[str, typer.Argument(help="A pool, a graph, a .dot file or a folder of .dot files.")],
    out: Annotated[Path, typer.Option(help="The contact sheet: a .png or a .html.")] = Path("preview.png"),
) -> None:
    """Draw graphs side by side on one contact sheet.

    \b
    Examples:
      planetwars graphs preview test
      planetwars graphs preview large --out large.html
      planetwars graphs preview my-graphs/ --out mine.png
    """
    with user_errors():
        if out.suffix not in (".png", ".html"):
            raise ValueError(f"--out must end in .png or .html, not {out.name!r}")
        if out.suffix == ".png":
            require("render", "PIL")
        from planetwars_env.render.preview import sheet_html, sheet_png

        drawn = resolve_graphs(graphs)
        out.parent.mkdir(parents=True, exist_ok=True)
        title = f"{graphs}: {len(drawn)} graphs"
        write_atomically(out, sheet_png(drawn) if out.suffix == ".png" else sheet_html(title, drawn).encode())
    typer.echo(f"The contact sheet of {graphs} ({len(drawn)} graphs) is in {out}.")
