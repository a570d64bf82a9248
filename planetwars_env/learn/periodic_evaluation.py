"""Periodic evaluation of a learner on the validation graphs, by its most probable and by sampled actions."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import Result
from planetwars_env.learn.agent import make_agent
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.processes import own_device


def validate(config: TrainConfig, weights: dict[str, Tensor]) -> tuple[list[Result], list[Result]]:
    """Return the results of the most probable actions, and of sampled actions, on the validation graphs."""
    opponents, games = config.schedule.evaluation_opponents, config.schedule.evaluation_games
    mode, sampled = (
        evaluate_weights(config, weights, opponents, "validation", games, sample) for sample in (False, True)
    )
    return mode, sampled


def evaluate_weights(
    config: TrainConfig,
    weights: dict[str, Tensor],
    opponents: Sequence[str],
    graphs: str,
    games: int,
    sample: bool = False,
) -> list[Result]:
    """Return the results of ``games`` games on ``graphs`` against each opponent, by the rules of each environment.

    Where there are several, the rules stand after the opponent's name. The global random number generators keep their states.
    """
    with _seeded_generators(config.schedule.seed):
        agent = make_agent("evaluation", config, device=own_device(config.learner.device))
        agent.network.load_state_dict(weights)
        results = {
            rules.name: evaluate(agent, opponents, graphs, games, rules, sample=sample) for rules in config.task.rules
        }
    if len(results) == 1:
        return next(iter(results.values()))
    return [replace(one, opponent=f"{one.opponent} ({rules})") for rules, found in results.items() for one in found]


@contextmanager
def _seeded_generators(seed: int) -> Iterator[None]:
    """Seed the global random number generators of Python, NumPy and torch, and restore their states afterwards.

    A new network draws from torch's and a strategy may draw from any of them, but a resumed run must not depend on that.
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
