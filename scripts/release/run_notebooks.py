"""Notebook runner: runs each in a new kernel and stores its outputs: python scripts/release/run_notebooks.py [NAME ...].

What is written depends on nothing but the cells and their outputs: a notebook that comes out as before stays the same file.
`make notebooks` runs all of them.
"""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import nbformat
import typer
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from traitlets.config import Config

from planetwars_env.files import write_atomically

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
SOURCES = "sources"
"""Key of a notebook's metadata: the digest of the cells that its outputs came from."""
_LONGEST = 3600
"""Seconds for a cell, on a machine that has other work too."""


def notebooks() -> list[Path]:
    """All of them, in their order."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """The notebook in a file."""
    return nbformat.read(path, as_version=4)


def code_of(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def executed(
    notebook: NotebookNode, settings: Mapping[str, str] | None = None, place: Path | None = None
) -> NotebookNode:
    """The notebook with the outputs of a run from top to bottom, in a fresh kernel; itself is changed.

    ``settings``: environment variables for it. ``place``: the folder that it runs in; None for an empty one.
    CellExecutionError where a cell fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        # IPython's own folder holds what its user has set up, which other people's kernels lack.
        environment = {**os.environ, "IPYTHONDIR": folder, **(settings or {})}
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=_LONGEST,
            startup_timeout=300,
            resources={"metadata": {"path": str(place or folder)}},
            record_timing=False,
            config=_sockets(folder),
        )
        return client.execute(env=environment)


def _sockets(folder: str) -> Config:
    """The connection to the kernel: sockets in a folder, since other users of the machine can listen to ports."""
    config = Config()
    if os.name != "nt":
        config.KernelManager.transport = "ipc"
        config.KernelManager.ip = f"{folder}/kernel"
        config.KernelManager.connection_file = f"{folder}/kernel.json"
    return config


def position_digest(notebook: NotebookNode) -> str:
    """Of the code cells."""
    return hashlib.sha256("\0".join(cell.source for cell in code_of(notebook)).encode()).hexdigest()[:16]


def tidied(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what differs from run to run or belongs to one machine."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata: dict[str, Any] = {
        "kernelspec": kernel,
        "language_info": {"name": "python"},
        SOURCES: position_digest(notebook),
    }
    cells = []
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output.data.pop("image/jpeg", None)  # the same picture again
        cells.append({**cell, "id": f"cell-{number}", "metadata": {}})
    tidy: Any = nbformat.from_dict({**notebook, "cells": cells, "metadata": metadata})
    return tidy


def main(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME ...]", help="For example 01; default: all.")
    ] = None,
) -> None:
    """Run notebooks and write them with their outputs."""
    chosen = [path for path in notebooks() if not names or path.name.startswith(tuple(names))]
    if not chosen:
        raise SystemExit(f"no notebook begins so: {', '.join(path.name for path in notebooks())}")
    for path in chosen:
        typer.echo(f"{path.name} ...")
        try:
            notebook = tidied(executed(read(path)))
        except CellExecutionError as fault:
            raise SystemExit(f"{path.name}: {fault}") from None
        write_atomically(path, (nbformat.writes(notebook) + "\n").encode())


if __name__ == "__main__":
    typer.run(main)
