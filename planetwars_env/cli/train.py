"""``planetwars train``: an agent out of thousands of games, with checkpoints, measurements and a learning curve."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.errors import require_for_training, resume_hint, user_errors
from planetwars_env.cli.shell import typed

if TYPE_CHECKING:
    from planetwars_env.learn.training import Run


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
    require_for_training()
    folder = out or Path("runs") / Path(config).stem
    with user_errors(lambda: resume_hint(folder)):
        _train(config, steps, seed, folder, resume)


def _train(name: str, steps: int | None, seed: int | None, folder: Path, resume: bool) -> None:
    console = Console()
    console.print(f"Training into {folder} ({'going on' if resume else 'configuration ' + name})", highlight=False)
    run = train_with_progress(console, name, folder, steps=steps, seed=seed, resume=resume)
    lines: list[tuple[object, ...]] = [("train", "--out", folder, "--resume")] if run.end == "interrupted" else []
    lines.append(("evaluate", folder, "--replays", folder / "replays"))
    following = "\n".join(f"  {typed('planetwars', *words)}" for words in lines)
    console.print(f"An agent is in {folder}. Next:\n{following}", highlight=False, soft_wrap=True)
    if run.end == "interrupted":
        raise typer.Exit(130)


def train_with_progress(console: Console, config: Any, folder: Path, **options: Any) -> "Run":
    """Train with a progress bar; ``options`` are those of `pw.train`."""
    from planetwars_env.cli.progress import training_bar
    from planetwars_env.learn.training import train

    with training_bar(console) as bar:
        run = train(config, folder, callback=bar, **options)
    said = {"done": "all steps done", "out of time": "cut short by its time limit", "interrupted": "interrupted"}
    speed = run.steps / run.seconds if run.seconds else 0
    console.print(
        f"Trained for {run.steps:,} steps in {run.seconds:.0f} s ({speed:,.0f} steps per second): {said[run.end]}.",
        highlight=False,
    )
    return run
