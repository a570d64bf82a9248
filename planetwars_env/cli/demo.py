"""``planetwars demo``: from nothing to a measured agent in some minutes."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from planetwars_env.cli.errors import require_for_training, resume_hint, user_errors
from planetwars_env.cli.shell import activation, typed
from planetwars_env.files import alone

DEMO_OPPONENTS = ("random", "ai1", "ai2", "ai3")
DEMO_GAMES = 200
_OURS = (
    "results.json",
    "replay.json",
    "replay.txt",
    "replay.html",
    "learning_curve.png",
    "history.json",
    "checkpoint.safetensors",
    "tensorboard",
)


def demo(
    seed: Annotated[int, typer.Option(help="Of the network, the games and the boards drawn.")] = 0,
    out: Annotated[Path, typer.Option(help="The folder for everything; an earlier demo in it is replaced.")] = Path(
        "runs/demo"
    ),
    steps: Annotated[int | None, typer.Option(min=1, help="Fewer or more training steps than the usual ones.")] = None,
) -> None:
    """Train an agent for about three minutes and measure it against the bots on boards it never saw.

    \b
    Leaves the agent (config.yaml, weights.safetensors), results.json, learning_curve.png and a game as replay.html. Ctrl-C leaves
    an agent that can be used, and a checkpoint.
    Examples:
      planetwars demo
      planetwars demo --seed 7 --out runs/demo-7
    """
    require_for_training()
    with user_errors(lambda: resume_hint(out)):
        _demo(seed, out, steps)


def _demo(seed: int, out: Path, steps: int | None) -> None:
    from planetwars_env.bots.catalogue import resolve_player
    from planetwars_env.cli.results_table import evaluate_with_progress, results_table, save_results
    from planetwars_env.cli.train import train_with_progress
    from planetwars_env.engine.rules import PLANETWARS
    from planetwars_env.learn.config import load_config

    console = Console()
    config = load_config("demo")
    config = replace(config, schedule=replace(config.schedule, seed=seed, steps=steps or config.schedule.steps))
    _clear(out)
    console.print(
        f"An agent learns PlanetWars from nothing, into {out}. Ctrl-C stops it and keeps what it has learned.\n"
        "The first run on a machine compiles the game before it begins, for some seconds.",
        highlight=False,
    )
    run = train_with_progress(console, config, out)
    if run.end == "interrupted":
        commands = _commands(
            {
                typed("planetwars", "train", "--out", out, "--resume"): "go on",
                typed("planetwars", "evaluate", out): "measure it",
            }
        )
        console.print(f"The agent so far is in {out}. Next:\n{commands}", highlight=False, soft_wrap=True)
        raise typer.Exit(130)
    console.print("Now it plays every bot on 100 boards that it never saw, as both players.")
    against = [resolve_player(name) for name in DEMO_OPPONENTS]
    results = evaluate_with_progress(console, run.agent, against, "test", DEMO_GAMES, PLANETWARS, seed)
    save_results(out / "results.json", results)
    _save_game(run.agent, out, seed)
    console.print(results_table("On boards it never saw", results))
    console.print(what_next(out), highlight=False, soft_wrap=True)


def _clear(out: Path) -> None:
    """Remove an earlier demo's files, so that none of them is taken for this one's; BusyError where one still runs."""
    from planetwars_env.learn.training import LOCK

    out.mkdir(parents=True, exist_ok=True)
    with alone(out / LOCK, "the demo"):
        for name in _OURS:
            path = out / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _save_game(agent: Any, out: Path, seed: int) -> None:
    from planetwars_env.arena.games import play_match
    from planetwars_env.files import write_atomically
    from planetwars_env.render.pages import replay_page
    from planetwars_env.render.transcript import replay_text

    replay = play_match(agent, "ai1", "test/0", seed=seed)
    replay.save(out / "replay.json")
    write_atomically(out / "replay.txt", replay_text(replay).encode())
    write_atomically(out / "replay.html", replay_page(replay).encode())


def what_next(out: Path) -> str:
    """The files of a demo, and commands that go on from it."""
    commands = {
        typed("planetwars", "evaluate", out, "--opponents", "ai3", "--graphs", "fair"): "the agent elsewhere",
        typed("planetwars", "train", "--config", "default"): "train longer, into runs/default",
        typed("planetwars", "train", "--help"): "your own configuration",
        typed("tensorboard", "--logdir", out): "how it learned",
    }
    files = "the agent, results.json, learning_curve.png, replay.html (one game to watch)"
    return f"In {out}: {files}. What next:\n{_commands(commands)}"


def _commands(lines: dict[str, str]) -> str:
    """Lines to type, each with its meaning."""
    if activation():
        lines = {activation(): "once in every shell: then `planetwars` is enough", **lines}
    width = max(map(len, lines))
    return "\n".join(f"  {line:<{width}}  # {meaning}" for line, meaning in lines.items())
