"""Table of training: the trainer's steps per second, and an agent's actions per second."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from planetwars_env.benchmark.measure import Labels, Table, Work, throughput_table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.learn.agent import Agent, load_agent
from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.learn.learner import Learner, make_learner
from planetwars_env.learn.ppo import PPO
from planetwars_env.learn.processes import announce, started_group
from planetwars_env.shipped import data_root

AGENT = "graph-planetwars"
CREDIT, PLAIN, ACTION = "learning", "learning without baseline", "one action"


def table(settings: BenchmarkSettings) -> Table:
    """Return the table of the trainer; it starts from the shipped agent, whose games are longer than a beginner's."""
    learning = list(product((CREDIT, PLAIN), settings.threads))
    cases: dict[Labels, Any] = {case: partial(_learning, *case) for case in learning}
    return throughput_table(
        "training",
        f"The trainer with the configuration of {AGENT}, learning included",
        ("part", "processes"),
        cases | {(ACTION, 1): _single_actions},
        {(name, processes): (name, 1) for name, processes in learning if processes > 1},
        seconds_factor=6,  # an update takes about a second
        runs=3,
    )


@contextmanager
def _learning(name: str, processes: int) -> Iterator[Work]:
    """Learn from the shipped agent's weights; CPU time is that of process 0."""
    shipped = shipped_learner(name)
    saved = *shipped.state(), shipped.steps
    with updates(shipped.config, processes, saved) as (learner, update):

        def work() -> int:
            before = learner.steps
            update()
            return learner.steps - before

        yield work


@contextmanager
def updates(config: TrainConfig, processes: int, saved: Any = None) -> Iterator[tuple[Learner, Callable[[], None]]]:
    """Yield a learner that goes on from ``saved``, and a function that does what a run does for an update of it."""
    with started_group(processes):
        announce((config, saved))
        learner = make_learner(config)
        if saved:
            learner.restore(*saved)
        learner.state()

        def update() -> None:
            announce()
            learner.advance()
            learner.state()

        yield learner, update


@contextmanager
def _single_actions() -> Iterator[Work]:
    """Let an agent act on one observation after the other."""
    learner = shipped_learner(PLAIN)
    agent = load_agent(data_root("agents") / AGENT, limits=learner.collectors[0].batch.setup.limits)
    learner.advance()
    observations = {
        name: part.reshape(-1, 1, *part.shape[2:]) for name, part in learner.collectors[0].rollout.observations.items()
    }

    def work() -> int:
        for i in range(0, 4096, 64):
            agent.act({name: part[i] for name, part in observations.items()})
        return 64

    yield work


def shipped_learner(name: str) -> PPO:
    """Return a learner that goes on from the shipped agent, with counterfactual credit or (`PLAIN`) without it."""
    agent, config = _shipped(), load_config(AGENT)
    learner = replace(
        config.learner,
        kickstarting_coef=0.0,
        counterfactual_coef=0.0 if name == PLAIN else 1.0,
    )
    ppo = PPO(replace(config, learner=learner))
    ppo.network.load_state_dict(agent.network.state_dict())
    return ppo


def _shipped() -> Agent:
    return load_agent(data_root("agents") / AGENT)
