"""`pw.Belief`: every sample fits what the player has seen, is a position that can be, and knows nothing of what is hidden."""

import pickle
import random
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from support.opponents import Chancy
from support.positions import played, rewritten
from support.presets import BY_PRESET, every_preset

GRAPHS = ["test/0", "fair/3", "rings", "duel", "large/1"]


def assert_possible(possible: pw.Game, game: pw.Game, player: int) -> None:
    assert possible.view(player) == game.view(player)
    assert (possible.turn, possible.player, possible.over) == (game.turn, game.player, False)
    assert possible.max_turns == game.max_turns
    state = possible.to_dict()
    assert pw.Game.from_dict(possible.graph, state, possible.rules, possible.max_turns).to_dict() == state


@every_preset
@pytest.mark.parametrize("name", GRAPHS)
def test_samples_show_exactly_what_the_player_sees(preset: str, name: str) -> None:
    players: dict[int, Any] = {1: Chancy(), 2: Chancy()}
    game = pw.Game(pw.load_graph(name), BY_PRESET[preset], max_turns=90)
    beliefs: dict[int, pw.Belief] = {}
    while not game.over:
        for player in (1, 2):  # now and then a turn is missed, or seen that is the opponent's
            if player == game.player or game.turn % 7 == 0:
                if player not in beliefs or game.turn % 31 == player:
                    beliefs[player] = pw.Belief(game.view(player), game.rules, 90, particles=3, seed=game.turn)
                elif game.turn % 11:
                    beliefs[player].update(game.view(player))
                else:
                    continue
                possible = beliefs[player].sample()
                assert_possible(possible, game, player)
                end = pw.rollout(possible, ("ai3", "ai3"), turns=6)[0]
                assert end.turn > possible.turn or end.max_turns == end.turn
        game.play(players[game.player].take_turn(game.view(game.player)))
    assert len(beliefs) == 2


@every_preset
def test_nothing_hidden_is_read(preset: str) -> None:
    rng, compared, changed = random.Random(3), 0, 0
    for number in range(6):
        game = played(pw.load_graph(f"test/{number}"), preset, 20 + 3 * number)
        other = rewritten(game, 1, rng)
        assert other.view(1) == game.view(1)
        changed += other.to_dict() != game.to_dict()
        beliefs = [pw.Belief(world.view(1), world.rules, seed=number) for world in (game, other)]
        for i in range(4):
            first, second = (belief.sample(i) for belief in beliefs)
            assert first.to_dict() == second.to_dict() and first.graph == second.graph
            compared += 1
    assert compared == 24 and changed > 3


def test_samples_differ_where_nothing_was_seen_and_not_where_something_was() -> None:
    game = played(pw.load_graph("test/3"), "planetwars", 15)
    belief = pw.Belief(game.view(1), seed=1)
    samples = [belief.sample(i) for i in range(20)]
    assert len({sample.graph for sample in samples}) > 3
    assert len({sample.graph.bases[1] for sample in samples}) > 1
    again = [pw.Belief(game.view(1), seed=1).sample(i) for i in range(20)]
    assert [one.to_dict() for one in again] == [one.to_dict() for one in samples]


def test_a_planet_seen_before_is_remembered() -> None:
    graph = pw.load_graph("line")
    state = {"turn": 21, "over": False, "winner": 0, "shuttles": []}
    planets = [[1, 1, 9, 0], [2, 1, 9, 0], [3, 2, 0, 40], [5, 2, 0, 9]]
    before = pw.Game.from_dict(graph, state | {"planets": planets})
    planets[1] = [2, 2, 0, 9]
    belief = pw.Belief(before.view(1), opponents=["noop"])
    belief.update(pw.Game.from_dict(graph, state | {"turn": 23, "planets": planets}).view(1))
    for i in range(8):
        sample = belief.sample(i)
        assert sample.graph.planets[2] == graph.planets[2] and sample.people()[2][1] >= 40


def test_who_would_have_nothing_in_sight_has_something_out_of_it() -> None:
    graph = pw.load_graph("line")
    state = {"turn": 21, "over": False, "winner": 0, "planets": [[1, 2, 0, 9], [5, 2, 0, 9]]}
    game = pw.Game.from_dict(graph, state | {"shuttles": [[1, 2, 1, 5, 2]]}, pw.PLANETWARS_HALF_STEP)
    sample = pw.Belief(game.view(1), pw.PLANETWARS_HALF_STEP).sample()
    assert sample.view(1) == game.view(1)
    sample.advance()
    assert not sample.over


def test_a_pickled_belief_goes_on_as_it_would_have() -> None:
    game = played(pw.load_graph("test/4"), "planetwars", 21)
    belief = pw.Belief(game.view(1))
    twin = pickle.loads(pickle.dumps(belief))
    game.play([])
    game.play([])
    for one in (belief, twin):
        one.update(game.view(1))
    assert belief.sample(3).to_dict() == twin.sample(3).to_dict()


def test_what_cannot_be_is_told() -> None:
    game = played(pw.load_graph("test/4"), "planetwars", 21)
    view, wrong = game.view(1), pw.Game(pw.load_graph("rings")).view(1)
    anything: Any = game
    with pytest.raises(TypeError, match="a belief begins with a view"):
        pw.Belief(anything)
    with pytest.raises(ValueError, match="particles must be at least 1"):
        pw.Belief(view, particles=0)
    with pytest.raises(ValueError, match="no compiled bot is called 'planner'"):
        pw.Belief(view, opponents=["planner"])
    with pytest.raises(ValueError, match="at least one bot"):
        pw.Belief(view, opponents=[])
    with pytest.raises(ValueError, match="the turn of the view is 21; it must be from 0 to 20"):
        pw.Belief(view, max_turns=20)
    belief = pw.Belief(view)
    for other in (game.view(2), wrong):
        with pytest.raises(ValueError, match="update takes views of player 1 on one graph"):
            belief.update(other)
    with pytest.raises(ValueError, match="it must be from 21"):
        belief.update(played(pw.load_graph("test/4"), "planetwars", 19).view(1))
    assert isinstance(belief.sample(np.random.default_rng(0)), pw.Game)
