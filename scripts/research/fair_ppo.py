"""PPO on fair graphs and from weak sides, near a given opening: the learner of two-sends.yaml.

It differs from the trainer's own PPO (docs/experiments/two-sends.md has the figures):

- half of the games are on symmetric graphs, where neither side is better than the other, and a tenth on large ones;
- on the other graphs a side that grows to 0.45 to 0.8 of the other's people by turn 20 is drawn more often;
- while the agent has few people and meets no opponent, its policy is held near that of the agent that it began with.
"""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

import planetwars_env as pw
from planetwars_env.codec import layout
from planetwars_env.engine import columns
from planetwars_env.engine.state import Array
from planetwars_env.learn.config import TrainConfig
from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.network import PolicyNetwork
from planetwars_env.learn.ppo import PPO
from planetwars_env.learn.rollout import RolloutCollector
from planetwars_env.sim import fields

KINDS = {"symmetric": (500, 0.5), "large": (150, 0.1)}
"""Graphs of the generator by kind: their number, and the share of the games that are on them."""
SECOND = 1.4
"""Games as player 2, who moves later, for every game as player 1, on symmetric graphs."""
RATIOS, WEIGHTS = (0.45, 0.8, 1.25), (0.3, 2.5, 1.0, 0.6)
"""Bounds of a side's people on turn 20 by those of the other side, and how often it is drawn below, between and above them."""
EARLY_TURNS = 10
"""Own turns of the games beside an idle opponent that tell how a side grows."""
HELD, SHARPENED = 0.5, 0.5
"""Weight of the imitation of the first policy, and the temperature at which that policy is imitated."""
FEW, ALONE = 130, 3
"""An agent is early in a game while it has fewer people, and it sees fewer of the opponent."""


class FairPPO(PPO):
    """The trainer's PPO with these differences, within the limits "large".

    The graphs of the configuration are those of the other games. A network that begins with random weights has no policy to
    be held near.
    """

    def __init__(self, config: TrainConfig) -> None:
        generators = [pw.GraphGenerator(kind, count=count, seed=7) for kind, (count, _) in KINDS.items()]
        pools: Any = [*generators, config.task.graphs]
        super().__init__(replace(config, task=replace(config.task, graphs=pools, limits="large")))
        self.first = deepcopy(self.network).requires_grad_(False)
        self.held = HELD if config.learner.start else 0.0
        for collector in self.collectors:
            _draw_by(collector, chances(collector, config.learner.start or "graph-planetwars"))

    def loss(
        self, network: PolicyNetwork, observation: Observation, minibatch: dict[str, Tensor], progress: float
    ) -> tuple[Tensor, Tensor]:
        """Return PPO's loss with the imitation of the first policy, and PPO's metrics."""
        total, metrics = super().loss(network, observation, minibatch, progress)
        if not self.held:
            return total, metrics
        rows = torch.nonzero(_is_early(observation["planets"], network.spec.limits.horizon)).flatten()
        if len(rows) < 2:
            return total, metrics
        early = {name: part[rows] for name, part in observation.items()}
        with torch.no_grad():
            wanted = torch.softmax(self.first(early)[0].normalised().logits / SHARPENED, -1)
        policy = network(early)[0].normalised()
        imitation = -(wanted * policy.logits.clamp(min=-20)).sum() / len(observation["planets"])
        return total + self.held * imitation, metrics


def chances(collector: RolloutCollector, agent: str) -> Array:
    """Return how often each side of each graph [G, 2] is drawn; ``agent`` tells how its people grow."""
    graphs, limits = collector.batch.setup.graphs, collector.batch.setup.limits
    shares = {kind: share for kind, (_, share) in KINDS.items()}
    shares["other"] = 1 - sum(shares.values())
    named = (graph.name.split("-")[0] for graph in graphs)
    kinds = np.array([kind if kind in KINDS else "other" for kind in named])
    people = people_early(pw.load_agent(agent, limits=limits), graphs)
    weights = np.array(WEIGHTS)[np.searchsorted(RATIOS, people / people[:, ::-1])]
    weights[kinds == "symmetric"] = 1, SECOND
    for kind, share in shares.items():
        weights[kinds == kind] *= share / weights[kinds == kind].sum()
    return weights


def people_early(agent: pw.Agent, graphs: Any) -> Array:
    """Return the people [G, 2] of both sides after `EARLY_TURNS` own turns, each played by ``agent`` beside an idle opponent."""
    count = len(graphs)
    spec = agent.network.spec
    more: dict[str, Any] = {
        "graphs": list(graphs),
        "limits": spec.limits,
        "observation": "tensors",
        "sends": spec.sends,
    }
    games = pw.make_vec(num_envs=2 * count, opponent="noop", autoreset_mode="disabled", **more)
    places = {"graph": np.repeat(np.arange(count), 2), "player": np.tile([1, 2], count)}
    observation, _ = games.reset(seed=0, options=places)
    for _ in range(EARLY_TURNS):
        observation, *_ = games.step(agent.probabilities(observation).argmax(2))
    batch = games.unwrapped._batch
    rows, totals = np.arange(2 * count), batch.state.totals
    people = totals[rows, columns.PEOPLE_1 + batch.players] + totals[rows, columns.FLYING_1 + batch.players]
    return people.reshape(count, 2).astype(float)


def _draw_by(collector: RolloutCollector, chances: Array) -> None:
    """Let the collector draw graphs and sides by their ``chances`` [G, 2]."""
    bounds = chances.ravel().cumsum()

    def draw(rows: Array) -> None:
        opponents = collector.league.draw(collector._rng, len(rows))
        chosen = np.searchsorted(bounds, collector._rng.random(len(rows)) * bounds[-1])
        collector.batch.set_next(rows, chosen // 2, opponents)
        collector.batch.buffers.control[rows, fields.NEXT_PLAYER] = chosen % 2

    collector.draw_opponents = draw  # type: ignore[method-assign]


def _is_early(planets: Tensor, horizon: int) -> Tensor:
    """Return [B] bool of observed ``planets`` [B, P, F]: few own people, and hardly any of the opponent in sight."""
    mine, theirs = (
        planets[..., people].sum(1) + planets[..., first : first + horizon].sum((1, 2))
        for people, first in (
            (layout.MY_PEOPLE, layout.ARRIVALS),
            (layout.OPPONENT_PEOPLE, layout.ARRIVALS + horizon),
        )
    )
    return (mine < FEW * layout.PEOPLE_SCALE) & (theirs < ALONE * layout.PEOPLE_SCALE)
