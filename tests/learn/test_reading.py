"""Readings of a game by an agent: whose turns, which orders, and nothing that the fog hides."""

from __future__ import annotations

import pytest

import planetwars_env as pw
from planetwars_env.learn.agent import Agent


@pytest.fixture(scope="module")
def agent() -> Agent:
    return pw.load_agent("graph-planetwars-small")


def test_an_agent_reads_its_own_turns_or_those_of_both_players(agent: Agent) -> None:
    own = pw.play_match("ai2", agent, "rings", seed=1, max_turns=20)
    assert [one.turn for one in pw.read_game(agent, own).turns] == list(range(2, 21, 2))
    others = pw.play_match("ai2", "ai1", "rings", seed=1, max_turns=20)
    assert [one.player for one in pw.read_game(agent, others).turns] == [1, 2] * 10


def test_orders_are_likely_moves_and_nothing_out_of_sight_has_an_influence(agent: Agent) -> None:
    replay = pw.play_match(agent, "ai2", "test/3", seed=1, max_turns=40)
    readings = {one.turn: one for one in pw.read_game(agent, replay).turns}
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
