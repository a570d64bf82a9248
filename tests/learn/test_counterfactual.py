"""Counterfactual values of single choices, compared with the same games played on by hand, through `Game` and strategies."""

from typing import Any

import numpy as np
import pytest
import torch

import planetwars_env as pw
from planetwars_env.bots.catalogue import load_player
from planetwars_env.bots.entry_points import begin_game
from planetwars_env.bots.search import AFTERWARDS, BIRTHS_TURNS
from planetwars_env.codec.actions import sends_the_same
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.state import Array
from planetwars_env.learn.advisor import SIMULATED_TURNS
from planetwars_env.learn.ppo import PPO, ppo_loss, scaled
from planetwars_env.learn.rollout import RolloutCollector
from planetwars_env.sim.fields import AGENT_PLAYER, OPPONENT_INDEX
from support.training_configs import observations_of, tiny


def played(**changes: dict[str, Any]) -> RolloutCollector:
    """Games some turns old, whose agents have gone where chance led them."""
    config = tiny(learner={"counterfactual_coef": 1.0}, **changes)
    games = RolloutCollector(config, config.task, games=6, seed=0)
    rng = np.random.default_rng(3)
    for _ in range(14):
        games.batch.actions[:] = choices(games, rng)
        games.batch.step()
    return games


def choices(games: RolloutCollector, rng: np.random.Generator) -> Array:
    """Any legal choice for every planet."""
    mask = games.observe()["action_mask"].reshape(*games.batch.actions.shape, -1)
    return (mask * rng.random(mask.shape)).argmax(-1)


def credit(games: RolloutCollector, actions: Array, others: Array) -> Array:
    assert games.baseline is not None
    return games.baseline.compare(actions, others)


@pytest.mark.parametrize("environment", ["PlanetWars-v0", "PlanetWarsHalfStep-v0", "SpaceExplorers-v0"])
def test_credit_is_the_difference_between_two_games_that_are_played_on(environment: str) -> None:
    games = played(
        task={"environments": [environment], "opponents": ["ai1", "ai2", "ai3"], "graphs": "test", "max_turns": 100}
    )
    rng = np.random.default_rng(4)
    actions, others = choices(games, rng), choices(games, rng)
    found, told = credit(games, actions, others), 0
    for g, p in np.argwhere(actions != others).tolist():
        if p >= len(games.batch.game(g).graph.planets):
            continue
        changed = actions[g].copy()
        changed[p] = others[g, p]
        expected = worth(games, g, actions[g]) - worth(games, g, changed)
        assert found[g, p] == pytest.approx(expected, abs=1e-5)
        told += expected != 0
    assert told > 5


def worth(games: RolloutCollector, g: int, actions: Array) -> float:
    """Of one turn's choices in row g: the advisor goes on for the agent (docs/trainer.md)."""
    game, me = games.batch.game(g).copy(), int(games.batch.buffers.control[g, AGENT_PLAYER])
    rules = game.rules
    opponent = games.batch.setup.opponents[games.batch.buffers.control[g, OPPONENT_INDEX]]
    minds = [load_player("advisor") if player == me else opponent.make() for player in range(2)]
    for player, mind in enumerate(minds):
        begin_game(mind, game.graph, 1 + player, rules, 0)
    game.play(orders(games, game, actions))
    horizon, total, turns = SIMULATED_TURNS * rules.turns_per_weight, 0.0, 0
    while turns < horizon and not game.over:
        player = game.player
        game.play(minds[player - 1].take_turn(game.view(player)))
        turns += 1
        total += share(*everybody(game, me))
    mine, theirs = everybody(game, me)
    births = [0.01 * BIRTHS_TURNS * planet.size * planet.habitability for planet in game.graph.planets]
    for people, born in zip(game.people(), births, strict=True):
        mine += born * (people[me] > people[1 - me])
        theirs += born * (people[1 - me] > people[me])
    return (total + (horizon - turns + AFTERWARDS) * share(mine, theirs)) / (horizon + AFTERWARDS)


def everybody(game: pw.Game, me: int) -> tuple[float, float]:
    people = np.array(game.people()).sum(axis=0)
    flying = [sum(shuttle.people for shuttle in game.shuttles() if shuttle.player == 1 + side) for side in range(2)]
    return float(people[me] + flying[me]), float(people[1 - me] + flying[1 - me])


def share(mine: float, theirs: float) -> float:
    return (mine - theirs) / (mine + theirs + 1)


def orders(games: RolloutCollector, game: pw.Game, actions: Array) -> list[pw.Move]:
    """The moves of one turn's choices."""
    setup = games.batch.setup
    return game.decode(actions, limits=setup.limits, fractions=setup.fractions)


@pytest.mark.kernels
def test_choices_send_the_same_where_their_moves_are_equal() -> None:
    games, told = played(task={"fractions": [0.02, 0.06, 0.5, 1.0]}), []
    rng, codec = np.random.default_rng(4), games.batch.codec
    for _ in range(20):
        actions, others = choices(games, rng), choices(games, rng)
        for g, p in np.argwhere((actions > 0) & (others > 0)).tolist():
            game = games.batch.game(g)
            if p >= len(game.graph.planets):
                continue
            one, other = (np.where(np.arange(len(each[g])) == p, each[g], 0) for each in (actions, others))
            people = game.people()[p][game.player - 1]
            found = bool(kernel(sends_the_same)(codec, actions[g, p], others[g, p], people))
            assert found == (orders(games, game, one) == orders(games, game, other))
            told.append((found, actions[g, p] == others[g, p]))
    assert {(True, True), (True, False), (False, False)} == set(told)


def test_judging_changes_nothing_and_says_the_same_twice() -> None:
    games = played()
    rng = np.random.default_rng(5)
    actions, others = choices(games, rng), choices(games, rng)
    kept, before = actions.copy(), [part.copy() for part in (*games.batch.state, *games.batch.buffers)]
    first = credit(games, actions, others)
    assert np.array_equal(first, credit(games, actions, others))
    assert np.array_equal(actions, kept)
    for part, old in zip((*games.batch.state, *games.batch.buffers), before, strict=True):
        assert np.array_equal(part, old)
    assert not credit(games, actions, actions).any()


def test_without_a_step_taken_the_gradient_is_the_policy_gradient_with_the_credit_of_both_choices(
    monkeypatch: Any,
) -> None:
    """Nothing is clipped; a choice has its step's advantage and its credit, its alternative the opposite of the credit."""
    monkeypatch.setattr("planetwars_env.learn.ppo.VF_COEF", 0.0)
    learner = PPO(tiny(learner={"counterfactual_coef": 0.7}, task={"graphs": "train"}))
    for _ in range(3):
        learner.advance()
    rollout = learner.collectors[0].collect(learner.network, learner.rng, progress=0.0)
    rollout.counterfactuals[:] = scaled(rollout.counterfactuals)
    advantages = np.random.default_rng(0).normal(size=rollout.rewards.shape).astype(np.float32)
    part, seen = rollout.flat(advantages, advantages), observations_of(rollout)
    learner.network.zero_grad()
    loss, numbers = ppo_loss(learner.network, seen, part, learner.settings)
    assert numbers[3] == 0 and abs(numbers[4]) < 1e-5
    loss.backward()
    found = [p.grad.clone() for p in learner.network.parameters() if p.grad is not None]
    learner.network.zero_grad()
    scores = learner.network(seen)[0].normalised()
    given = part["counterfactuals"].flatten()[scores.rows]
    more = scores.log_probs(part["actions"]) - scores.log_probs(part["alternatives"])
    of_steps = (scores.log_prob(part["actions"]) * part["advantages"]).mean()
    (-of_steps - 0.7 * (more * given).sum() / advantages.size).backward()
    known = [p.grad for p in learner.network.parameters() if p.grad is not None]
    assert given.abs().max() > 0
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(found, known, strict=False))


def test_credit_fades_with_the_run_and_is_scaled() -> None:
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(50, 20)).astype(np.float32) * 0.01 * (rng.random((50, 20)) < 0.3)
    raw[0, 0] = 5
    ready = scaled(raw)
    assert np.array_equal(ready != 0, raw != 0)
    assert np.abs(ready).max() == 3
    assert not scaled(np.zeros((2, 3))).any()
    learner = PPO(tiny(learner={"counterfactual_coef": 1.0}, schedule={"steps": 256}))
    rollouts = []
    while learner.steps < 512:
        learner.advance()
        rollouts.append(bool(learner.collectors[0].rollout.counterfactuals.any()))
    assert rollouts[0]
    assert not rollouts[-1]
