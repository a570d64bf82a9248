"""Command `planetwars train`: train an agent, with checkpoints, evaluations and a learning curve."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer import Option

from planetwars_env.cli.shell import plain_console, progress_bar, require_for_training, resume_hint, typed, user_errors

if TYPE_CHECKING:
    from planetwars_env.learn.run import Run


def train(
    config: Annotated[str, Option(help="A shipped configuration, or a YAML file.")] = "default",
    steps: Annotated[int | None, Option(min=1, help="Environment steps; default: the configuration's.")] = None,
    seed: Annotated[int | None, Option(help="Seed; default: the configuration's.")] = None,
    processes: Annotated[
        int | None, Option(min=0, help="Processes that train together, 0: one per processor; default: as configured.")
    ] = None,
    out: Annotated[Path | None, Option(help="Folder of the run; default: runs/<configuration>.")] = None,
    resume: Annotated[bool, Option("--resume", help="Go on from the checkpoint in the folder of the run.")] = False,
    profile: Annotated[
        bool, Option("--profile", help="Write a trace of one update for Perfetto or TensorBoard.")
    ] = False,
) -> None:
    """Train an agent. Ctrl-C saves an agent that can play, and a checkpoint to go on from.

    \b
    Examples:
      planetwars train --config graph-planetwars-small  # beats ai3 after some minutes
      planetwars train --config my.yaml --steps 300000 --seed 7 --out runs/mine
      planetwars train --out runs/mine --resume         # after an interruption
      planetwars train --config my.yaml --processes 2   # across machines: torchrun -m planetwars_env train ...
    """
    require_for_training()
    folder = out or Path("runs") / Path(config).stem
    with user_errors(lambda: resume_hint(folder)):
        from planetwars_env.learn.processes import launched
        from planetwars_env.learn.run import TRACE, follow

        if launched()[0] > 0:
            follow()
            return
        console = plain_console()
        if resume and not (folder / "checkpoint.safetensors").is_file():
            right = "name the folder of a run by --out, or begin without --resume"
            raise ValueError(f"{folder} holds no checkpoint to resume from: {right}")
        console.print(f"Training into {folder} ({'resumed' if resume else 'configuration ' + config})")
        run = train_with_progress(
            console, config, folder, steps=steps, seed=seed, processes=processes, resume=resume, profile=profile
        )
        if profile and (folder / TRACE).exists():
            viewers = "https://ui.perfetto.dev, which keeps it on your machine, or TensorBoard with torch-tb-profiler"
            console.print(f"A trace of one update is in {folder / TRACE}. Open it in {viewers}.", soft_wrap=True)
        console.print(f"An agent is in {folder}. Next:", soft_wrap=True)
        if run.end == "interrupted":
            console.print(f"  {typed('planetwars', 'train', '--out', folder, '--resume')}", soft_wrap=True)
        console.print(f"  {typed('planetwars', 'evaluate', folder, '--replays', folder / 'replays')}", soft_wrap=True)
        if run.end == "interrupted":
            raise typer.Exit(130)


def train_with_progress(console: Console, config: Any, folder: Path, **options: Any) -> "Run":
    """Train with a progress bar, or with a line for every tenth of the steps; ``options``: those of `pw.train`."""
    from planetwars_env.learn.run import train

    with progress_bar(console, "training", "{task.fields[state]}") as bar:
        task, printed = bar.add_task("", total=None, state="starting"), 0

        def show(row: dict[str, Any]) -> None:
            nonlocal printed
            steps, rate = row["steps"], row["win_rate"]
            if "opponent" in row:
                rates = f"{row['opponent']} {rate:.0%} ({row['sampled']['win_rate']:.0%})"
                console.print(f"  at {steps:,} steps, validation games won (when sampled): {rates}")
                return
            won = "no game has ended" if rate is None else f"{rate:.0%} of training games won"
            total = row["total"]
            state = f"{steps:,} of {total:,} steps, {won}, {row['speed']:,.0f} steps/s"
            bar.update(task, total=total, completed=min(steps, total), state=state)
            if not console.is_terminal and steps - printed >= total / 10:
                printed = steps
                console.print(state)

        run = train(config, folder, callback=show, **options)
    ends = {"done": "all steps done", "out of time": "cut short by its time limit", "interrupted": "interrupted"}
    speed = run.steps / run.seconds if run.seconds else 0
    console.print(
        f"Trained for {run.steps:,} steps in {run.seconds:.0f} s ({speed:,.0f} steps per second): {ends[run.end]}."
    )
    return run
