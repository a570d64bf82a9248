"""Command `planetwars docs`: the pages of the documentation, which are part of the package."""

from importlib.metadata import metadata
from typing import Annotated

import typer

from planetwars_env.cli.shell import plain_console
from planetwars_env.names import known_name, suggestion
from planetwars_env.shipped import data_root


def docs(
    page: Annotated[str | None, typer.Argument(help="A page, for example rules; all are listed if left out.")] = None,
) -> None:
    """Print a page of the documentation, or list the pages.

    \b
    Examples:
      planetwars docs
      planetwars docs rules
      planetwars docs experiments/credit
    """
    folder = data_root("docs")
    pages = {one.relative_to(folder).with_suffix("").as_posix(): one for one in sorted(folder.rglob("*.md"))}
    if page is None:
        for name, one in pages.items():
            with one.open(encoding="utf-8") as file:
                typer.echo(f"{name:<32}{file.readline().strip('# ').strip()}")
        for address in metadata("planetwars-env").get_all("Project-URL") or []:
            typer.echo(address)
        return
    asked = page.removeprefix("docs/").removesuffix(".md")
    name = known_name(asked, pages)
    if name is None:
        raise typer.BadParameter(f"there is no page {page!r} (`planetwars docs` lists all){suggestion(asked, pages)}")
    from rich.markdown import Markdown

    console, text = plain_console(), pages[name].read_text(encoding="utf-8")
    if console.is_terminal:
        with console.pager(styles=True):
            console.print(Markdown(text))
    else:
        typer.echo(text, nl=False)
