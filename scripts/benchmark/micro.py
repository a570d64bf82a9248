"""Calibration of exploitability: trained best responses beside exact ones, on tiny graphs.

    python -m scripts.benchmark.micro --steps 50000

The exact values are those of scripts/research/micro_exploitability.py, which OpenSpiel's algorithm confirms
(scripts/research/openspiel_micro.py). A value is the mean result of both sides: a win counts 1, a loss -1.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import planetwars_env as pw
from planetwars_env.graphs.dot import write_dot
from planetwars_env.learn.best_response import ExploitPlan, own_steps, response_config
from scripts.research.micro_exploitability import BOARDS, bot_policy, exploitability


def trained_value(graph: str, bot: str, turns: int, steps: int, seed: int, folder: Path) -> float:
    """Return the mean result of a trained response to a bot, as either player, playing greedily."""
    path = folder / f"{graph.replace(' ', '-')}.dot"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(write_dot(BOARDS[graph]), encoding="utf-8")
    config = response_config(ExploitPlan(bot, budget=steps / own_steps(bot)), "nothing", seed)
    task = replace(config.task, graphs=str(path), limits="tiny", max_turns=turns)
    out = folder / f"{path.stem}-{bot}-{turns}-{steps}-{seed}"
    if not (out / "weights.safetensors").is_file() or not (out / "done").is_file():
        run = pw.train(replace(config, task=task), out, resume=(out / "checkpoint.safetensors").is_file())
        (out / "done").write_text(str(run.steps))
    agent, results = str(out), []
    for players, own in (((agent, bot), 1), ((bot, agent), 2)):
        winner = pw.play_match(*players, BOARDS[graph], max_turns=turns).winner
        results.append(0 if not winner else 1 if winner == own else -1)
    return sum(results) / 2


def main(
    steps: Annotated[int, typer.Option(help="Environment steps of each training.")] = 50_000,
    turns: Annotated[int, typer.Option(help="The turn limit.")] = 8,
    seeds: Annotated[int, typer.Option(help="Trainings of each response.")] = 1,
    folder: Annotated[Path, typer.Option(help="Where trainings are kept.")] = Path("runs/micro"),
) -> None:
    """Print a table of exact and estimated values, as Markdown."""
    print("| graph | player | exact | trained responses | found |\n|---|---|---|---|---|")
    for graph, board in BOARDS.items():
        for bot in ("noop", "ai3", "advisor"):
            exact = exploitability(board, (bot_policy(bot, board, 1), bot_policy(bot, board, 2)), turns)[2]
            values = [trained_value(graph, bot, turns, steps, seed, folder) for seed in range(seeds)]
            shown = ", ".join(f"{value:g}" for value in values)
            print(f"| {graph} | {bot} | {exact} | {shown} | {'all' if max(values) == exact else 'less'} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
