"""Command `planetwars score`: results of the benchmark, played, trained for, and checked (docs/benchmark.md)."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from planetwars_env.arena.tables import Table
from planetwars_env.bots.catalogue import Kind
from planetwars_env.cli import shell
from planetwars_env.cli.options import Import, Jobs
from planetwars_env.names import chosen_name
from planetwars_env.text import slug

if TYPE_CHECKING:
    from planetwars_env.learn.score import Entry


def score(
    track: Annotated[str | None, Argument(help="learn, exploit, generalise, offline or language.")] = None,
    players: Annotated[
        list[str] | None,
        Argument(metavar="PLAYER...", help="The players of one method, one for each seed: bots, agents, files."),
    ] = None,
    check: Annotated[Path | None, Option("--check", metavar="FILE", help="Check a file of results instead.")] = None,
    sample: Annotated[int, Option(min=0, help="With --check: games that are played again.")] = 20,
    out: Annotated[Path | None, Option(help="The file of results; default: runs/score-TRACK-NAME.json.")] = None,
    name: Annotated[str, Option(help="Name of the entry; default: that of the first player.")] = "",
    steps: Annotated[int, Option(min=0, help="Steps of each training; with exploit: of each response.")] = 0,
    seeds: Annotated[int, Option(min=1, help="With exploit: trainings from each start.")] = 3,
    trained_on: Annotated[str, Option(help="With generalise: 10, 50, 100, 500 or endless graphs.")] = "500",
    data: Annotated[str, Option(help="With offline: the data set that was learned from.")] = "",
    jobs: Jobs = -1,
    import_: Import = None,
) -> None:
    """Play the games of a track of the benchmark and write one file of results; or check such a file.

    \b
    Examples:
      planetwars score learn runs/a-0 runs/a-1 runs/a-2 --name "My method"
      planetwars score exploit ai3 --steps 1000000 --seeds 1
      planetwars score offline runs/cloned --data ai3-1m
      planetwars score --check leaderboard/learn/ai3.json
    """
    if (check is None) == (track is None):
        raise typer.BadParameter("name a track and players, or --check FILE")
    kept = "Finished games and runs are kept: run the same command again, and it continues."
    with shell.user_errors("" if check is not None else kept):
        shell.import_named(import_)
        if check is not None:
            _check(check, sample)
            return
        from planetwars_env.learn.score import TRACKS, TRAINED_ON, Entry

        chosen = chosen_name(str(track), TRACKS, "there is no track")
        parsed = shell.parse_players(players or [])
        if not parsed or (chosen == "exploit" and len(parsed) > 1):
            raise ValueError(f"{chosen} needs {'one player' if chosen == 'exploit' else 'at least one player'}")
        chosen_name(trained_on, TRAINED_ON, "there is no --trained-on")
        title = name or parsed[0].name
        path = out or Path("runs") / f"score-{chosen}-{slug(title)}.json"
        shell.check_writable(path)
        notes, given = {"data": data} if chosen == "offline" else {}, tuple(players or ())
        trained = [steps] * len(given)
        for i, one in enumerate(parsed):
            if not steps and one.kind is Kind.AGENT:
                from planetwars_env.learn.agent import trained_steps

                trained[i] = trained_steps(given[i])
        entry = Entry(chosen, title, given, tuple(trained), trained_on, notes=notes)
        if chosen == "exploit":
            entry = _train_responses(entry, path, steps or 1_000_000, seeds)
        _play(entry, path, jobs)


def _train_responses(entry: "Entry", out: Path, steps: int, seeds: int) -> "Entry":
    """Train responses to the player of an entry into a folder beside ``out``; return the entry of these responses."""
    shell.require_for_training()
    from planetwars_env.cli.exploit import train_responses
    from planetwars_env.learn.best_response import own_steps

    (target,), folder = entry.players, out.with_suffix("")
    # two games only: those of the track come after them
    folder.mkdir(parents=True, exist_ok=True)
    found = train_responses(target, folder, budget=steps / own_steps(target), seeds=seeds, games=2)
    trained = [one for one in found if one["folder"]]
    rates = [one["validation"]["win_rate"] for one in trained]
    notes = {"starts": [one["start"] for one in trained], "validation": rates}
    responses = tuple(str(folder / one["folder"]) for one in trained)
    return replace(entry, players=responses, steps=tuple(one["steps"] for one in trained), target=target, notes=notes)


def _play(entry: "Entry", out: Path, jobs: int) -> None:
    from planetwars_env.cli.results_table import print_table
    from planetwars_env.learn.score import graphs_of, illegal_moves, play

    console = shell.plain_console()
    games = 2 * len(graphs_of(entry.track, entry.trained_on)) * len(entry.opponents) * len(entry.players)
    with shell.games_bar(console, games) as count:
        result = play(entry, out, jobs, lambda games, _: count(games))
    rates = result["scores"]["win_rates"]
    rows = [[task, *(f"{100 * rate[task]:.1f} %" for rate in rates)] for task in rates[0]]
    headings = ["opponent", *(f"seed {i}" for i in range(len(rates)))]
    print_table(console, Table(f"{entry.name}: games won", headings, rows))
    if entry.track == "language":
        console.print(f"Moves: {illegal_moves(result)}")
    if lost := result["forfeits"]:
        console.print(f"{len(lost)} of {games} games were forfeited and count as lost; the first: {lost[0][2]}")
    interval = result["scores"]["interval"]
    about = f"95 % interval {interval[0]:.1f} to {interval[1]:.1f}" if interval else "one seed, so no interval"
    console.print(f"Score on {entry.track}: {result['scores']['score']:.1f} ({about})")
    console.print(f"The result is in {out}. Check it: planetwars score --check {out}")


def _check(path: Path, sample: int) -> None:
    from planetwars_env.learn.score import check, read_result

    console = shell.plain_console()
    with shell.games_bar(console, len(read_result(path)["games"])) as count:
        checked = check(path, sample, count)
    played = checked.problem or f"{checked.equal:,} of {checked.moves:,} turns of a sample were played again alike"
    console.print(f"{path}: all {checked.games:,} games lead to the recorded results; {played}.")
