"""PLANETWARS_HALF_STEP: an edge of weight w takes 2w turns; everything else happens every turn, unchanged."""

from __future__ import annotations

import pytest

from support.implementations import GAME_MAKERS, GameMaker
from support.tiny_graphs import owner_of, people_on, resumed, tiny_board

pytestmark = pytest.mark.parametrize("maker", GAME_MAKERS.values(), ids=GAME_MAKERS.keys())

TRIANGLE = tiny_board([(1, 2, 1), (2, 3, 2), (1, 3, 3)], bases=(1, 3), habitability={1: 100})


def landing_turns(maker: GameMaker, preset: str, launched_on: int, move: tuple[int, int, int]) -> int:
    """The number of turns that a shuttle of ``move`` flies until it is on its planet."""
    people = {1: (50, 0), 3: (0, 50)}
    match = resumed(maker, TRIANGLE, people, turn=launched_on, preset=preset)
    assert match.submit([move]) == [True]
    while match.to_dict()["shuttles"]:
        match.advance()
    return match.turn - launched_on


@pytest.mark.parametrize(("destination", "weight"), [(2, 1), (3, 3)])
def test_an_edge_takes_twice_its_weight_in_turns(maker: GameMaker, destination: int, weight: int) -> None:
    assert landing_turns(maker, "planetwars", 21, (1, destination, 5)) == weight
    assert landing_turns(maker, "half_step", 21, (1, destination, 5)) == 2 * weight
    assert landing_turns(maker, "half_step", 22, (3, 1, 5)) == 2 * 3


def test_people_grow_every_turn_all_the_same(maker: GameMaker) -> None:
    for preset in ("planetwars", "half_step"):
        match = maker.start(maker.prepare(TRIANGLE), preset)
        populations = []
        for _ in range(7):
            populations.append(people_on(match, 1)[0])
            match.advance()
        assert populations == [2, 4, 8, 16, 32, 64, 100]


def test_people_shrink_every_turn_all_the_same(maker: GameMaker) -> None:
    for preset in ("planetwars", "half_step"):
        match = resumed(maker, TRIANGLE, {1: (5, 0), 2: (150, 0), 3: (0, 5)}, preset=preset)
        populations = []
        for _ in range(4):
            match.advance()
            populations.append(people_on(match, 2)[0])
        assert populations == [145, 140, 136, 132]


def test_the_players_still_take_turns_one_by_one(maker: GameMaker) -> None:
    match = maker.start(maker.prepare(TRIANGLE), "half_step")
    players = []
    for _ in range(4):
        players.append((match.turn, match.player))
        match.advance()
    assert players == [(1, 1), (2, 2), (3, 1), (4, 2)]


def test_a_shuttle_shows_turns_to_go_while_its_edge_keeps_the_weight_of_the_graph(
    maker: GameMaker,
) -> None:
    match = resumed(maker, TRIANGLE, {1: (50, 0), 3: (0, 50)}, preset="half_step")
    match.submit([(1, 3, 5)])
    assert match.to_dict()["shuttles"] == [[1, 3, 1, 5, 6]]
    assert match.seen_by(2)["shuttles"] == [[1, 3, 1, 5, 6]]
    match.advance()
    assert match.seen_by(2)["shuttles"] == [[1, 3, 1, 5, 5]]


def test_a_shuttle_lands_before_the_next_move_of_the_player_who_launched_it(maker: GameMaker) -> None:
    match = resumed(maker, TRIANGLE, {1: (50, 0), 3: (0, 50)}, turn=21, preset="half_step")
    match.play([(1, 2, 20)])
    assert (match.player, owner_of(match, 2)) == (2, 0)
    match.play([])
    assert (match.player, owner_of(match, 2)) == (1, 1)
    assert match.submit([(2, 1, 20)]) == [True]


def test_the_players_never_land_in_the_same_turn(maker: GameMaker) -> None:
    board = tiny_board([(0, 1, 1), (0, 2, 1)], bases=(1, 2))
    match = resumed(maker, board, {1: (50, 0), 2: (0, 50)}, turn=21, preset="half_step")
    match.play([(1, 0, 10)])
    match.play([(2, 0, 12)])
    assert people_on(match, 0) == (10, 0)  # turn 23: player 1 is there first
    match.advance()
    assert people_on(match, 0) == (0, 1)  # turn 24: ten fight like eleven


def test_several_flights_of_one_edge_are_under_way_at_once(maker: GameMaker) -> None:
    match = resumed(maker, TRIANGLE, {1: (50, 0), 3: (0, 50)}, turn=21, preset="half_step")
    for launched in (1, 2, 3):
        match.play([(1, 3, launched)])
        match.play([])
    assert match.to_dict()["shuttles"] == [[1, 3, 1, 2, 2], [1, 3, 1, 3, 4]]  # the first has landed on turn 27
    assert people_on(match, 3) == (0, 50)


def test_the_graph_keeps_its_weights_in_the_view(maker: GameMaker) -> None:
    match = maker.start(maker.prepare(TRIANGLE), "half_step")
    assert match.seen_by(1)["edges"] == [[1, 2, 1], [1, 3, 3], [2, 3, 2]]
