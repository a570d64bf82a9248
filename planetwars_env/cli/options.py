"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

from typer import Option

PLAYER = "A bot, an agent, or a strategy: a .py file, a folder, a .zip, module:Class"
"""Beginning of the help on players."""
Graphs = Annotated[str, Option(help="A pool, a graph, a .dot file or a folder of .dot files.")]
Rules = Annotated[str, Option(help="PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS.")]
ResultsFile = Annotated[Path | None, Option(help="Write the results to this JSON file.")]
KeptGames = Annotated[Path, Option(help="Folder of games and tables; run the same command again, and it continues.")]
MaxTurns = Annotated[int | None, Option(min=1, help="The last turn; default: that of the rules.")]
Speed = Annotated[int, Option(min=1, max=60, help="Turns per second.")]
SecretSeed = Annotated[int | None, Option(help="A number that lets others repeat the games; default: a new secret.")]
Undisturbed = Annotated[
    bool, Option("--undisturbed", help="Play the graphs as they are; strategies may know them by heart.")
]
Unsafe = Annotated[
    bool,
    Option(
        "--unsafe",
        help="Run strategies from files without a sandbox, with all your rights, if this machine has none. "
        "Results then prove nothing about strategies that you do not trust.",
    ),
]
Seconds = Annotated[float, Option(min=0.01, help="CPU seconds per turn of a strategy from a file.")]
Memory = Annotated[int, Option(min=256, help="Memory of a strategy from a file, in MiB.")]
Jobs = Annotated[int, Option(help="Processes; -1: one per core.")]
Address = Annotated[
    str | None,
    Option(
        help='Play on the Ray cluster at this address, HOST:6379, or "auto" for the Ray of this machine. Strategies must lie '
        "at the same path on every machine."
    ),
]
Import = Annotated[str | None, Option("--import", help="Import this module first; it holds the network of an agent.")]
