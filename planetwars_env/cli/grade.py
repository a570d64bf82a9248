"""Command `planetwars grade`: points by a scheme, of one strategy or of a class."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from planetwars_env.cli.options import PLAYER, Address, Jobs, SecretSeed, Undisturbed, Unsafe
from planetwars_env.cli.shell import check_writable, parse_players, plain_console, user_errors


def grade(
    submissions: Annotated[
        list[str],
        Argument(
            metavar="SUBMISSION...",
            help=f"{PLAYER}; or cmd:PROGRAM; several of them; or, with a .csv file as --out, one folder that holds a file "
            "or folder per student.",
        ),
    ],
    out: Annotated[Path | None, Option(help="Write the results: .json (one submission) or .csv (a class).")] = None,
    scheme: Annotated[
        str, Option(help="Opponents, points, games and limits: a YAML file; `planetwars docs grading` shows it.")
    ] = "course",
    html: Annotated[
        bool, Option("--html", help="With a .csv file: write pages, with every lost game to watch.")
    ] = False,
    lost: Annotated[int | None, Option(min=0, help="With --html: lost games per opponent; default: all.")] = None,
    gradescope: Annotated[Path | None, Option(help="Write the results.json of Gradescope (one submission).")] = None,
    graphs: Annotated[str | None, Option(help="Other graphs than the scheme's.")] = None,
    rules: Annotated[str | None, Option(help="Other rules than the scheme's.")] = None,
    seed: SecretSeed = None,
    undisturbed: Undisturbed = False,
    jobs: Jobs = -1,
    address: Address = None,
    unsafe: Unsafe = False,
) -> None:
    """Grade strategies: 100 isolated games against each of random, ai1, ai2 and ai3; 30 points for random, 10 for each AI.

    \b
    Examples:
      planetwars grade my_strategy.py
      planetwars grade my_strategy.py --graphs fair --out grade.json
      planetwars grade submissions/ --out grades.csv --html
      planetwars grade ada.py bob.zip eve/ --scheme mine.yaml --out grades.csv
    """
    console, begun = plain_console(), time.monotonic()
    a_class = len(submissions) > 1 or (out is not None and out.suffix == ".csv")
    if a_class:
        out = out or Path("runs/grades.csv")
    folder = Path("runs/printed") if out is None else out.with_suffix("")
    kept = f"Finished games are in {folder}: run the same command again, and it continues." if a_class else ""
    with user_errors(kept or "Files that were written are complete."):
        from planetwars_env.arena import grading, tasks, tournament
        from planetwars_env.arena.contestants import Submission, load_one, load_submissions
        from planetwars_env.arena.grading import load_scheme
        from planetwars_env.arena.round_robin import printed_file
        from planetwars_env.arena.submissions import find_submissions
        from planetwars_env.arena.tables import Table
        from planetwars_env.cli import results_table
        from planetwars_env.files import write_atomically
        from planetwars_env.graphs.catalogue import resolve_graphs
        from planetwars_env.text import last_line

        changed = {"graphs": graphs, "rules": rules, "seed": seed, "disturb": False if undisturbed else None}
        chosen = replace(load_scheme(scheme), **{key: value for key, value in changed.items() if value is not None})
        if a_class and gradescope is not None:
            raise ValueError("--gradescope grades one submission: name one, and no .csv file as --out")
        if not a_class and html:
            raise ValueError("--html needs a .csv file as --out: --out grades.csv")
        if a_class and out is not None and out.suffix != ".csv":
            raise ValueError(f"the grades of a class are written to a .csv file, not to {out}: --out grades.csv")
        check_writable(out)
        check_writable(gradescope)
        printed, limits = folder / tournament.PRINTED if a_class else folder, chosen.limits(unsafe)
        with tasks.ray_cluster(address), tournament.open_store(folder if a_class else None) as store:
            try:
                players = [] if a_class else parse_players(submissions)
                results_table.print_isolation(console, players, unsafe, others=a_class)
                results_table.print_seeds(console, chosen.seed, chosen.disturb)
                if a_class:
                    found = find_submissions(submissions, folder / "submissions")
                    console.print(f"Loading {len(found)} submissions.")
                    found = load_submissions(found, limits)
                    if broken := [[one.student, last_line(one.reason)] for one in found if one.player is None]:
                        title = f"{len(broken)} cannot be loaded and get 0 points"
                        results_table.print_table(console, Table(title, ["student", "reason"], broken))
                    else:
                        console.print("All of them can be loaded.")
                else:
                    found = [load_one(players[0], limits)]
                    printed_file(printed, found[0].student).unlink(missing_ok=True)  # of an earlier grading
                with results_table.tournament_bar(console) as bar:
                    grades = grading.grade_submissions(found, chosen, store, printed, bar, jobs, unsafe)
            except ValueError as fault:
                if gradescope is not None:
                    broken = grading.GradeReport(Submission("", "", None, str(fault)), (), (), chosen.total)
                    seconds = time.monotonic() - begun
                    results_table.save_json(gradescope, grading.gradescope_results(broken, chosen, seconds))
                raise
            players = [*(one.player for one in found if one.player is not None), *parse_players(chosen.opponents)]
            played = results_table.provenance(
                players, chosen.graphs, resolve_graphs(chosen.graphs), chosen.chosen_rules
            )
            if a_class and out is not None:
                results_table.print_table(console, grading.grades_table(grades, chosen).without("compete", "reason"))
                write_atomically(out, grading.grades_csv(grades, chosen).encode())
                seed_used = next((one.seed for one in grades if one.grades), None)
                results_table.save_json(
                    folder / "scheme.json", {**chosen.to_dict(), "seed": seed_used, "played": played}
                )
                files = str(out)
                if html:
                    grading.write_pages(out.with_suffix(".html"), grades, chosen, store, lost)
                    files += f" and {out.with_suffix('.html')}"
                console.print(f"The grades are in {files}, the games in {folder}.")
                console.print(f"{len(grades)} submissions in {time.monotonic() - begun:.0f} s.")
                return
        (report,) = grades
        player, file = report.player, printed_file(printed, report.player)
        results_table.print_moves(console, {player: report.moves}, first=True)
        title = f"{player} on {chosen.graphs}, {chosen.rules}: won / drawn / lost"
        results_table.print_table(console, report.table(title))
        results_table.print_moves(console, {player: report.moves})
        circling = (one.result.describe_circling(player) for one in report.grades)
        for line in [*grading.games_not_won(report), *filter(None, circling)]:
            console.print(line)
        results_table.print_faults(console, report.faults)
        if file.exists():
            console.print(f"What {player} printed is in {file}.")
        results = {**report.to_dict(), "graphs": chosen.graphs, "rules": chosen.rules}
        results["played"] = {**played, "scheme": chosen.to_dict()}
        for_gradescope = grading.gradescope_results(report, chosen, time.monotonic() - begun)
        for path, values in ((out, results), (gradescope, for_gradescope)):
            if path is not None:
                results_table.save_json(path, values)
                console.print(f"Results are in {path}.")
