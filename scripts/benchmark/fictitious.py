"""Fictitious play on one page: python -m scripts.benchmark.fictitious --out runs/fictitious-0 --steps 1000000 --seed 0

Each of five players is trained against all before it and the bot ``random``, and begins with the weights of the last one
(Heinrich et al. 2015; policy-space response oracles with a uniform mixture, Lanctot et al. 2017). The last one is the entry.
An interrupted training goes on with the same command.
"""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.learn.config import load_config
from planetwars_env.learn.run import train

PLAYERS = 5


def main(
    out: Annotated[Path, typer.Option(help="The folder of the last player; those before it stand in folders within.")],
    steps: Annotated[int, typer.Option(min=PLAYERS, help="Of all trainings together.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the first training; each later one has the next.")] = 0,
) -> None:
    """Train a population, each player against all before it."""
    config = load_config(Path(__file__).parent / "configs" / "ppo-bots.yaml")
    population: list[str] = []
    folders = [out / f"player-{number}" for number in range(PLAYERS)]
    for number, folder in enumerate(folders):
        learner = replace(config.learner, start=population[-1] if population else "")
        task = replace(config.task, opponents=("random", *population))
        begun = (folder / "checkpoint.safetensors").is_file()
        chosen = replace(config, task=task, learner=learner)
        run = train(chosen, folder, steps=steps // PLAYERS, seed=seed + number, resume=begun)
        if run.end == "interrupted":
            raise typer.Exit(130)
        typer.echo(f"{folder}: {run.steps:,} steps against {len(task.opponents)} opponents")
        population.append(str(folder))
    for name in ("config.yaml", "weights.safetensors"):
        shutil.copy(folders[-1] / name, out / name)


if __name__ == "__main__":
    typer.run(main)
