"""Readings of a game by an agent: the observation of a position, its choices, and their changes when a planet is hidden."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import planetwars_env as pw
from planetwars_env.codec.layout import EXISTS, MY_PEOPLE, VISIBLE
from planetwars_env.learn.agent import Agent, hidden
from planetwars_env.learn.config import ActionSpec, TrainConfig, load_config
from planetwars_env.learn.masked_categorical import MaskedCategorical


@pytest.fixture(scope="module")
def game() -> pw.Game:
    replay = pw.play_match("ai2", "ai3", "test/25", seed=0, max_turns=120)
    return next(game for game in replay.games() if game.turn == 41)


@pytest.fixture
def agent() -> Agent:
    """An agent that has learned nothing."""
    torch.manual_seed(0)
    return Agent("beginner", load_config("demo"))


class OnePlanetNetwork(torch.nn.Module):
    """Its choice of every planet depends on the people of the one in slot ``looked_at``, and on nothing else."""

    def __init__(self, spec: ActionSpec, looked_at: int) -> None:
        super().__init__()
        self.spec, self.looked_at = spec, looked_at

    def forward(self, observation: dict[str, torch.Tensor]) -> tuple[MaskedCategorical, torch.Tensor]:
        people = observation["planets"][:, self.looked_at, MY_PEOPLE]
        logits = torch.zeros(len(people), self.spec.slots, self.spec.per_slot)
        logits[:, :, 0] = 50 * people[:, None]
        return MaskedCategorical.from_logits(logits, observation["action_mask"]), people


def test_an_agent_is_shown_what_the_environment_shows(agent: Agent) -> None:
    env = gymnasium.make("PlanetWars-v0", opponent="ai2", graphs="test", fractions=agent.fractions)
    shown, _ = env.reset(seed=3)
    for _ in range(30):
        env.action_space.seed(1)
        shown, *_ = env.step(env.action_space.sample(mask=env.unwrapped.sample_mask()))  # pyright: ignore[reportAttributeAccessIssue]
        player, game = env.unwrapped.player, env.unwrapped.game  # pyright: ignore[reportAttributeAccessIssue]
        seen = agent.observe(game, player)
        for name, part in seen.items():
            assert (part[0] == shown[name]).all(), name


def test_without_fog_everything_is_shown_and_no_more_may_be_done(agent: Agent, game: pw.Game) -> None:
    foggy, clear = agent.observe(game), agent.observe(game, fog=False)
    count = len(game.graph.planets)
    assert (clear["planets"][0, :count, VISIBLE] == 1).all()
    assert (clear["planets"][0, count:] == 0).all()
    opponents = [people for _, people in game.people()]
    assert np.allclose(clear["planets"][0, :count, MY_PEOPLE + 1], np.array(opponents) / 100)
    seen = foggy["planets"][0, :, VISIBLE] == 1
    assert 0 < seen.sum() < count
    assert (clear["planets"][0, seen] == foggy["planets"][0, seen]).all()
    assert (clear["action_mask"] == foggy["action_mask"]).all()


def test_a_hidden_planet_looks_as_in_the_fog(agent: Agent, game: pw.Game) -> None:
    clear = agent.observe(game, fog=False)
    out_of_sight = [p for p, planet in enumerate(game.view(1).planets) if not planet.visible]
    shown = clear
    for planet in out_of_sight:
        shown = hidden(shown, planet)
    foggy = agent.observe(game)
    assert out_of_sight
    assert all((shown[name] == foggy[name]).all() for name in foggy)
    assert clear["planets"][0, out_of_sight, EXISTS + 1 :].any(), "the observation that was given stays as it is"


def test_probabilities_are_those_of_the_legal_choices_and_the_likeliest_is_what_it_does(
    agent: Agent, game: pw.Game
) -> None:
    shown = agent.observe(game)
    likely = agent.probabilities(shown)
    assert np.allclose(likely.sum(-1), 1, atol=1e-5)
    legal = shown["action_mask"].reshape(likely.shape) > 0
    assert (likely[~legal] < 1e-6).all()
    assert (likely.argmax(-1).squeeze() == agent.act(shown).squeeze()).all()


@pytest.mark.parametrize("looked_at", ["own", "opponent's"])
def test_influence_is_found_where_it_is_and_nowhere_else(looked_at: str, agent: Agent, game: pw.Game) -> None:
    people = [first for first, _ in game.people()]
    planet = int(np.argmax(people)) if looked_at == "own" else people.index(0)
    network: Any = agent.network
    network = OnePlanetNetwork(network.spec, planet)
    agent.network = network
    shown = agent.observe(game)
    table = agent.influence(shown)
    before, after = agent.probabilities(shown)[0], agent.probabilities(hidden(shown, planet))[0]
    assert np.allclose(table[planet], np.abs(before - after).sum(-1) / 2)
    assert (table[planet].max() > 0.3) == (looked_at == "own")
    assert not np.delete(table, planet, axis=0).any()


def test_either_player_can_be_asked_and_nobody_else(agent: Agent, game: pw.Game) -> None:
    assert (agent.observe(game, 1)["planets"] == agent.observe(game)["planets"]).all()
    assert (agent.observe(game, 2)["planets"] != agent.observe(game)["planets"]).any()
    with pytest.raises(ValueError, match="player must be 1 or 2"):
        agent.observe(game, 3)
    with pytest.raises(ValueError, match="limits allow"):
        agent.observe(pw.Game(pw.load_graph("large/0")))


def test_an_agent_fits_the_limits_of_the_observation() -> None:
    config = TrainConfig.from_dict({"network": {"width": 8, "rounds": 1}})
    agent = Agent("roomy", config, limits=pw.LARGE)
    env = gymnasium.make("PlanetWars-v0", graphs="test")
    shown, _ = env.reset(seed=1)
    one, many = agent.act(shown), agent.act({name: part[None] for name, part in shown.items()})
    assert env.action_space.contains(one) and np.array_equal(many[0], one) and agent.limits == pw.LARGE
    other, _ = gymnasium.make("PlanetWars-v0", graphs="test", fractions=(0.5, 1.0)).reset(seed=1)
    with pytest.raises(ValueError, match="do not fit the agent's 9 fractions: make the environment with fractions="):
        agent.act(other)


@pytest.fixture(scope="module")
def trained() -> Agent:
    return pw.load_agent("graph-planetwars-small")


def test_an_agent_reads_its_own_turns_or_those_of_both_players(trained: Agent) -> None:
    own = pw.play_match("ai2", trained, "rings", seed=1, max_turns=20)
    assert [turn.turn for turn in pw.read_game(trained, own).turns] == list(range(2, 21, 2))
    others = pw.play_match("ai2", "ai1", "rings", seed=1, max_turns=20)
    assert [turn.player for turn in pw.read_game(trained, others).turns] == [1, 2] * 10


def test_orders_are_likely_moves_and_nothing_out_of_sight_has_an_influence(trained: Agent) -> None:
    replay = pw.play_match(trained, "ai2", "test/3", seed=1, max_turns=40)
    readings = {turn.turn: turn for turn in pw.read_game(trained, replay).turns}
    for game in replay.games():
        if (reading := readings.get(game.turn)) is None or game.over:
            continue
        chances = [chance for _, chance in reading.orders]
        assert chances == sorted(chances, reverse=True)
        assert all(0.05 <= chance <= 1.0001 for chance in chances)
        assert -2 < reading.value < 2
        visible = {planet.id for planet in game.view(1).planets if planet.visible}
        assert {planet for planet, _ in reading.influence} <= visible
        # Late in a game agents sample.
        played = set(replay.moves[game.turn - 1]) if game.turn < 15 else {move for move, _ in reading.orders}
        assert {move for move, chance in reading.orders if chance > 0.9} <= played
