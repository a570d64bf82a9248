"""`pw.Game` and `pw.View` as people use them: plain values in and out, and one clear error for what cannot be."""

import json
from dataclasses import FrozenInstanceError
from typing import Any

import gymnasium
import pytest

import planetwars_env as pw
from planetwars_env.view import KnownMap
from support.opponents import Chancy
from support.positions import played
from support.presets import BY_PRESET, every_preset
from support.short_games import soon_lost


def line_state(**changes: Any) -> dict[str, Any]:
    state = {"turn": 21, "over": False, "winner": 0, "shuttles": []}
    return state | {"planets": [[1, 1, 9, 0], [2, 0, 0, 0], [5, 2, 0, 9]]} | changes


@every_preset
def test_a_state_goes_through_json(preset: str) -> None:
    game = played(pw.load_graph("test/2"), preset, 25)
    again = pw.Game.from_dict(game.graph, json.loads(json.dumps(game.to_dict())), game.rules, game.max_turns)
    assert again.to_dict() == game.to_dict()
    for player in (1, 2):
        assert again.view(player) == game.view(player)
        seen = game.view(player).to_dict()
        assert seen["player"] == player and json.loads(json.dumps(seen)) == seen


def test_a_view_answers_the_questions_of_a_strategy() -> None:
    game = pw.Game.from_dict(pw.load_graph("line"), line_state(shuttles=[[2, 1, 1, 4, 2], [4, 5, 2, 6, 1]]))
    view = game.view(1)
    assert (view.turn, view.player, view.opponent) == (21, 1, 2)
    assert [planet.id for planet in view.owned_by(1)] == [1] and view.owned_by(2) == []
    assert [planet.id for planet in view.owned_by(0)] == [2]
    assert (view.my_people(view.planet(1)), view.planet(1).population, view.planet(1).base) == (9, 9, 1)
    hidden = view.planet(5)
    assert not hidden.visible and hidden.population is None and view.my_people(hidden) == 0 and hidden.x == 9
    assert [tuple(shuttle) for shuttle in view.shuttles] == [(2, 1, 1, 4, 2)]
    with pytest.raises(KeyError):
        view.planet(6)
    with pytest.raises(ValueError, match="player must be 1 or 2, not 0"):
        game.view(0)


def test_a_known_map_reads_like_its_graph() -> None:
    graph = pw.load_graph("test/3")
    known_map = KnownMap.of(graph)
    assert known_map.edges == graph.edges
    assert known_map.planets == tuple(pw.PlanetView(p.id, p.x, p.y, visible=False) for p in graph.planets)
    for planet in graph.planets:
        assert known_map.neighbours(planet.id) == tuple(sorted(graph.neighbours(planet.id)))
        assert known_map.degree(planet.id) == graph.degree(planet.id)
        assert known_map.index[planet.id] == graph.index[planet.id]


def test_a_copy_of_the_game_of_an_environment_is_free_of_it() -> None:
    env: Any = gymnasium.make("PlanetWars-v0", graphs="rings", opponent="noop").unwrapped
    env.reset(seed=0)
    twin, before = env.game.copy(), env.game.to_dict()
    for _ in range(10):
        twin.play(Chancy().take_turn(twin.view(twin.player)))
    assert env.game.to_dict() == before
    env.step(env.action_space.sample())
    assert env.game.to_dict() != before


@pytest.mark.parametrize("moves", [[(1, 2)], [(1, 2, 3, 4)], [(1, 2, 1.0)], [("1", 2, 3)], [None], [(1, 2, None)]])
def test_what_is_no_move_is_told_and_nothing_is_carried_out(moves: list[Any]) -> None:
    game = pw.Game(pw.load_graph("line"))
    before = game.to_dict()
    with pytest.raises(TypeError, match=r"a move is \(source, destination, people\) in whole numbers"):
        game.submit([pw.Move(1, 2, 1), *moves])
    assert game.to_dict() == before


def test_a_game_that_is_over_takes_nothing_more() -> None:
    game = pw.Game(soon_lost())
    game.play([pw.Move(1, 2, 2)])
    assert (game.over, game.winner, game.cut_off) == (True, 1, False)
    for go_on in (game.advance, lambda: game.submit([]), lambda: game.play([])):
        with pytest.raises(RuntimeError, match="the game is over since turn 2"):
            go_on()


@pytest.mark.parametrize("max_turns", [0, -1, 2**31 - 1, True, "9"])
def test_a_limit_that_cannot_be_is_told(max_turns: Any) -> None:
    with pytest.raises(ValueError, match="max_turns must be a number of turns"):
        pw.Game(pw.load_graph("duel"), max_turns=max_turns)
    assert pw.Game(pw.load_graph("duel"), max_turns=2**31 - 2).max_turns == 2**31 - 2


def test_rules_and_views_cannot_be_changed() -> None:
    planet = pw.Game(pw.load_graph("duel")).view(1).planets[0]
    for value, name in ((pw.PLANETWARS, "max_turns"), (planet, "people")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"planets": [[9, 1, 1, 0]]}, "planet 9 is not on this graph"),
        ({"planets": [[1, 1, -1, 0]]}, "the people on planet 1 must lie between 0 and"),
        ({"planets": [[1, 1, 2**40, 0]]}, "the people on planet 1 must lie between 0 and"),
        ({"planets": [[1, 1, 1.5, 0]]}, "the people on planet 1 must be a whole number"),
        ({"planets": [[1, 1, 2, 1]]}, "planet 1 holds people of both players"),
        ({"shuttles": [[1, 3, 1, 1, 1]]}, "no edge for shuttle"),
        ({"shuttles": [[1, 2, 1, 1, 3]]}, "the turns to go of shuttle .* must lie between 1 and 2"),
        ({"shuttles": [[1, 2, 1, 1, 0]]}, "the turns to go of shuttle"),
        ({"shuttles": [[1, 2, 2, 1, 2]]}, "on the other player's turn"),
        ({"shuttles": [[1, 2, 1, 0, 2]]}, "the people of shuttle .* must lie between 1 and"),
        ({"turn": 0}, "turn must lie between 1 and"),
        ({"winner": 3}, "winner must lie between 0 and 2"),
    ],
)
def test_a_state_that_cannot_be_is_told(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.Game.from_dict(pw.load_graph("line"), line_state(**changes))


@every_preset
@pytest.mark.parametrize("name", ["won", "cut off"])
def test_a_game_that_ended_is_read_again_as_it_ended(name: str, preset: str) -> None:
    rules, limit = BY_PRESET[preset], 3
    game = pw.Game(pw.load_graph("rings"), rules, limit)
    if name == "won":
        limit = 3 if preset == "half_step" else 2  # when the rush lands
        game = pw.Game(soon_lost(), rules, limit)
        game.play([pw.Move(1, 2, 2)])
    while not game.over:
        game.advance()
    again = pw.Game.from_dict(game.graph, game.to_dict(), rules, limit)
    ended = (True, 1, False) if name == "won" else (True, 0, preset != "space_explorers")
    assert (again.over, again.winner, again.cut_off) == (game.over, game.winner, game.cut_off) == ended


@every_preset
def test_a_turn_beyond_the_limit_is_refused(preset: str) -> None:
    with pytest.raises(ValueError, match="turn"):
        pw.Game.from_dict(pw.load_graph("line"), line_state(), BY_PRESET[preset], max_turns=20)
