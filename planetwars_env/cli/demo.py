"""Command `planetwars demo`: train and measure an agent in one to three minutes."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from planetwars_env.cli import shell
from planetwars_env.files import exclusive_lock, write_atomically

_OPPONENTS = ("random", "ai1", "ai2", "ai3")
_GAMES = 200
_FILES = "results.json", "replay.json", "replay.html", "learning_curve.png", "history.json", "checkpoint.safetensors"
"""Files that a demo writes."""


def demo(
    seed: Annotated[int, Option(help="Seed of the network and the games.")] = 0,
    out: Annotated[Path, Option(help="Folder of all files, in place of an earlier demo's.")] = Path("runs/demo"),
    steps: Annotated[int | None, Option(min=1, help="Training steps; default: one to three minutes.")] = None,
) -> None:
    """Train an agent for one to three minutes and measure it against the bots on graphs it never saw.

    \b
    It writes the agent (config.yaml, weights.safetensors), results.json, learning_curve.png and a game (replay.html).
    Ctrl-C saves an agent that can play, and a checkpoint to go on from.
    Examples:
      planetwars demo
      planetwars demo --seed 7 --out runs/demo-7
      planetwars demo --steps 1000000                # longer, and stronger
    """
    shell.require_for_training()
    with shell.user_errors(lambda: shell.resume_hint(out)):
        from planetwars_env.arena.evaluation import evaluate
        from planetwars_env.arena.games import play_match
        from planetwars_env.bots.catalogue import resolve_player
        from planetwars_env.cli import results_table
        from planetwars_env.cli.train import train_with_progress
        from planetwars_env.engine.rules import PLANETWARS
        from planetwars_env.graphs.catalogue import load_pool
        from planetwars_env.learn.config import load_config
        from planetwars_env.learn.run import LOCK
        from planetwars_env.render.pages import replay_page

        console = shell.plain_console()
        config = load_config("demo")
        config = replace(config, schedule=replace(config.schedule, seed=seed, steps=steps or config.schedule.steps))
        out.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(out / LOCK, "the demo"):  # BusyError if an earlier one is still running
            shutil.rmtree(out / "tensorboard", ignore_errors=True)
            for name in _FILES:
                (out / name).unlink(missing_ok=True)
        console.print(
            f"An agent learns PlanetWars. Its files go to {out}. Ctrl-C stops it and saves the agent.\n"
            "The first run on a machine compiles the rules first, which takes some seconds."
        )
        run = train_with_progress(console, config, out)
        if run.end == "interrupted":
            go_on = shell.typed("planetwars", "train", "--out", out, "--resume")
            commands = _commands({go_on: "go on", shell.typed("planetwars", "evaluate", out): "measure it"})
            console.print(f"The agent is in {out}. Next:\n{commands}", soft_wrap=True)
            raise typer.Exit(130)
        console.print("It now plays every bot on 100 graphs that it never saw, as both players.")
        with shell.games_bar(console, _GAMES * len(_OPPONENTS)) as count:
            results = evaluate(run.agent, _OPPONENTS, "test", _GAMES, PLANETWARS, seed, lambda _: count(1))
        players = [resolve_player(str(out)), *map(resolve_player, _OPPONENTS)]
        head = results_table.provenance(players, "test", load_pool("test"), PLANETWARS, seed=seed, games=_GAMES)
        results_table.save_results(out / "results.json", results, head)
        replay = play_match(run.agent, "ai1", "test/0", seed=seed)
        replay.save(out / "replay.json")
        write_atomically(out / "replay.html", replay_page(replay).encode())
        results_table.print_table(console, results_table.results_table("On graphs it never saw", results))
        console.print(what_next(out), soft_wrap=True)


def what_next(out: Path) -> str:
    """Return a text on the files of a demo and the next commands."""
    commands = {
        shell.typed("planetwars", "evaluate", out, "--opponents", "ai3", "--graphs", "fair"): "on other graphs",
        shell.typed("planetwars", "train", "--config", "default"): "train longer, into runs/default",
        shell.typed("planetwars", "train", "--help"): "with your own configuration",
        shell.typed("tensorboard", "--logdir", out): "see how it learned",
    }
    files = "the agent, results.json, learning_curve.png, replay.html (one game to watch)"
    return f"In {out}: {files}. What next:\n{_commands(commands)}"


def _commands(lines: dict[str, str]) -> str:
    """Return commands to type, each with a comment."""
    width = max(map(len, lines))
    return "\n".join(f"  {line:<{width}}  # {meaning}" for line, meaning in lines.items())
