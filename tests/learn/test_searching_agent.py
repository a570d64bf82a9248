"""Agents that look ahead: what the search changes, what it sees, and whom it refuses."""

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.learn.agent import load_agent
from planetwars_env.learn.searching_agent import TEMPERATURE, SearchingAgent, updated


def test_the_policy_moves_towards_the_choices_of_better_samples() -> None:
    log_probs = np.log(np.full((2, 3), 1 / 3, np.float32))
    samples = np.array([[0, 1], [0, 1], [2, 1], [2, 1]])
    new = updated(log_probs, np.array([0]), samples, np.array([0.1, 0.1, -0.1, -0.1]))
    change = new - log_probs
    assert change[0, 0] == pytest.approx(2 * 0.1 / 5 / TEMPERATURE) == -change[0, 2]
    assert change[0, 1] == 0 and (change[1] == 0).all()


@pytest.mark.parametrize(("name", "rules"), [("graph-all", pw.PLANETWARS_HALF_STEP), ("graph-all", pw.SPACE_EXPLORERS)])
def test_an_agent_with_a_search_plays_the_same_again_and_not_as_the_agent(name: str, rules: pw.Rules) -> None:
    games = [
        pw.play_match(player, "ai3", "fair/2", rules=rules, seed=3, max_turns=40)
        for player in (f"{name}+search", SearchingAgent(load_agent(name)), name)
    ]
    assert games[0].moves == games[1].moves != games[2].moves
    assert games[0].players == (f"{name}+search", "ai3")
    games[0].verify()


@pytest.mark.slow
def test_the_search_beats_its_agent() -> None:
    found = pw.evaluate("graph-planetwars-small+search", "graph-planetwars-small", "fair", 20)[0].total
    assert found.wins > found.losses
