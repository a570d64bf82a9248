"""Work that test_interruption cuts short, as a program of its own: python doing.py WORK FOLDER."""

import sys
from pathlib import Path

from typer.testing import CliRunner

from planetwars_env.cli.main import app

CONFIG = """
task: {opponents: [random], graphs: rings, fractions: [0.5, 1.0], max_turns: 40}
network: {width: 8, rounds: 1}
learner: {games: 8, rollout: 16, batch_size: 64, epochs: 1}
schedule: {steps: 4096, checkpoint_every: 128, evaluate_every: 200, evaluation_opponents: [random], evaluation_games: 2}
"""


def commands(work: str, folder: Path) -> list[str]:
    """What is typed for it, again and again until it is done."""
    run = folder / "run"
    if work in ("train", "train a little"):
        (folder / "tiny.yaml").write_text(CONFIG)
        again = ["--resume"] if (run / "checkpoint.safetensors").exists() else ["--config", str(folder / "tiny.yaml")]
        steps = "512" if work == "train a little" else "4096"
        return ["train", "--out", str(run), "--steps", steps, *again]
    return {
        "evaluate": ["evaluate", "ai2", "--opponents", "ai1", "--games", "60", "--out", str(run / "results.json")],
        "rank": ["rank", "random", "ai1", "ai2", "--games", "40", "--jobs", "1", "--out", str(run)],
        "maps": ["graphs", "make", "--pool", "test", "--pool", "validation", "--pool", "large", "--out", str(run)],
    }[work]


if __name__ == "__main__":
    result = CliRunner().invoke(app, commands(sys.argv[1], Path(sys.argv[2])))
    print(result.output)
    sys.exit(result.exit_code)
