"""Command `planetwars benchmark`: speed of environments, rules and learning on this machine."""

from typing import Annotated

import typer
from rich.progress import Progress, TimeElapsedColumn
from typer import Option

from planetwars_env.cli.options import ResultsFile
from planetwars_env.cli.shell import check_writable, require_for_training, user_errors
from planetwars_env.names import chosen_name


def benchmark(
    quick: Annotated[bool, Option("--quick", help="Fewer sizes and shorter runs: one minute.")] = False,
    only: Annotated[list[str] | None, Option(help="Measure only this table; may be repeated.")] = None,
    out: ResultsFile = None,
    runs: Annotated[int | None, Option(min=1, help="Measurements per figure.")] = None,
) -> None:
    """Measure the speed of environments, rules and learning: median and spread of several runs.

    \b
    Tables: batch, rules, memory; and, only by name since it trains for up to an hour, learning.
    Examples:
      planetwars benchmark --quick                             # a first look
      planetwars benchmark --only batch --only rules           # two tables
      planetwars benchmark --runs 9 --out runs/benchmark.json  # all, and a file with every reading
      planetwars benchmark --only learning                     # seconds to strength, three seeds
    """
    from planetwars_env.benchmark import machine, markdown, measure, tables
    from planetwars_env.cli.results_table import save_json

    known, results = tables(quick), {"machine": machine(), "tables": {}}
    with user_errors(), Progress(*Progress.get_default_columns(), TimeElapsedColumn(), transient=True) as progress:
        check_writable(out)
        asked = {chosen_name(name, known, "there is no table") for name in only or ("batch", "rules", "memory")}
        chosen = [name for name in known if name in asked]
        if "learning" in chosen:
            require_for_training()
        for name in chosen:
            sequence = range(min(runs or (3 if quick else 5), known[name].runs))
            results["tables"][name] = measure(known[name], progress.track(sequence, description=name))
    typer.echo(markdown(results))
    if out is not None:
        with user_errors():
            save_json(out, results)
