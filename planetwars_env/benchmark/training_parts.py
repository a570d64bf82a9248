"""Table of the parts of training: percentages of the CPU time of an update, each part without those it calls."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from typing import Any
from unittest.mock import patch

import torch

from planetwars_env.benchmark.measure import Reading, Table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.benchmark.training import AGENT, CREDIT, shipped_learner
from planetwars_env.learn import network, ppo
from planetwars_env.learn.ppo import PPO

REST = "the rest"


def table(settings: BenchmarkSettings) -> Table:
    """Return the table of the parts of an update with counterfactual credit, on one thread."""
    return Table(
        "training-parts",
        f"Parts of an update with the configuration of {AGENT}, one thread, each without the parts it calls",
        "% of CPU time",
        ("part",),
        [_probe],
        runs=3,
    )


def _probe(seconds: float) -> Iterator[Reading]:
    """Measure the parts over whole updates, of about a second each."""
    learner = shipped_learner(CREDIT)
    learner.advance()
    with _parts(learner) as spent:
        end = time.perf_counter() + 6 * seconds
        while not spent or time.perf_counter() < end:
            learner.advance()
    total = sum(spent.values())
    for name, used in spent.items():
        yield Reading((name,), 100 * used / total)


@contextmanager
def _parts(learner: PPO) -> Iterator[dict[str, float]]:
    """Yield the CPU seconds by part, counted while the context is open."""
    spent: dict[str, float] = {}
    within = [0.0]
    timed = partial(_timed, spent, within)
    places: list[tuple[Any, str, str]] = [
        (learner, "advance", REST),
        (learner.collectors[0], "collect", "environments"),
        (learner.collectors[0].baseline, "compare", "counterfactual credit"),
        (learner, "_act", "drawing actions"),
        (network, "collate", "packing"),
        (ppo, "join", "packing"),
        (ppo, "select", "packing"),
        (learner.network, "on", "forward"),
        (ppo, "ppo_loss", "loss"),
        (torch.Tensor, "backward", "backward"),
        (learner.optimizer, "step", "optimiser"),
        (torch.nn.utils, "clip_grad_norm_", "optimiser"),
    ]
    with ExitStack() as stack:
        for owner, name, part in places:
            stack.enter_context(patch.object(owner, name, timed(part, getattr(owner, name))))
        yield spent


def _timed(spent: dict[str, float], within: list[float], part: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``work`` that adds its CPU seconds to ``spent``; ``within``: a stack of the seconds of the parts it calls."""

    @wraps(work)
    def measured(*args: Any, **options: Any) -> Any:
        within.append(0.0)
        before = time.process_time()
        try:
            return work(*args, **options)
        finally:
            used = time.process_time() - before
            spent[part] = spent.get(part, 0.0) + used - within.pop()
            within[-1] += used

    return measured
