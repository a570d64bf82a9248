"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Graphs = Annotated[str, typer.Option(help="A pool, a graph, a .dot file or a folder of .dot files.")]
Rules = Annotated[str, typer.Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")]
ResultsFile = Annotated[Path | None, typer.Option(help="Write the results to this JSON file.")]
MaxTurns = Annotated[int | None, typer.Option(min=1, help="The last turn; default: that of the rules.")]
Speed = Annotated[int, typer.Option(min=1, max=60, help="Turns per second.")]
SecretSeed = Annotated[
    int | None, typer.Option(help="A number, with which others can repeat the games; default: a new secret.")
]
Undisturbed = Annotated[
    bool, typer.Option("--undisturbed", help="Play the graphs as they are; strategies may know them by heart.")
]
Unsafe = Annotated[
    bool,
    typer.Option(
        "--unsafe",
        help="Run strategies from files without a sandbox, with all your rights, if this machine has none. "
        "Results then prove nothing about strategies that you do not trust.",
    ),
]
Memory = Annotated[int | None, typer.Option(min=256, help="Memory of a strategy from a file, in MiB. Default: 2048.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1: one per core.")]
Address = Annotated[
    str | None,
    typer.Option(
        help='Play on the Ray cluster at this address, HOST:6379, or "auto" for the Ray of this machine. Strategies must lie '
        "at the same path on every machine."
    ),
]
Import = Annotated[
    str | None,
    typer.Option("--import", metavar="MODULE", help="Import this module first; it holds the network of an agent."),
]
