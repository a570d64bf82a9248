"""Table of training: the trainer's steps per second, the cost of its parts, and an agent's actions per second."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import cycle, product
from typing import Any

import numpy as np

from planetwars_env.benchmark.measure import Labels, Table, Work, throughput_table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.engine.state import Array
from planetwars_env.learn.agent import Agent, load_agent
from planetwars_env.learn.graph_batch import collate
from planetwars_env.learn.ppo import PPO
from planetwars_env.shipped import data_root

AGENT = "graph-planetwars"
LEARNING, PLAIN, COLLECTION, BASELINE, COLLATION, ACTION = (
    "learning", "learning without baseline", "environments alone", "baseline alone", "collation alone", "one action",
)  # fmt: skip


def table(settings: BenchmarkSettings) -> Table:
    """Return the table of the trainer; it starts from the shipped agent, whose games are longer than a beginner's."""
    learning = list(product((LEARNING, PLAIN), settings.threads))
    parts = [(name, 1) for name in (COLLECTION, BASELINE, COLLATION)]
    cases: dict[Labels, Any] = {case: partial(_learning, *case) for case in learning}
    cases |= {part: partial(_part, part[0]) for part in parts}
    return throughput_table(
        "training",
        f"The trainer with the configuration of {AGENT}, learning included, and its parts outside torch",
        ("part", "threads"),
        cases | {(ACTION, 1): _single_actions},
        {(name, threads): (name, 1) for name, threads in learning if threads > 1} | dict.fromkeys(parts, (LEARNING, 1)),
        seconds_factor=6,  # an update takes about a second
        runs=3,
    )


@contextmanager
def _learning(name: str, threads: int) -> Iterator[Work]:
    learner = _learner(name, threads)

    def work() -> int:
        before = learner.steps
        learner.advance()
        return learner.steps - before

    yield work


@contextmanager
def _part(name: str) -> Iterator[Work]:
    """Do the work outside torch on one rollout, as often as learning does it."""
    learner = _learner(LEARNING, 1)
    learner.advance()
    rollout, epochs = learner.collector.rollout, learner.settings.update_epochs
    size, baseline = rollout.dones.size, learner.collector.baseline
    spec = learner.config.task.action_spec()
    assert baseline is not None
    turns = cycle(range(len(rollout.actions)))

    def recorded(_: dict[str, Array]) -> tuple[Array, ...]:
        return tuple(part.copy() for part in rollout.decision(next(turns)))

    def nothing(observation: dict[str, Array]) -> Array:
        return np.zeros(len(observation["clock"]), np.float32)

    def work() -> int:
        if name == COLLECTION:
            learner.collector.collect(recorded, nothing)
        elif name == BASELINE:
            for actions, alternatives in zip(rollout.actions, rollout.alternatives, strict=True):
                baseline.compare(actions, alternatives)
        else:
            for i in range(0, size, learner.settings.minibatch_size):
                part = {key: values[i : i + learner.settings.minibatch_size] for key, values in flat.items()}
                for _ in range(1 + epochs):
                    collate(spec, part)
        return size

    flat = rollout.flat(rollout.rewards, rollout.rewards)
    yield work


@contextmanager
def _single_actions() -> Iterator[Work]:
    """Let an agent act on one observation after the other."""
    learner = _learner(PLAIN, 1)
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


def _learner(name: str, threads: int) -> PPO:
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
