"""Studies: one question each, answered by training variants of a configuration with several seeds."""

from dataclasses import dataclass
from typing import Any

from planetwars_env.learn.config import TrainConfig

Changes = dict[str, dict[str, Any]]
"""Sections of a configuration with the keys that differ."""

_COMMON: Changes = {
    "task": {"opponents": ["random", "ai1", "ai2", "ai3"]},
    "learner": {"ent_coef": 0.01},
    "schedule": {"evaluation_opponents": ["ai1", "ai3"], "evaluation_games": 100},
}
_POINTS = 6
"""Evaluations on the way, for the curves."""


_CREDIT_NOTES = """
The table and the figure were measured on 2026-11-21, with simulations of 40 turns and a bonus for winning within them.
With simulations of 20 turns and the compiled network, on 2026-11-22, three runs of 150,000 steps won 59% (55 to 65)
against ai3 in 20 CPU seconds with credit, and 31% (20 to 42) in 13 without it (of 100 games on `validation` and 300 on
`train`).

## How long a simulation, and is there a bonus for winning?

Runs of 150,000 steps without a teacher, three seeds (0, 1, 2), measured on 2026-11-22 on a busy core. Games won against
ai3, mean (lowest to highest), of 100 on `validation` and 300 on `train`, together. CPU time is that of a whole run,
network and games included. The cost of credit was measured in one process, in turns, over the same states.

| simulation | won after 75,000 steps | won after 150,000 steps | CPU s | credit, µs per step, beginner / trained |
|---|---|---|---|---|
| 40 turns, bonus (before) | 39% (35 to 46) | 48% (39 to 53) | 47 | 116 / 55 |
| 20 turns, bonus, seeds 0 and 1 | 33% (28 to 38) | 38% (38 to 39) | 42 | |
| 40 turns, bonus, half of the turns, seeds 0 and 1 | 29% (27 to 31) | 27% (26 to 29) | 40 | |
| 40 turns, no bonus | 37% (29 to 42) | 50% (46 to 53) | 44 | |
| 20 turns, no bonus | 40% (29 to 49) | 55% (52 to 58) | 38 | 67 / 31 |
| 10 turns, no bonus | 45% (42 to 47) | 58% (55 to 63) | 32 | 38 / 19 |
| 5 turns, no bonus | 58% (56 to 60) | 68% (67 to 69) | 30 | |

## Longer runs

The configuration `graph-planetwars-small`, with its teacher, as a run of 600,000 steps, seed 0. Games won against
ai3 of 100 on `validation`, 300 on `train` and 200 on `test`, together (standard error: two points).

| simulation | won after 393,000 steps, CPU s | won after 602,000 steps, CPU s |
|---|---|---|
| 40 turns, bonus (before) | 77%, 64 | 79%, 93 |
| 20 turns, no bonus (now) | 80%, 48 | 81%, 73 |
| 10 turns, no bonus | 77%, 42 | 79%, 64 |
| 5 turns, no bonus | 74%, 43 | 76%, 65 |

Short simulations help a beginner most and hold a trained agent back. Twenty turns are no worse than before at equal
steps in both tables. Longer runs were not compared. Simulations that grow from 5 to 20 turns are
[no better with a teacher](training-recipe.md#other-ways-to-learn-more-from-a-step).

## What the tables say

- The bonus for a game that is won within the simulation was worth more than half of all people. It made the standard
  deviation of credit 0.15 instead of 0.025. Credit is divided by it, so a few games decided what was learned.
- Credit for a random half of the turns, with zeros for the others, learned less at equal steps and at equal CPU time.
  With twice the weight, which makes it unbiased, it won 51% after 150,000 steps (20 turns, no bonus, one seed).
- Twice the weight alone won 55% (20 turns, no bonus, one seed): the same.
- Bots that move only in every second turn late in a simulation save a fifth and change the sign of every fifth credit.
- Choices that send the same number along the same edge are not simulated. That changes no credit, and saves a
  quarter of the cost for a trained agent and 3 % for a beginner.
"""


@dataclass(frozen=True)
class Study:
    """``arms``: what is compared, as changes of one configuration. ``measured``: graphs and opponents at the end.

    ``notes``: Markdown for the end of the page.
    """

    question: str
    arms: dict[str, Changes]
    measured: tuple[tuple[str, str], ...] = (("test", "ai1"), ("test", "ai3"))
    common: Changes | None = None
    notes: str = ""

    def config(self, arm: str, seed: int, steps: int) -> TrainConfig:
        """The run of one arm."""
        parts = _COMMON, self.common or {}, self.arms[arm]
        names = {name for part in parts for name in part} | {"schedule"}
        data = {name: {key: value for part in parts for key, value in part.get(name, {}).items()} for name in names}
        data["schedule"] |= {"steps": steps, "seed": seed, "evaluate_every": max(1, steps // _POINTS)}
        return TrainConfig.from_dict(data)


def _perceptron(kind: str) -> Changes:
    """A perceptron needs more numbers and smaller steps than the graph network."""
    return {"network": {"kind": kind, "width": 256}, "learner": {"learning_rate": 0.0005}}


STUDIES = {
    "networks": Study(
        "Does a graph network play unseen and larger graphs better than a perceptron?",
        {
            "graph network": {"network": {"kind": "graph"}},
            "perceptron": _perceptron("mlp"),
        },
        measured=(("test", "random"), ("test", "ai1"), ("test", "ai3"), ("large", "random"), ("large", "ai1")),
        common={"task": {"limits": "large"}, "schedule": {"evaluation_opponents": ["random", "ai1"]}},
    ),
    "self-play": Study(
        "Do frozen copies of the agent help as opponents?",
        {
            "bots only": {},
            "30 % copies": {"league": {"self_play_fraction": 0.3}},
            "90 % copies": {"league": {"self_play_fraction": 0.9}},
        },
        measured=(("test", "ai1"), ("test", "ai3"), ("test", "planner")),
    ),
    "fractions": Study(
        "Which fractions of a planet's people should an agent be able to send?",
        {
            "quarters": {"task": {"fractions": [0.25, 0.5, 0.75, 1.0]}},
            "95 % instead of all": {"task": {"fractions": [0.25, 0.5, 0.75, 0.95]}},
            "nine": {},
        },
    ),
    "credit": Study(
        "Do counterfactual baselines for single choices help the learner?",
        {"whole turns": {}, "single choices": {"learner": {"counterfactual_coef": 1.0}}},
        measured=(("test", "ai1"), ("test", "ai3"), ("test", "planner")),
        notes=_CREDIT_NOTES,
    ),
}
"""By the name that the command takes."""
