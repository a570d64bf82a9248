"""Baselines of the benchmark, trained and scored again by one command: python -m scripts.benchmark.baselines TRACK

Finished trainings and games are kept: the same command continues. With --steps and --seeds it is shorter, for a trial.
"""

import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.learn.score import TRACKS
from planetwars_env.text import slug

CONFIGS = Path(__file__).resolve().parent / "configs"
BOARD = Path(__file__).resolve().parents[2] / "leaderboard"
TRAINED = {
    "PPO against bots": "ppo-bots",
    "PPO in self-play": "ppo-self-play",
    "PPO in self-play, KL to a slow copy": "regularised",
    "PPO on flat inputs": "ppo-flat",
    "Shipped recipe": "recipe",
    "Fictitious play": "fictitious",
}
"""Methods of the tracks "learn" and "generalise", and the configuration of each; fictitious.py has none of its own."""
LEARNED = {
    "Behaviour cloning": "clone",
    "Behaviour cloning of won games": "best",
    "MARWIL": "weighted",
    "Implicit Q-learning": "iql",
}
"""Methods of the track "offline" (offline.py)."""
FIXED = {
    "learn": ("random", "ai3", "planner", "graph-planetwars-small", "graph-planetwars"),
    "exploit": ("ai3", "graph-planetwars-small", "graph-planetwars"),
    "generalise": ("ai3", "graph-planetwars"),
    "offline": ("random", "ai3"),
    "language": ("random", "ai3"),
}
"""Players that need no training."""

Track = StrEnum("Track", list(TRACKS))
Command = list[str]


def commands(track: str, steps: int, seeds: int, folder: Path) -> Iterator[Command]:
    """Yield the commands of a track's baselines, as words after ``python -m``."""
    for player in FIXED[track]:
        more = ["--steps", str(steps), "--seeds", str(min(3, seeds))] if track == "exploit" else []
        yield ["planetwars_env", "score", track, player, *more, "--out", str(BOARD / track / f"{slug(player)}.json")]
    methods = LEARNED if track == "offline" else TRAINED if track in ("learn", "generalise") else {}
    for name, what in methods.items():
        runs = [folder / f"{what}-{steps}-{seed}" for seed in range(seeds)]
        for seed, run in enumerate(runs):
            place = ["--seed", str(seed), "--out", str(run)]
            if track == "offline":
                yield ["scripts.benchmark.offline", what, "--decisions", str(steps), *place]
            elif what == "fictitious":
                yield ["scripts.benchmark.fictitious", "--steps", str(steps), *place]
            else:
                resumed = ["--resume"] if (run / "checkpoint.safetensors").is_file() else []
                config = [] if resumed else ["--config", str(CONFIGS / f"{what}.yaml"), "--steps", str(steps)]
                yield ["planetwars_env", "train", *config, *(place[2:] if resumed else place), *resumed]
        out = ["--name", name, "--out", str(BOARD / track / f"{what}-{steps}.json")]
        data = ["--data", "ai3-1m"] if track == "offline" else []
        yield ["planetwars_env", "score", track, *map(str, runs), *data, *out]


def main(
    track: Annotated[Track, typer.Argument(help="A track of the benchmark.")],
    steps: Annotated[int, typer.Option(min=1, help="Steps, or decisions, of each training.")] = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each method.")] = 5,
    folder: Annotated[Path, typer.Option(help="Where trainings are kept.")] = Path("runs/benchmark"),
    dry: Annotated[bool, typer.Option("--dry", help="Only print the commands.")] = False,
) -> None:
    """Train and score the baselines of a track into leaderboard/."""
    for words in commands(track.value, steps, seeds, folder):
        typer.echo(f"python -m {' '.join(words)}")
        if not dry and (done := subprocess.run([sys.executable, "-m", *words], check=False).returncode):
            raise typer.Exit(done)


if __name__ == "__main__":
    typer.run(main)
