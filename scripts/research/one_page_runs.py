"""Training runs of scripts/self_play_ppo.py against bots, evaluated as the project's own trainer evaluates."""

import time
from dataclasses import asdict, fields
from pathlib import Path

import planetwars_env as pw
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.history import History
from planetwars_env.learn.training import TrainingCallback
from scripts.self_play_ppo import Args, NetworkPolicy, main


def train_one_page(config: TrainConfig, folder: Path, callback: TrainingCallback) -> pw.Run:
    """Train the one page with the hyper-parameters and opponents of ``config``; write policy.pt and the history."""
    learner, schedule, history = config.learner, config.schedule, History()
    shared = {name: value for name, value in asdict(learner).items() if name in {field.name for field in fields(Args)}}
    args = Args(
        **shared,
        seed=schedule.seed,
        total_timesteps=schedule.steps,
        shaping=config.task.shaping,
        width=config.network.width,
        rounds=config.network.rounds,
        opponents=",".join(config.task.opponents),
        eval_every=max(1, schedule.evaluate_every // (learner.num_envs * learner.num_steps)),
        test_games=2,
        out=str(folder),
    )
    measuring = 0.0

    def report(policy: NetworkPolicy, steps: int) -> None:
        nonlocal measuring
        begun = time.monotonic()
        opponents, games = list(schedule.evaluation_opponents), schedule.evaluation_games
        players = policy, NetworkPolicy(policy.network, sample=True)
        history.validated(steps, *(pw.evaluate(player, opponents, "validation", games) for player in players))
        callback.on_update(steps, None, steps / (begun - started - measuring))
        measuring += time.monotonic() - begun

    started = time.monotonic()
    callback.on_start(0, schedule.steps)
    main(args, report)
    history.save(folder)
    return pw.Run(folder, "done", schedule.steps, time.monotonic() - started - measuring)
