"""Make the shipped graphs again, bit for bit, or check them: python -m scripts.release.make_graphs [--check]."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.cli.errors import user_errors
from planetwars_env.files import write_atomically
from planetwars_env.graphs.pools import file_names, file_text
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


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    app()
