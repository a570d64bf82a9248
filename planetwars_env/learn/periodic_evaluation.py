"""Validation of a learner in the midst of its run: against the evaluation opponents, by its mode and by sampling."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import Result
from planetwars_env.engine.rules import PRESETS
from planetwars_env.envs.registration import rules_of
from planetwars_env.learn.agent import Agent
from planetwars_env.learn.config import TrainConfig


def validate(config: TrainConfig, weights: dict[str, Tensor]) -> tuple[list[Result], list[Result]]:
    """Play on the validation graphs: results of the likeliest actions, and of actions drawn from the probabilities.

    The run's random number generators are left as they were found.
    """
    schedule, rules = config.schedule, PRESETS[rules_of(config.task.environment)]
    with _generators_of_its_own(schedule.seed):
        agent = Agent("validation", config)
        agent.network.load_state_dict(weights)
        mode, sampled = (
            evaluate(
                agent, schedule.evaluation_opponents, "validation", schedule.evaluation_games, rules, sample=sample
            )
            for sample in (False, True)
        )
    return mode, sampled


@contextmanager
def _generators_of_its_own(seed: int) -> Iterator[None]:
    """Begin the global random number generators of Python, NumPy and torch with ``seed``, and put them back afterwards.

    A new network draws from torch's, a strategy may draw from any of them, and a learner goes on with what they give.
    """
    python, numpy, own = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        torch.set_rng_state(own)
