"""Configuration of a run as it is started, and its checks against this machine, before anything is written."""

import os
from dataclasses import replace
from pathlib import Path

from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.catalogue import resolve_players
from planetwars_env.learn.agent import load_weights, make_agent
from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.learn.devices import check_device
from planetwars_env.learn.plugs import import_plugs
from planetwars_env.learn.processes import launched
from planetwars_env.settings import ConfigError


def configured(
    config: TrainConfig | str | Path, steps: int | None, seed: int | None, processes: int | None = None
) -> TrainConfig:
    """Return a configuration, by name or file, with those values replaced that are given, and its number of processes."""
    chosen = config if isinstance(config, TrainConfig) else load_config(config)
    changes = {key: value for key, value in (("steps", steps), ("seed", seed)) if value is not None}
    if changes.get("steps", 1) < 1:
        raise ValueError(f"steps must be at least 1, not {steps}")
    count = chosen.learner.processes if processes is None else processes
    count = launched()[1] if launched()[1] > 1 else count or os.cpu_count() or 1
    learner = replace(chosen.learner, processes=count)
    return replace(chosen, learner=learner, schedule=replace(chosen.schedule, **changes))


def check_feasible(config: TrainConfig) -> None:
    """Raise ValueError for an unknown opponent, ``self``, weights to start from that do not fit, too many
    processes and a missing device.
    """
    import_plugs(config)
    _check_opponents("task: opponents", config.task.opponents)
    _check_opponents("schedule: evaluation_opponents", config.schedule.evaluation_opponents)
    if config.learner.start:
        load_weights(make_agent("start", config).network, config.learner.start)
    _check_processes(config)
    _check_devices(config.learner.device, config.learner.processes)


def _check_opponents(where: str, names: tuple[str, ...]) -> None:
    if any(opponent.code == SELF_PLAY for opponent in resolve_players(names)):
        raise ConfigError(
            f'{where} must not hold "self": the trainer learns one side of a game; to play against copies of the agent, '
            "set league: self_play_fraction above 0"
        )


def _check_processes(config: TrainConfig) -> None:
    learner, count, kinds = config.learner, config.learner.processes, len(config.task.environments)
    if count < 1 or count * kinds > learner.num_envs:
        most = f"num_envs, which is {learner.num_envs}" + (f", divided by {kinds} environments" if kinds > 1 else "")
        raise ConfigError(f"learner: processes must be between 1 and {most}, not {count}")
    if count > 1 and learner.algorithm != "ppo":
        raise ConfigError(f"learner: processes must be 1 with algorithm: {learner.algorithm}, not {count}")


def _check_devices(name: str, processes: int) -> None:
    if processes == 1 or name == "cpu":
        check_device("learner: device", name)
        return
    if name != "cuda":
        raise ConfigError(f'learner: device must be "cpu" or "cuda" with {processes} processes, not "{name}"')
    check_device("learner: device", name, int(os.environ.get("LOCAL_WORLD_SIZE", processes)))
