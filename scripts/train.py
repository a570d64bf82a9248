"""Train an agent and measure it on graphs that it never saw: python scripts/train.py [CONFIG] --out runs/mine."""

from pathlib import Path
from typing import Annotated

import typer

import planetwars_env as pw


def main(
    config: Annotated[str, typer.Argument(help="A shipped configuration's name, or a YAML file.")] = "demo",
    out: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("runs/first"),
    steps: Annotated[int | None, typer.Option(help="Environment steps; default: the configuration's.")] = None,
    seed: Annotated[int | None, typer.Option(help="Default: the configuration's.")] = None,
    games: Annotated[int, typer.Option(help="Against each opponent at the end.")] = 200,
) -> None:
    """Train, then play against three bots on the graphs of the pool test, which no training uses."""
    run = pw.train(config, out, steps=steps, seed=seed)  # Ctrl-C ends it early; the agent so far is kept
    print(run)

    for result in pw.evaluate(run.agent, ["random", "ai1", "ai3"], graphs="test", games=games):
        print(result)

    replay = pw.play_match(run.agent, "ai3", "test/17", seed=0)
    replay.save(run.folder / "game.json")
    print(f"A game to look at: planetwars watch {run.folder / 'game.json'} --out game.html")


if __name__ == "__main__":
    typer.run(main)
