"""Command `planetwars evaluate`: win rates of a player against opponents."""

from __future__ import annotations

import re
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer import Argument, Option

from planetwars_env.cli import shell
from planetwars_env.cli.options import PLAYER, Graphs, Import, MaxTurns, Memory, ResultsFile, Rules, Unsafe

if TYPE_CHECKING:
    from planetwars_env.arena.plan import TournamentPlan
    from planetwars_env.arena.results import Result
    from planetwars_env.bots.catalogue import Player

_OPPONENTS = ["random", "ai1", "ai2", "ai3"]
_SETTINGS = {"vecnormalize": "--trust-pickle", "fractions": "--trust-pickle"}
_SETTINGS |= dict.fromkeys(("compact", "reply-seconds", "retries"), "llm:")
"""Settings of --set, and the players that have them."""


class Actions(StrEnum):
    """Actions of a policy with probabilities."""

    BOTH = "both"
    GREEDY = "greedy"
    SAMPLED = "sampled"


def evaluate(
    player: Annotated[
        str,
        Argument(metavar="PLAYER", help=f"{PLAYER}, or a run's folder; or a language model: llm:MODULE:FUNCTION."),
    ],
    opponents: Annotated[list[str] | None, Option(help="One or more players; default: random ai1 ai2 ai3.")] = None,
    more: Annotated[list[str] | None, Argument(metavar="", hidden=True)] = None,
    graphs: Graphs = "test",
    games: Annotated[int, Option(min=1, help="Games per opponent, half of them as either player.")] = 200,
    rules: Rules = "PLANETWARS",
    seed: Annotated[int, Option(help="Seed of the first game; every later game adds 1.")] = 0,
    actions: Annotated[Actions, Option(help="Of a policy: likeliest actions, sampled ones, or both.")] = Actions.BOTH,
    out: ResultsFile = None,
    replays: Annotated[Path | None, Option(help="Folder for pages of two games per opponent, lost ones first.")] = None,
    keep: Annotated[
        Path | None, Option(help="Keep every game in this folder, and continue from it; default: runs/model with llm:.")
    ] = None,
    in_process: Annotated[bool, Option("--in-process", help="Run strategies from files here, to debug them.")] = False,
    unsafe: Unsafe = False,
    memory: Memory = 2048,
    max_turns: MaxTurns = None,
    trust_pickle: Annotated[
        bool,
        Option(
            "--trust-pickle",
            help="Load PLAYER, a .zip model of Stable-Baselines3. It holds pickles, which can run any code: use it for "
            "files that you trust only.",
        ),
    ] = False,
    settings: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="Of a model with --trust-pickle: vecnormalize=FILE.pkl, fractions=0.25,0.5,1; of llm: "
            "reply-seconds=120, retries=3, compact=yes.",
        ),
    ] = None,
    import_: Import = None,
) -> None:
    """Measure how often a player wins, per opponent and side, with 95 % intervals.

    \b
    Examples:
      planetwars evaluate my_strategy.py --games 20 --replays games
      planetwars evaluate ai2 --opponents random ai1
      planetwars evaluate runs/demo --opponents ai3 --graphs fair --games 400 --out results.json
      planetwars evaluate llm:my_model:reply --opponents random ai1 --games 4 --keep runs/my_model
    """
    kept = f"Finished games are in {keep}: run the same command again, and it continues."
    again = "Files that were written are complete. The same command plays the same games again."
    with shell.user_errors(again if keep is None else kept):
        shell.import_named(import_)
        from planetwars_env.bots.catalogue import Kind, resolve_player

        parsed = shell.parse_players([player, *([*(opponents or []), *(more or [])] or _OPPONENTS)])
        model = parsed[0].kind is Kind.LANGUAGE_MODEL
        folder = keep or (Path("runs/model") if model else None)
        chosen = _settings(settings or [], {"--trust-pickle": trust_pickle, "llm:": model})
        shell.check_writable(out)
        from planetwars_env.arena import contestants, evaluation, isolation
        from planetwars_env.cli import results_table

        console = shell.plain_console()
        if in_process and any(one.kind.foreign for one in parsed[trust_pickle:]):
            typer.echo("Isolation: none (--in-process). Strategies run with all your rights: use it for your own only.")
        resolve = resolve_player if in_process else contestants.contestant_of
        players = [_model(player, chosen) if trust_pickle else resolve(parsed[0]), *map(resolve, parsed[1:])]
        messages = {"seconds": chosen.get("reply-seconds", 120.0), "compact": chosen.get("compact") == "yes"}
        if model:
            make = partial(players[0].make, retries=int(chosen.get("retries", 3)), **messages)
            players[0] = players[0]._replace(make=make)
        results_table.print_isolation(console, players, unsafe)
        limits = isolation.ResourceLimits(unsafe=unsafe, memory=memory * 2**20)
        both = evaluation.can_sample(players[0]) and actions is Actions.BOTH
        modes = [False, True] if both else [actions is Actions.SAMPLED]
        players = contestants.load_players(players, limits)
        results: list[Result] = []
        for sample in modes:
            choice: Any = {"limits": limits, "max_turns": max_turns, "keep_moves": bool(replays or folder)}
            plan = evaluation.plan_evaluation(players, graphs, games, rules, seed, sample, **choice)
            name = ("sampled" if sample else "greedy") if both else ""
            places = folder and folder / name, replays and replays / name
            results += _play(console, plan, players[0].name, graphs, *places, messages if model else None)
        if out is not None:
            conditions = {"seed": seed, "games": games, "max_turns": plan.max_turns, "limits": asdict(limits)}
            head = results_table.provenance(plan.contestants, graphs, plan.graphs, plan.rules, **conditions)
            results_table.save_results(out, results, head)
        for what, path in (("Results", out), ("Games to watch", replays)):
            if path is not None:
                console.print(f"{what} are in {path}.")


def _settings(given: list[str], allowed: dict[str, bool]) -> dict[str, Any]:
    """Return the settings by key. ValueError for one that is not known, or not of this player, or not a number."""
    settings: dict[str, Any] = {}
    for text in given:
        key, mark, value = text.partition("=")
        if key not in _SETTINGS or not mark:
            raise ValueError(f"--set {text}: choose KEY=VALUE with one of the keys {', '.join(_SETTINGS)}")
        if not allowed[_SETTINGS[key]]:
            raise ValueError(f"--set {key} belongs to a player with {_SETTINGS[key]}")
        settings[key] = value
        if key in ("reply-seconds", "retries"):
            if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", value):
                raise ValueError(f"--set {text}: a number from 0 on is needed, for example {key}=30")
            settings[key] = float(value)
    return settings


def _model(path: str, settings: dict[str, Any]) -> Player:
    """Return the model in a .zip file as a player. ValueError for another file, and for fractions that are not numbers."""
    shell.require("train", "torch", "stable_baselines3", "sb3_contrib")
    from planetwars_env.bots.catalogue import resolve_player
    from planetwars_env.learn.sb3 import SB3Policy

    if not path.endswith(".zip"):
        raise ValueError(f"--trust-pickle needs the .zip file of a model, not {path}")
    fractions = settings.get("fractions")
    try:
        values = None if fractions is None else [float(one) for one in fractions.split(",")]
    except ValueError:
        raise ValueError(f"fractions must be numbers separated by commas, not {fractions}") from None
    return resolve_player(SB3Policy(path, vecnormalize=settings.get("vecnormalize"), fractions=values))


def _play(
    console: Console,
    plan: TournamentPlan,
    player: str,
    graphs: str,
    folder: Path | None,
    replays: Path | None,
    model: dict[str, Any] | None,
) -> list[Result]:
    """Play the games that the folder lacks, save pages, and print the results, faults and moves.

    ``model``: the settings of a language model, None for other players.
    """
    from planetwars_env.arena import evaluation, game_store, model_evaluation, round_robin, standings, tournament
    from planetwars_env.bots.catalogue import Kind
    from planetwars_env.bots.language_model import ModelError
    from planetwars_env.cli import replay_pages, results_table

    here = model is not None or not any(one.isolated for one in plan.contestants)
    with tournament.open_store(folder) as store:
        if model is not None:
            if store.metadata("model", model) != model:
                raise ValueError(f"the games in {folder} were played with another --set: choose another --keep")
            store.save_metadata("model", model)
        with shell.games_bar(console, plan.games * (len(plan.contestants) - 1)) as count:
            transcripts = partial(model_evaluation.keep_transcripts, folder) if model is not None and folder else None
            try:
                jobs = None if here else -1
                plan = round_robin.run_tournament(plan, store, jobs, lambda games, _: count(games), transcripts)
            except ModelError as fault:
                raise ValueError(f"{fault}. Finished games are in {folder}: run the same command again") from fault
        results = evaluation.evaluation_results(plan, store)
        if replays is not None:
            replay_pages.save_pages(replays, replay_pages.evaluation_replays(plan, store))
        if model is not None and folder:
            for name, one in model_evaluation.write_report(plan, store, folder).items():
                console.print(f"against {name}: {one}")
            console.print(f"Games, transcripts and report.html are in {folder}.")
        games = store.games()
        moves, _ = standings.totals(games)
        kinds = {one.name: one.kind for one in plan.contestants}
        told = {name for name, kind in kinds.items() if kind.foreign or kind is Kind.LANGUAGE_MODEL}
        moves = {name: counts for name, counts in moves.items() if name in told}
        results_table.print_moves(console, moves, first=True)
        results_table.print_results(console, player, graphs, results)
        results_table.print_moves(console, moves)
        results_table.print_faults(console, [fault for _, _, fault in game_store.faults_of(games)])
    return results
