"""Best responses to one frozen agent, and their measurement (docs/exploitability.md)."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.bots.catalogue import Kind, kind_of
from planetwars_env.envs.registration import RULES_OF_IDS
from planetwars_env.learn.agent import Agent, load_agent, trained_steps
from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.shipped import agent_names

START_SLOWDOWN = 3
"""Divisor of the learning rate where a response begins with the agent's own weights."""
SELECTION_GAMES, SELECTION_SEED = 200, 10**6
"""Games on "validation" by which the best response is chosen, and the seed of the first."""

_SMALL = "graph-planetwars-small"
_NEVER = 2**40  # Steps between evaluations of a training that shall have none

NO_TRAINING = "no training"
"""The agent itself as response: what an identical copy wins, which a trained response must exceed to prove anything."""


@dataclass(frozen=True)
class ExploitPlan:
    """Search for best responses to ``agent``: what is trained and how it is measured.

    ``budget``: steps of each training, as a multiple of the agent's own. ``seeds``: trainings from each start, with the seeds
    0, 1, ... ``games``: measured on ``graphs`` for each response. ``processes``: that share a training. ``rules``: a preset's
    name, by which they train and play.
    """

    agent: str
    budget: float = 1.0
    seeds: int = 3
    games: int = 1000
    graphs: str = "fair"
    processes: int = 1
    rules: str = "PLANETWARS"

    @property
    def steps(self) -> int:
        """Environment steps of each training: those of whole rollouts."""
        learner = own_config(self.agent).learner
        rollout = learner.num_envs * learner.num_steps
        return rollout * max(1, ceil(self.budget * own_steps(self.agent) / rollout))

    def responses(self) -> list[tuple[str, int]]:
        """Return start and seed of every response, first of the one without training."""
        if not is_agent(self.agent):
            return [("nothing", seed) for seed in range(self.seeds)]
        starts = "nothing", "own weights"
        return [(NO_TRAINING, 0), *((start, seed) for seed in range(self.seeds) for start in starts)]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan for JSON, with the steps."""
        return {**asdict(self), "steps": self.steps}


def is_agent(player: str) -> bool:
    """Return whether a network can begin with the weights of a player."""
    return kind_of(player) is Kind.AGENT


def own_config(player: str) -> TrainConfig:
    """Return an agent's own configuration; that of a small agent for other players."""
    return load_agent(player).config if is_agent(player) else load_config(_SMALL)


def own_steps(player: str) -> int:
    """Return the steps of an agent's own training; a million for other players."""
    return trained_steps(player) if is_agent(player) else 1_000_000


def response_config(plan: ExploitPlan, start: str, seed: int) -> TrainConfig:
    """Return `own_config` with ``plan.agent`` as only opponent; from its weights: no teacher and a lower learning rate."""
    config = own_config(plan.agent)
    learner = replace(config.learner, processes=plan.processes, start="")
    if start == "own weights":
        rate = max(learner.final_learning_rate, learner.learning_rate / START_SLOWDOWN)
        learner = replace(learner, start=plan.agent, kickstarting_coef=0.0, learning_rate=rate)
    (environment,) = (id for id, rules in RULES_OF_IDS.items() if rules == plan.rules)
    task = replace(config.task, environments=(environment,), opponents=(plan.agent,))
    schedule = replace(config.schedule, steps=plan.steps, seed=seed, max_minutes=0.0, evaluate_every=_NEVER)
    league = replace(config.league, self_play_fraction=0.0)
    return replace(config, task=task, learner=learner, league=league, schedule=schedule)


def agent_of_trainer(name: str) -> Agent:
    """Load the agent that is to be exploited; ValueError for any other player, which no network can begin from."""
    if not is_agent(name):
        raise ValueError(
            f"exploit needs an agent of planetwars train: a run's folder, or one of {', '.join(agent_names())}. {name!r} is "
            "neither; to learn against any other player, train with it among task: opponents, and evaluate the run against it"
        )
    return load_agent(name)


def measure_response(
    plan: ExploitPlan, response: Path | str, start: str, seed: int, on_game: Callable[[int], None]
) -> dict[str, Any]:
    """Play a response against the agent; return its entry of the results file.

    The response draws its actions, so that 1,000 games on 100 graphs differ. The agent plays as shipped, greedily.
    ``response``: a run's folder; with ``start`` "no training" the agent itself, whose win rate is that of budget 0.
    """
    steps, folder = (0, "") if start == NO_TRAINING else (trained_steps(response), Path(response).name)
    entry = {"start": start, "seed": seed, "folder": folder, "steps": steps}
    measured = ("validation", SELECTION_GAMES, SELECTION_SEED), (plan.graphs, plan.games, seed * plan.games)
    for graphs, games, first in measured:
        played = evaluate(response, plan.agent, graphs, games, plan.rules, first, lambda _: on_game(1), sample=True)
        entry[graphs] = played[0].to_dict()
    return entry


def best_of(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the entry with most wins on "validation": the best of several reported win rates is too high on average."""
    trained = [entry for entry in entries if entry["start"] != NO_TRAINING]
    return max(trained, key=lambda entry: entry["validation"]["win_rate"])


def card_line(plan: ExploitPlan, entries: list[dict[str, Any]]) -> str:
    """Return the sentence for the agent's card."""
    best = best_of(entries)[plan.graphs]
    low, high = 100 * best["ci_low"], 100 * best["ci_high"]
    itself = next(entry for entry in entries if entry["start"] == NO_TRAINING)[plan.graphs]
    return (
        f"Best response found: {100 * best['win_rate']:.1f} % ({low:.1f} to {high:.1f}; budget {plan.budget:g}, "
        f"{best['games']:,} games on `{plan.graphs}` by the rules {plan.rules}). Against itself, untrained, the agent wins "
        f"{100 * itself['win_rate']:.1f} %."
    )
