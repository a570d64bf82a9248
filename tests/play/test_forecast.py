"""Forecasts of the page to play on: they come true where nobody interferes, and use the view alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

import planetwars_env as pw
from planetwars_env.engine.rules import owner_of
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.play.forecast import Forecast
from planetwars_env.play.live_game import LiveGame
from planetwars_env.play.news import battles
from planetwars_env.play.setup import GameSetup
from planetwars_env.play.state_messages import Shown, aim_message, state_message
from planetwars_env.render.text import view_of
from support.positions import played, rewritten
from support.presets import BY_PRESET

every_preset = pytest.mark.parametrize("preset", BY_PRESET)


def moves_from(view: pw.View) -> list[pw.Move]:
    """One move along every edge in sight that the player may use."""
    ways = [way for edge in view.edges for way in ((edge.a, edge.b), (edge.b, edge.a))]
    sources = {planet.id: view.my_people(planet) for planet in view.owned_by(view.player)}
    return [pw.Move(a, b, sources[a]) for a, b in ways if sources.get(a)]


@every_preset
@pytest.mark.parametrize("number", range(6))
def test_a_move_leads_where_the_forecast_says_if_nobody_else_moves(preset: str, number: int) -> None:
    game = played(pw.load_graph(f"test/{number}"), preset, 30 + number)
    view, told = game.view(game.player), 0
    for move in moves_from(view):
        outcome = Forecast(view, game.rules).outcome(move)
        if outcome is None:
            assert not view.planet(move.destination).visible
            continue
        for people, expected in ((move.people, outcome.after), (0, outcome.without), (outcome.least, None)):
            after = game.copy()
            if people < 0 or people > move.people:
                continue
            after.submit([move._replace(people=people)] if people else [])
            for _ in range(outcome.turns):
                if not after.over:
                    after.advance()
            if after.over:
                continue
            found = after.people()[game.graph.index[move.destination]]
            assert found == expected if expected is not None else owner_of(*found) == view.player
            told += 1
    assert told > 1


def positions(preset: str) -> Iterator[pw.Game]:
    """Turns of games between bots that attack each other."""
    for number in range(3):
        replay = pw.play_match("ai1", "ai3", f"test/{number}", BY_PRESET[preset], seed=number, max_turns=90)
        for game in replay.games():
            if game.turn % 3 == 0 and not game.over:
                yield game.copy()


@every_preset
def test_planets_that_will_fall_fall_in_as_many_turns(preset: str) -> None:
    told = 0
    for game in positions(preset):
        player, after, found = game.player, game.copy(), {}
        falls = Forecast(game.view(player), game.rules).falls()
        own = {planet.id for planet in game.view(player).owned_by(player)}
        for turn in range(1, max(falls.values(), default=0) + 1):
            if after.over:
                break
            after.advance()
            for planet, people in zip(game.graph.planets, after.people(), strict=True):
                if planet.id in own and owner_of(*people) != player:
                    found.setdefault(planet.id, turn)
        if not after.over:
            assert found == falls
            told += len(falls)
    assert told


@every_preset
def test_forecasts_do_not_depend_on_what_the_fog_hides(preset: str) -> None:
    rng, changed = random.Random(3), 0
    for number in range(8):
        game = played(pw.load_graph(f"test/{number}"), preset, 20 + 3 * number)
        view = game.view(game.player)
        other = rewritten(game, game.player, rng)
        changed += other.to_dict() != game.to_dict()
        one, two = Forecast(view, game.rules), Forecast(other.view(game.player), game.rules)
        assert one.falls() == two.falls()
        for move in moves_from(view)[:6]:
            assert one.outcome(move) == two.outcome(move)
    assert changed > 4


def test_battles_are_told_with_the_numbers_of_both_sides() -> None:
    graph = pw.load_graph("duel")
    state = pw.Game(graph).to_dict() | {"planets": [[0, 1, 17, 0], [1, 2, 0, 60]], "shuttles": [[1, 0, 2, 32, 1]]}
    state["turn"], state["player"] = 3, 1
    ids = [planet.id for planet in graph.planets]
    state["planets"] = [[ids[0], 1, 17, 0], [ids[1], 2, 0, 60]]
    weight = graph.edges[0].weight
    state["turn"] += weight % 2  # so that player 2 has launched it
    state["shuttles"] = [[ids[1], ids[0], 2, 32, 1]]
    game = pw.Game.from_dict(graph, state)
    after = game.copy()
    after.advance()
    told = battles(view_of(game, None), view_of(after, None), game.rules, ("one", "two"))
    people = sum(after.people()[0])
    grown = 17 + -(-17 * graph.planets[0].habitability // 100)
    assert told == {
        ids[0]: f"two attacks #{ids[0]} with 32 against {grown}, which count as {int(1.1 * grown)}: taken with {people}"
    }


@pytest.mark.parametrize(
    ("count", "size", "last", "told"),
    [(1000, 10, 999, False), (10, 5_000_000, 9, True), (10, 50, 2**31 - 1, False)],
)
def test_a_game_on_the_largest_graphs_is_shown_too(count: int, size: int, last: int, told: bool) -> None:
    """No forecast where two more planets have no room or no ids; the rest of the message is there."""
    ids = [*range(count - 1), last]
    planets = [Planet(id, 5, size, id % 40, id // 40, {0: 1, last: 2}.get(id, 0)) for id in ids]
    graph = Graph("largest", planets, [Edge(a, b, 1) for a, b in pairwise(ids)])
    live = LiveGame(GameSetup(("you", "you"), ("one", "two"), graph, pw.PLANETWARS, seed=0, max_turns=10))
    live.begin()
    shown = Shown(1, 0, False, 1, False)
    live.end_turn()
    assert state_message(live, shown)["falls"] == []
    assert (aim_message(live, pw.Move(last, ids[-2], 1), hidden=False)["outcome"] is not None) == told
