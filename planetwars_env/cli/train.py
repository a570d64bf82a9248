"""``planetwars train``: an agent out of thousands of games, with checkpoints, measurements and a learning curve."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from planetwars_env.cli.faults import how_to_resume, need_training, told


def train(
    config: Annotated[str, typer.Option(help="A shipped configuration, or a YAML file.")] = "default",
    steps: Annotated[
        int | None, typer.Option(min=1, help="Environment steps in all, instead of the configuration's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Instead of the configuration's.")] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; default: runs/<configuration>.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint in the run's folder.")] = False,
) -> None:
    """Train an agent. Ctrl-C leaves one that can be used, and a checkpoint to go on from.

    \b
    Examples:
      planetwars train                                  # the shipped configuration, into runs/default
      planetwars train --config graph-planetwars-small   # past ai3 in a quarter of an hour on two cores
      planetwars train --steps 300000 --seed 7 --out runs/quick
      planetwars train --config my.yaml --out runs/mine
      planetwars train --out runs/mine --resume         # after an interruption
      planetwars train --out runs/mine --resume --steps 5000000
      tensorboard --logdir runs                         # watch it learn
    """
    need_training()
    folder = out or Path("runs") / Path(config).stem
    with told(lambda: how_to_resume(folder)):
        _train(config, steps, seed, folder, resume)


def _train(name: str, steps: int | None, seed: int | None, folder: Path, resume: bool) -> None:
    from planetwars_env.learn.agent import CONFIG
    from planetwars_env.learn.config import load_config

    chosen = load_config(folder / CONFIG if resume else name)
    changes = {key: value for key, value in (("steps", steps), ("seed", seed)) if value is not None}
    chosen = replace(chosen, schedule=replace(chosen.schedule, **changes))
    console = Console()
    console.print(f"Training into {folder} ({'going on' if resume else 'configuration ' + name})", highlight=False)
    outcome = run_visibly(console, chosen, folder, resume)
    console.print(f"An agent is in {folder}. Next:", highlight=False)
    if outcome.end == "interrupted":
        console.print(f"  planetwars train --out {folder} --resume", highlight=False)
    console.print(f"  planetwars evaluate {folder} --replays {folder / 'replays'}", highlight=False)
    if outcome.end == "interrupted":
        raise typer.Exit(130)


def run_visibly(console: Console, config, folder: Path, resume: bool = False):
    """Train with a progress bar; the `Outcome`."""
    from planetwars_env.cli.progress import training_bar
    from planetwars_env.learn.training import train as train_agent

    with training_bar(console) as bar:
        outcome = train_agent(config, folder, resume, bar)
    said = {"done": "all steps done", "out of time": "cut short by its time limit", "interrupted": "interrupted"}
    speed = outcome.steps / outcome.seconds if outcome.seconds else 0
    console.print(
        f"Trained for {outcome.steps:,} steps in {outcome.seconds:.0f} s ({speed:,.0f} steps/s): {said[outcome.end]}.",
        highlight=False,
    )
    return outcome
