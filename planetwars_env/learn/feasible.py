"""Checks of a configuration that need more than its text: names that are looked up, and the devices of this machine."""

import torch

from planetwars_env.bots.catalogue import resolve_players
from planetwars_env.bots.codes import SELF
from planetwars_env.envs.registration import rules_of
from planetwars_env.learn.config import ConfigError, TrainConfig


def check_feasible(config: TrainConfig) -> None:
    """ValueError for an unknown environment or opponent, one that is none, and a device that this machine lacks."""
    rules_of(config.task.environment)
    _check_opponents("task: opponents", config.task.opponents)
    _check_opponents("schedule: evaluation_opponents", config.schedule.evaluation_opponents)
    _check_device(config.learner.device)


def _check_opponents(where: str, names: tuple[str, ...]) -> None:
    if any(opponent.code == SELF for opponent in resolve_players(names)):
        raise ConfigError(
            f'{where} must not hold "self": the trainer learns one side of a game; for play against copies of the agent '
            "set league: share above 0"
        )


def _check_device(name: str) -> None:
    device = torch.device(name)
    if device.type == "cpu":
        return
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (device.index or 0) >= found:
        right = f'"cpu" or a number below {found}' if found else '"cpu"'
        raise ConfigError(f'learner: device is "{name}", but torch finds {found} CUDA devices here: set it to {right}')
