"""Table of training: the trainer's steps per second, and an agent's actions per second."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from planetwars_env.benchmark.measure import Labels, Table, Work, throughput_table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.learn.agent import Agent, load_agent
from planetwars_env.learn.ppo import PPO
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
        ("part", "threads"),
        cases | {(ACTION, 1): _single_actions},
        {(name, threads): (name, 1) for name, threads in learning if threads > 1},
        seconds_factor=6,  # an update takes about a second
        runs=3,
    )


@contextmanager
def _learning(name: str, threads: int) -> Iterator[Work]:
    learner = shipped_learner(name, threads)

    def work() -> int:
        before = learner.steps
        learner.advance()
        return learner.steps - before

    yield work


@contextmanager
def _single_actions() -> Iterator[Work]:
    """Let an agent act on one observation after the other."""
    learner = shipped_learner(PLAIN, 1)
    agent = load_agent(data_root("agents") / AGENT, limits=learner.collector.batch.setup.limits)
    learner.advance()
    observations = {
        name: part.reshape(-1, 1, *part.shape[2:]) for name, part in learner.collector.rollout.observations.items()
    }

    def work() -> int:
        for i in range(0, 4096, 64):
            agent.act({name: part[i] for name, part in observations.items()})
        return 64

    yield work


def shipped_learner(name: str, threads: int) -> PPO:
    """Return a learner that goes on from the shipped agent, with counterfactual credit or (`PLAIN`) without it."""
    agent = _shipped()
    learner = replace(
        agent.config.learner,
        threads=threads,
        kickstarting_coef=0.0,
        counterfactual_coef=0.0 if name == PLAIN else 1.0,
    )
    ppo = PPO(replace(agent.config, learner=learner))
    ppo.network.load_state_dict(agent.network.state_dict())
    return ppo


def _shipped() -> Agent:
    return load_agent(data_root("agents") / AGENT)
