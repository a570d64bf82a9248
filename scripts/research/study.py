"""Runner of studies: trains every arm with several seeds, and writes a table and a figure."""

import json
import time
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.errors import require_for_training, user_errors

if TYPE_CHECKING:
    from scripts.research.studies import Study

RESULTS = "study.json"


def study(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="networks, self-play, fractions, credit; all if none."),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Environment steps of every run.")] = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of every arm, with the seeds 0, 1, ...")] = 3,
    games: Annotated[int, typer.Option(min=1, help="Against each opponent at the end.")] = 200,
    keep: Annotated[Path, typer.Option(help="The folder for the runs; started again, it continues there.")] = Path(
        "runs/studies"
    ),
    out: Annotated[Path, typer.Option(help="The folder for pages and figures.")] = Path("docs/experiments"),
) -> None:
    """Answer questions by experiments: some minutes of one core a run, three runs an arm, one page and a figure a study.

    \b
    Examples:
      python -m scripts.research.study self-play
      python -m scripts.research.study self-play --steps 3000000
      python -m scripts.research.study self-play --steps 20000 --seeds 1 --games 4 --out /tmp
    """
    require_for_training()
    with user_errors(f"Finished runs are in {keep}: run the same command again, and it continues."):
        _study(names, steps, seeds, games, keep, out)


def _study(names: list[str] | None, steps: int, seeds: int, games: int, keep: Path, out: Path) -> None:
    from planetwars_env.files import write_atomically
    from scripts.research.studies import STUDIES
    from scripts.research.study_figure import save_bands

    for name in names or STUDIES:
        if name not in STUDIES:
            raise ValueError(f"unknown study {name!r}; known: {', '.join(STUDIES)}")
    console = Console()
    for name in names or STUDIES:
        found = _carry_out(console, STUDIES[name], steps, seeds, games, keep / f"{name}-{steps}")
        table = _table(STUDIES[name], found)
        save_bands(out / f"{name}.png", _curves(found))
        write_atomically(out / f"{name}.md", _page(name, STUDIES[name], table, steps, seeds, games).encode())
        console.print(table, highlight=False)
        console.print(f"The page is {out / name}.md.", highlight=False)


def _carry_out(
    console: Console, study: "Study", steps: int, seeds: int, games: int, folder: Path
) -> list[dict[str, Any]]:
    """The results of every run: arm, seed, curves and final results."""
    runs = [(arm, seed) for arm in study.arms for seed in range(seeds)]
    return [_run(console, study, arm, seed, steps, games, folder / f"{_slug(arm)}-{seed}") for arm, seed in runs]


def _run(console: Console, study: "Study", arm: str, seed: int, steps: int, games: int, folder: Path) -> dict[str, Any]:
    from planetwars_env.arena.evaluation import evaluate
    from planetwars_env.cli.train import train_with_progress
    from planetwars_env.files import write_atomically
    from planetwars_env.learn.run import HISTORY
    from planetwars_env.learn.tensors import CHECKPOINT

    done = folder / RESULTS
    if done.exists():
        return json.loads(done.read_text())
    console.print(f"{arm}, seed {seed}, into {folder}", highlight=False)
    began = time.process_time()
    run = train_with_progress(console, study.config(arm, seed, steps), folder, resume=(folder / CHECKPOINT).exists())
    spent = time.process_time() - began
    if run.end == "interrupted":
        raise KeyboardInterrupt
    ends = [(pool, evaluate(run.agent, [opponent], pool, games)[0].to_dict()) for pool, opponent in study.measured]
    history = json.loads((folder / HISTORY).read_text())
    found = {
        "arm": arm,
        "seed": seed,
        "steps": run.steps,
        "cpu_seconds": round(spent),
        "curve": [{key: row[key] for key in ("steps", "opponent", "win_rate")} for row in history["validation"]],
        "results": [{"boards": pool, **result} for pool, result in ends],
    }
    write_atomically(done, json.dumps(found, indent=1).encode())
    return found


def _slug(arm: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in arm.lower())


def _curves(found: list[dict[str, Any]]) -> dict[str, dict[str, list[list[tuple[int, float]]]]]:
    """By opponent, then by arm: the curve of every seed."""
    curves: dict[str, dict[str, list[list[tuple[int, float]]]]] = {}
    for run in found:
        for opponent in dict.fromkeys(row["opponent"] for row in run["curve"]):
            points = [(row["steps"], row["win_rate"]) for row in run["curve"] if row["opponent"] == opponent]
            curves.setdefault(opponent, {}).setdefault(run["arm"], []).append(points)
    return curves


def _table(study: "Study", found: list[dict[str, Any]]) -> str:
    """Markdown: an arm a line, the mean over seeds and the least and the most."""
    columns = [f"{opponent} on `{pool}`" for pool, opponent in study.measured]
    lines = [["", *columns, "CPU minutes a run"], ["---"] * (len(columns) + 2)]
    for arm in study.arms:
        runs = [run for run in found if run["arm"] == arm]
        rates = [[run["results"][i]["win_rate"] for run in runs] for i in range(len(columns))]
        shown = [f"{mean(each):.0%} ({min(each):.0%} to {max(each):.0%})" for each in rates]
        lines.append([arm, *shown, f"{mean(run['cpu_seconds'] for run in runs) / 60:.1f}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _page(name: str, study: "Study", table: str, steps: int, seeds: int, games: int) -> str:
    return f"""# {study.question}

This page answers that question for researchers, with a controlled experiment.
Rows are the settings compared; cells are the games won after training: mean over seeds (lowest to highest).

{table}

| setting | value |
| --- | --- |
| training seeds per row | {seeds} |
| environment steps per run | {steps:,} |
| games per opponent at the end | {games}, every graph as both players |
| reproduce with | `python -m scripts.research.study {name} --steps {steps} --seeds {seeds} --games {games}` |

The figure shows the win rate on the pool `validation` during training.
A line is the mean over seeds, and a band spans the lowest and the highest seed.
`scripts/research/studies.py` defines the settings.

![Win rate during training, by opponent]({name}.png)
{study.notes}"""


if __name__ == "__main__":
    typer.run(study)
