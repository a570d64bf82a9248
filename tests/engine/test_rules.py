"""Each rule of docs/rules.md as sentences on tiny boards, told once for the oracle and for the engine."""

import pytest

from support.implementations import GAME_MAKERS, PRESETS, GameMaker
from support.tiny_graphs import LINE, after_landing, owner_of, people_on, resumed, tiny_board

pytestmark = pytest.mark.parametrize("maker", GAME_MAKERS.values(), ids=GAME_MAKERS.keys())
every_preset = pytest.mark.parametrize("preset", PRESETS)
battle_presets = pytest.mark.parametrize("preset", ["planetwars", "half_step"])

DUEL = tiny_board([(1, 2, 1)], bases=(1, 2))
LONG_LINE = tiny_board(LINE, bases=(1, 5))


# --- R2, R3: the start and the clock -----------------------------------------------------------------------------


@every_preset
def test_a_base_starts_with_one_person_and_every_other_planet_is_empty(maker: GameMaker, preset: str) -> None:
    match = maker(LONG_LINE, preset)
    assert match.to_dict()["planets"] == [[1, 1, 1, 0], [2, 0, 0, 0], [3, 0, 0, 0], [4, 0, 0, 0], [5, 2, 0, 1]]
    assert match.to_dict()["shuttles"] == []


@every_preset
def test_bases_need_not_come_in_the_order_of_the_players(maker: GameMaker, preset: str) -> None:
    match = maker(tiny_board([(3, 7, 1)], bases=(7, 3)), preset)
    assert match.to_dict()["planets"] == [[3, 2, 0, 1], [7, 1, 1, 0]]


@every_preset
def test_time_passes_once_before_the_very_first_move(maker: GameMaker, preset: str) -> None:
    board = tiny_board([(1, 2, 1)], bases=(1, 2), habitability={1: 100, 2: 300})
    match = maker(board, preset)
    assert (match.turn, match.player) == (1, 1)
    assert (people_on(match, 1), people_on(match, 2)) == ((2, 0), (0, 4))


@every_preset
def test_player_1_has_the_odd_turns_and_player_2_the_even_ones(maker: GameMaker, preset: str) -> None:
    match = maker(DUEL, preset)
    players = []
    for turn in range(1, 7):
        assert match.turn == turn
        players.append(match.player)
        match.play([])
    assert players == [1, 2, 1, 2, 1, 2]


@every_preset
def test_playing_moves_is_submitting_them_and_ending_the_turn(maker: GameMaker, preset: str) -> None:
    played, told = (resumed(maker, DUEL, {1: (10, 0), 2: (0, 10)}, preset=preset) for _ in range(2))
    played.play([(1, 2, 4)])
    assert told.submit([(1, 2, 4)]) == [True]
    told.advance()
    assert played.to_dict() == told.to_dict()


def test_who_owns_a_planet_at_landing_is_judged_after_it_has_grown(maker: GameMaker) -> None:
    # three people where two were: the one left over makes player 1 the owner, so player 2 finds 100 - 2 places
    assert after_landing(maker, "space_explorers", (1, 1), (0, 200), habitability=50) == (1, 99)
    assert after_landing(maker, "space_explorers", (1, 1), (0, 200), habitability=0) == (1, 201 - 11)


# --- R4: growth --------------------------------------------------------------------------------------------------


@every_preset
@pytest.mark.parametrize(
    ("people", "habitability", "size", "grown"),
    [
        (50, 10, 1000, 56),  # the double product lies just above 55
        (10, 10, 1000, 11),  # and here not
        (25, 12, 1000, 29),  # above 28, where 25 + 25 * 12 / 100 is not
        (50, 14, 1000, 58),  # above 57, where 50 * (114 / 100) is not
        (100, 9, 1000, 110),
        (430, 10, 1000, 474),
        (1, 1, 100, 2),  # rounded up
        (10, 5, 100, 11),
        (20, 5, 100, 21),
        (7, 1000, 100, 77),
        (99, 10, 100, 100),  # stopped at the size
        (100, 10, 100, 100),
        (1, 1000, 1, 1),
        (42, 0, 100, 42),
        (0, 1000, 100, 0),  # empty planets stay empty
        (5_000_000, 10, 20_000_000, 5_500_000),
        (101, 1000, 100, 100),  # above the size nobody is born, and the planet shrinks by 1
    ],
)
def test_people_grow_by_the_habitability_rounded_up_until_the_size(
    maker: GameMaker, preset: str, people: int, habitability: int, size: int, grown: int
) -> None:
    assert after_landing(maker, preset, (0, people), (0, 0), size, habitability) == (0, grown)


@pytest.mark.parametrize(
    ("there", "habitability", "grown"),
    [
        ((30, 20), 10, (34, 22)),  # an increase of 6: floors 3 and 2, the one left over to the larger
        ((20, 30), 10, (22, 34)),
        ((5, 5), 20, (6, 6)),
        ((5, 5), 10, (6, 5)),  # the one left over to player 1 on a tie
        ((9, 1), 10, (10, 1)),
        ((1, 1), 50, (2, 1)),
        ((48, 1), 100, (97, 1)),  # in double precision 49 * (1 / 49) is below 1
        ((60, 30), 100, (67, 33)),  # an increase of no more than 10: floors 6 and 3
        ((33, 33), 100, (50, 50)),
        ((33, 32), 100, (51, 49)),  # 35 * (32 / 65) is 17.2
    ],
)
def test_both_players_of_a_planet_grow_by_their_shares(
    maker: GameMaker, there: tuple[int, int], habitability: int, grown: tuple[int, int]
) -> None:
    assert after_landing(maker, "space_explorers", there, (0, 0), 100, habitability) == grown


# --- R5: landing in battle ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("landing", "left"),
    [((30, 20), (10, 0)), ((20, 30), (0, 10)), ((30, 30), (0, 0)), ((1, 0), (1, 0)), ((0, 1), (0, 1))],
)
def test_the_larger_side_takes_a_neutral_planet_with_the_difference(
    maker: GameMaker, landing: tuple[int, int], left: tuple[int, int]
) -> None:
    assert after_landing(maker, "planetwars", (0, 0), landing) == left


@pytest.mark.parametrize(
    ("attackers", "outcome"),
    [(5, (100, 0)), (10, (100, 0)), (11, (99, 0)), (109, (1, 0)), (110, (0, 0)), (111, (0, 1)), (150, (0, 40))],
)
def test_hundred_defenders_fight_like_hundred_and_ten(
    maker: GameMaker, attackers: int, outcome: tuple[int, int]
) -> None:
    assert after_landing(maker, "planetwars", (100, 0), (0, attackers)) == outcome
    assert after_landing(maker, "planetwars", (0, 100), (attackers, 0)) == outcome[::-1]


@pytest.mark.parametrize(
    ("defenders", "defence"), [(1, 1), (9, 9), (10, 11), (19, 20), (20, 22), (29, 31), (1_000_000, 1_100_000)]
)
def test_the_strength_of_defenders_is_truncated(maker: GameMaker, defenders: int, defence: int) -> None:
    size = 2_000_000
    assert after_landing(maker, "planetwars", (defenders, 0), (0, defence - 1), size) == (1, 0)
    assert after_landing(maker, "planetwars", (defenders, 0), (0, defence), size) == (0, 0)
    assert after_landing(maker, "planetwars", (defenders, 0), (0, defence + 1), size) == (0, 1)


def test_friends_land_without_a_cap_and_before_foes(maker: GameMaker) -> None:
    assert after_landing(maker, "planetwars", (80, 0), (50, 0)) == (127, 0)  # 130, less a tenth of 30 (R7)
    assert after_landing(maker, "planetwars", (50, 0), (50, 109)) == (1, 0)
    assert after_landing(maker, "planetwars", (50, 0), (50, 110)) == (0, 0)
    assert after_landing(maker, "planetwars", (90, 0), (110, 1)) == (190, 0)  # 200 defend and shrink by 10


@battle_presets
def test_all_foes_of_a_turn_attack_as_one(maker: GameMaker, preset: str) -> None:
    board = tiny_board([(0, 1, 2), (0, 3, 2), (0, 2, 2)], bases=(1, 2))
    pace = 2 if preset == "half_step" else 1
    launched = [[1, 0, 1, 60, 2 * pace], [3, 0, 1, 60, 2 * pace]]
    match = resumed(maker, board, {0: (0, 100), 1: (1, 0), 2: (0, 1)}, launched, preset=preset)
    for _ in range(2 * pace):
        match.advance()
    assert people_on(match, 0) == (10, 0)


def test_a_planet_that_has_grown_defends_with_the_grown_people(maker: GameMaker) -> None:
    assert after_landing(maker, "planetwars", (50, 0), (0, 60), 1000, habitability=10) == (1, 0)  # 56 fight like 61


def test_conquerors_above_the_size_shrink_in_the_same_turn(maker: GameMaker) -> None:
    assert after_landing(maker, "planetwars", (0, 0), (0, 31), size=10) == (0, 28)
    assert after_landing(maker, "planetwars", (10, 0), (0, 42), size=10) == (0, 28)


# --- R6: landing in coexistence ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "landing", "left"),
    [
        ((60, 0), (10, 0), (70, 0)),
        ((60, 10), (50, 0), (108, 10)),  # beyond the size; the excess of 20 costs the owner 2 (R7)
        ((60, 0), (0, 30), (60, 30)),
        ((60, 0), (0, 50), (60, 40)),  # 40 find room, 10 are lost
        ((60, 0), (20, 50), (80, 20)),  # room is what the owner's people leave by now
        ((60, 0), (60, 5), (118, 0)),
        ((60, 30), (0, 50), (57, 70)),  # opponents already there are not counted; the former owner shrinks (R7)
        ((0, 60), (50, 0), (40, 60)),
        ((0, 60), (50, 20), (20, 80)),
    ],
)
def test_on_an_owned_planet_the_owner_lands_whole_and_the_opponent_in_the_room_left(
    maker: GameMaker, there: tuple[int, int], landing: tuple[int, int], left: tuple[int, int]
) -> None:
    assert after_landing(maker, "space_explorers", there, landing) == left


@pytest.mark.parametrize("landing", [(30, 0), (0, 30), (30, 20), (30, 30)])
def test_on_a_full_planet_that_nobody_owns_everyone_arriving_is_lost(
    maker: GameMaker, landing: tuple[int, int]
) -> None:
    assert after_landing(maker, "space_explorers", (50, 50), landing) == (50, 50)
    assert after_landing(maker, "space_explorers", (60, 60), landing) == (60, 58)  # player 2 shrinks (R7)


@pytest.mark.parametrize(
    ("there", "landing", "left"),
    [
        ((0, 0), (30, 20), (30, 20)),
        ((0, 0), (90, 20), (90, 10)),
        ((0, 0), (20, 90), (10, 90)),
        ((0, 0), (150, 20), (145, 0)),
        ((20, 20), (30, 80), (40, 96)),  # people already there are not counted; the new owner shrinks (R7)
        ((20, 20), (1, 0), (21, 20)),
    ],
)
def test_on_a_neutral_planet_the_larger_side_lands_whole_and_the_smaller_in_the_room_left(
    maker: GameMaker, there: tuple[int, int], landing: tuple[int, int], left: tuple[int, int]
) -> None:
    assert after_landing(maker, "space_explorers", there, landing) == left


@pytest.mark.parametrize(
    ("there", "arriving", "size", "left"),
    [
        (0, 30, 100, 30),
        (0, 49, 100, 49),
        (0, 50, 100, 50),  # the size is reached
        (0, 50, 101, 50),
        (0, 51, 101, 50),
        (20, 29, 100, 49),
        (20, 40, 100, 50),
        (0, 5, 1, 0),  # half of 1 is nobody
        (0, 200, 7, 3),
    ],
)
def test_equal_arrivals_are_both_added_or_halve_the_size(
    maker: GameMaker, there: int, arriving: int, size: int, left: int
) -> None:
    assert after_landing(maker, "space_explorers", (there, there), (arriving, arriving), size) == (left, left)


def test_a_planet_is_owned_by_the_strict_majority_at_every_moment(maker: GameMaker) -> None:
    match = resumed(maker, DUEL, {1: (10, 6), 2: (0, 9)}, preset="space_explorers")
    assert owner_of(match, 1) == 1
    match.submit([(1, 2, 4)])
    assert (owner_of(match, 1), people_on(match, 1)) == (0, (6, 6))
    match.submit([(1, 2, 1)])
    assert (owner_of(match, 1), people_on(match, 1)) == (2, (5, 6))


# --- R7: shrinking -----------------------------------------------------------------------------------------------


@every_preset
@pytest.mark.parametrize(
    ("people", "left"), [(100, 100), (101, 100), (110, 109), (111, 109), (120, 118), (200, 190), (1000, 910)]
)
def test_a_tenth_of_the_people_above_the_size_is_lost_rounded_up(
    maker: GameMaker, preset: str, people: int, left: int
) -> None:
    assert after_landing(maker, preset, (people, 0), (0, 0)) == (left, 0)


@pytest.mark.parametrize(
    ("there", "left"), [((70, 50), (68, 50)), ((50, 70), (50, 68)), ((60, 60), (60, 58)), ((40, 60), (40, 60))]
)
def test_the_sum_shrinks_and_the_owner_bears_it(
    maker: GameMaker, there: tuple[int, int], left: tuple[int, int]
) -> None:
    assert after_landing(maker, "space_explorers", there, (0, 0)) == left


# --- R8: moves ---------------------------------------------------------------------------------------------------


@every_preset
@pytest.mark.parametrize(
    "move",
    [
        (1, 3, 1),  # no edge
        (1, 1, 1),
        (1, 2, 0),
        (1, 2, -1),
        (1, 2, 11),  # too many
        (1, 2, 2**31),
        (1, 2, 2**32 + 1),
        (1, 2, 2**64 + 1),
        (1, 2, -(2**63)),
        (2, 3, 1),  # nobody there
        (5, 4, 1),  # the opponent's
        (9, 2, 1),  # no such planet
        (1, 9, 1),
        (-1, 2, 1),
        (1, -5, 1),
        (2**32 + 1, 2, 1),
        (1, 2**64 + 2, 1),
    ],
)
def test_an_illegal_move_is_dropped_and_costs_nothing(
    maker: GameMaker, preset: str, move: tuple[int, int, int]
) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 5: (0, 10)}, preset=preset)
    before = match.to_dict()
    assert match.submit([move]) == [False]
    assert match.to_dict() == before
    assert match.submit([move, (1, 2, 10), move]) == [False, True, False]


@every_preset
def test_earlier_moves_of_the_queue_are_counted_submitted_at_once_or_in_several_goes(
    maker: GameMaker, preset: str
) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 5: (0, 10)}, preset=preset)
    assert match.submit([(1, 2, 6), (1, 2, 6), (1, 2, 4), (1, 2, 1)]) == [True, False, True, False]
    assert people_on(match, 1) == (0, 0)
    assert [people for *_, people, _ in match.to_dict()["shuttles"]] == [10]
    match = resumed(maker, LONG_LINE, {1: (10, 0), 5: (0, 10)}, preset=preset)
    assert [match.submit([move]) for move in [(1, 2, 6), (1, 2, 6), (1, 2, 4)]] == [[True], [False], [True]]
    assert match.submit([]) == []


@every_preset
def test_an_edge_is_usable_both_ways(maker: GameMaker, preset: str) -> None:
    board = tiny_board([(7, 2, 3)], bases=(2, 7))
    match = resumed(maker, board, {2: (5, 0), 7: (0, 5)}, preset=preset)
    match.play([(2, 7, 1)])
    assert match.submit([(7, 2, 1)]) == [True]


@battle_presets
def test_a_planet_from_which_everybody_left_is_neutral_at_once(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 5: (0, 10)}, preset=preset)
    match.submit([(1, 2, 10)])
    assert (owner_of(match, 1), people_on(match, 1)) == (0, (0, 0))


def test_on_a_planet_just_left_friends_and_foes_land_by_the_neutral_rule(maker: GameMaker) -> None:
    board = tiny_board([(0, 1, 1), (0, 2, 2), (0, 3, 1)], bases=(1, 2))
    launched = [[1, 0, 1, 7, 1], [2, 0, 2, 5, 1]]
    match = resumed(maker, board, {0: (10, 0), 1: (1, 0), 2: (0, 1)}, launched)
    match.play([(0, 3, 10)])
    assert people_on(match, 0) == (2, 0)
    assert people_on(match, 3) == (10, 0)


def test_people_may_leave_a_planet_that_the_opponent_owns_seen_or_not(maker: GameMaker) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 4: (3, 8), 5: (0, 10)}, preset="space_explorers")
    assert match.to_dict()["visible"] == [1, 2]
    assert match.submit([(4, 3, 4), (4, 3, 3), (4, 3, 1)]) == [False, True, False]
    assert people_on(match, 4) == (0, 8)


def test_the_owner_cannot_send_the_people_of_the_minority(maker: GameMaker) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 5), 5: (0, 10)}, preset="space_explorers")
    assert match.submit([(1, 2, 11), (1, 2, 10)]) == [False, True]
    assert (owner_of(match, 1), people_on(match, 1)) == (2, (0, 5))


# --- shuttles (between R4 and R5) --------------------------------------------------------------------------------


@every_preset
@pytest.mark.parametrize("weight", [1, 2, 3, 6, 1000])
def test_a_shuttle_lands_its_weight_later_and_does_not_grow_on_its_way(
    maker: GameMaker, preset: str, weight: int
) -> None:
    board = tiny_board([(1, 2, weight), (2, 3, 1)], bases=(1, 3), habitability={1: 1000, 3: 1000})
    match = resumed(maker, board, {1: (50, 0), 3: (0, 50)}, preset=preset, max_turns=3000)
    match.submit([(1, 2, 7)])
    turns = weight * (2 if preset == "half_step" else 1)
    for left in range(turns, 0, -1):
        assert match.to_dict()["shuttles"] == [[1, 2, 1, 7, left]]
        assert people_on(match, 2) == (0, 0)
        match.advance()
    assert match.to_dict()["shuttles"] == []
    assert people_on(match, 2) == (7, 0)


# --- R9: the view ------------------------------------------------------------------------------------------------


@every_preset
def test_a_player_sees_its_planets_and_their_neighbours_and_nothing_else(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 3: (0, 7), 5: (0, 9)}, preset=preset)
    assert match.to_dict()["visible"] == [1, 2]
    assert match.seen_by(1)["planets"] == {1: [1, 10, 0, 100, 0, 1], 2: [0, 0, 0, 100, 0, 0], 3: None, 4: None, 5: None}
    assert match.seen_by(2)["planets"] == {
        1: None,
        2: [0, 0, 0, 100, 0, 0],
        3: [2, 0, 7, 100, 0, 0],
        4: [0, 0, 0, 100, 0, 0],
        5: [2, 0, 9, 100, 0, 2],
    }


@every_preset
def test_visible_is_what_the_player_to_move_sees(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 5: (0, 9)}, preset=preset)
    assert match.to_dict()["visible"] == [1, 2]
    match.advance()
    assert match.to_dict()["visible"] == [4, 5]


@every_preset
def test_a_visible_planet_shows_the_shuttles_of_both_players_and_a_hidden_one_none(
    maker: GameMaker, preset: str
) -> None:
    flying = [[1, 2, 1, 4, 1], [3, 2, 2, 6, 1], [3, 4, 1, 8, 1], [5, 4, 2, 3, 1]]
    pace = {"half_step": [2, 1, 2, 1]}.get(preset, [1, 1, 1, 1])
    board = tiny_board([(1, 2, 1), (2, 3, 2), (3, 4, 1), (4, 5, 2)], bases=(1, 5))
    if preset == "half_step":  # launched on turns 21 (player 1) and 18 (player 2)
        flying = [[*shuttle[:4], turns] for shuttle, turns in zip(flying, pace, strict=True)]
    match = resumed(maker, board, {1: (10, 0), 5: (0, 9)}, flying, preset=preset)
    assert match.seen_by(1)["shuttles"] == [shuttle for shuttle in flying if shuttle[1] == 2]
    assert match.seen_by(2)["shuttles"] == [shuttle for shuttle in flying if shuttle[1] == 4]


@every_preset
def test_shuttles_alike_but_for_their_people_are_listed_as_one(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, DUEL, {1: (10, 0), 2: (0, 9)}, preset=preset)
    match.submit([(1, 2, 3), (1, 2, 4)])
    turns = 2 if preset == "half_step" else 1
    assert match.to_dict()["shuttles"] == [[1, 2, 1, 7, turns]]
    assert match.seen_by(2)["shuttles"] == [[1, 2, 1, 7, turns]]


def test_a_minority_of_its_own_shows_a_player_nothing_and_a_tie_neither_player(maker: GameMaker) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 4: (3, 8), 5: (0, 10)}, preset="space_explorers")
    assert match.seen_by(1)["planets"][4] is None
    assert match.seen_by(2)["planets"][4] == [2, 3, 8, 100, 0, 0]
    match = resumed(maker, LONG_LINE, {1: (10, 0), 3: (5, 5), 5: (0, 10)}, preset="space_explorers")
    assert match.seen_by(1)["planets"][3] is None
    assert match.seen_by(2)["planets"][3] is None


@every_preset
def test_a_planet_is_seen_in_the_turn_in_which_people_land_beside_it(maker: GameMaker, preset: str) -> None:
    turns = 2 if preset == "half_step" else 1
    match = resumed(maker, LONG_LINE, {1: (10, 0), 5: (0, 10)}, [[2, 3, 1, 5, turns]], preset=preset)
    for _ in range(turns):
        assert match.seen_by(1)["planets"][4] is None
        match.advance()
    assert match.seen_by(1)["planets"][4] == [0, 0, 0, 100, 0, 0]


# --- R10: the end ------------------------------------------------------------------------------------------------


@every_preset
def test_who_has_nothing_left_has_lost(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, DUEL, {1: (10, 0)}, preset=preset)
    match.advance()
    assert (match.over, match.winner) == (True, 1)
    match = resumed(maker, DUEL, {1: (0, 10)}, preset=preset)
    match.advance()
    assert (match.over, match.winner) == (True, 2)


@every_preset
def test_the_opponent_may_be_dead_before_its_first_move(maker: GameMaker, preset: str) -> None:
    board = tiny_board([(1, 2, 1)], bases=(1, 2), habitability={1: 1000})
    match = maker(board, preset)
    match.play([(1, 2, 9)])
    if preset == "half_step":
        assert (match.turn, match.over) == (2, False)
        match.play([])
    assert (match.turn, match.over, match.winner) == (3 if preset == "half_step" else 2, True, 1)


@every_preset
def test_a_shuttle_in_flight_keeps_a_player_in_the_game(maker: GameMaker, preset: str) -> None:
    pace = 2 if preset == "half_step" else 1
    board = tiny_board([(1, 2, 3)], bases=(1, 2))
    match = resumed(maker, board, {2: (0, 100)}, [[1, 2, 1, 5, 3 * pace]], preset=preset)
    for _ in range(3 * pace - 1):
        match.advance()
        assert not match.over
    match.advance()
    assert (match.over, match.winner) == (True, 2)


@every_preset
def test_a_winner_need_own_nothing_while_something_of_its_flies(maker: GameMaker, preset: str) -> None:
    pace = 2 if preset == "half_step" else 1
    match = resumed(maker, tiny_board([(1, 2, 3)], bases=(1, 2)), {}, [[1, 2, 1, 5, 3 * pace]], preset=preset)
    match.advance()
    assert (match.over, match.winner) == (True, 1)


@every_preset
def test_elimination_is_checked_when_time_has_passed_and_not_after_the_moves(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, DUEL, {1: (10, 0)}, preset=preset)
    match.submit([(1, 2, 1)])
    assert not match.over


@battle_presets
def test_where_neither_has_anything_left_the_game_is_drawn(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, DUEL, {}, preset=preset)
    match.advance()
    assert (match.over, match.winner) == (True, 0)


def test_both_may_lose_their_last_people_in_the_same_landing(maker: GameMaker) -> None:
    board = tiny_board([(0, 1, 1), (0, 2, 2)], bases=(1, 2))
    match = resumed(maker, board, {}, [[1, 0, 1, 8, 1], [2, 0, 2, 8, 1]])
    match.advance()
    assert (match.over, match.winner) == (True, 0)


def test_where_all_live_in_ties_spaceexplorers_goes_on_to_its_limit(maker: GameMaker) -> None:
    match = resumed(maker, DUEL, {1: (5, 5), 2: (3, 3)}, preset="space_explorers", max_turns=24)
    for _ in range(3):
        match.advance()
        assert not match.over
    match.advance()
    assert (match.turn, match.over, match.winner) == (24, True, 0)


def test_people_in_ties_and_minorities_do_not_save_a_player_from_elimination(maker: GameMaker) -> None:
    match = resumed(maker, LONG_LINE, {1: (10, 0), 3: (5, 5), 5: (10, 9)}, preset="space_explorers")
    match.advance()
    assert (match.over, match.winner) == (True, 1)


@battle_presets
def test_a_turn_limit_cuts_a_battle_off_without_a_winner(maker: GameMaker, preset: str) -> None:
    match = maker(DUEL, preset, max_turns=3)
    match.advance()
    match.advance()
    assert (match.turn, match.over) == (3, False)
    match.advance()
    assert (match.turn, match.over, match.winner) == (3, True, 0)


@battle_presets
def test_a_battle_has_no_turn_limit_of_its_own(maker: GameMaker, preset: str) -> None:
    match = maker(DUEL, preset)
    for _ in range(1500):
        match.advance()
    assert (match.turn, match.over) == (1501, False)


def test_spaceexplorers_plays_a_hundred_turns(maker: GameMaker) -> None:
    match = maker(DUEL, "space_explorers")
    for _ in range(99):
        match.advance()
    assert (match.turn, match.over) == (100, False)
    match.advance()
    assert (match.turn, match.over, match.winner) == (100, True, 0)


@pytest.mark.parametrize(
    ("people", "winner"),
    [
        ({1: (10, 0), 2: (0, 10)}, 0),
        ({1: (11, 0), 2: (0, 10)}, 1),
        ({1: (10, 0), 2: (0, 11)}, 2),
        ({1: (10, 9), 2: (0, 2)}, 2),  # those on opponent-owned planets count
        ({1: (10, 0), 2: (0, 1), 3: (90, 90)}, 1),  # and those on tied ones, which changes no difference
    ],
)
def test_at_the_limit_the_larger_sum_over_all_planets_wins(
    maker: GameMaker, people: dict[int, tuple[int, int]], winner: int
) -> None:
    board = tiny_board([(1, 2, 1), (2, 3, 1)], bases=(1, 2), habitability={1: 1000, 2: 1000})
    match = resumed(maker, board, people, turn=22, preset="space_explorers", max_turns=22)
    match.advance()
    assert (match.over, match.winner) == (True, winner)


def test_at_the_limit_nothing_grows_or_lands_and_shuttles_do_not_count(maker: GameMaker) -> None:
    board = tiny_board([(1, 2, 1)], bases=(1, 2), habitability={1: 1000})
    match = resumed(maker, board, {1: (10, 0), 2: (0, 9)}, turn=21, preset="space_explorers", max_turns=21)
    match.submit([(1, 2, 2)])
    match.advance()
    assert (match.turn, match.over, match.winner) == (21, True, 2)
    assert match.to_dict()["planets"] == [[1, 1, 8, 0], [2, 2, 0, 9]]
    assert match.to_dict()["shuttles"] == [[1, 2, 1, 2, 1]]


@every_preset
def test_no_move_is_taken_after_the_end(maker: GameMaker, preset: str) -> None:
    match = resumed(maker, DUEL, {1: (10, 0)}, preset=preset)
    match.advance()
    with pytest.raises(RuntimeError):
        match.submit([(1, 2, 1)])


# --- PLANETWARS_HALF_STEP: an edge of weight w takes 2w turns ----------------------------------------------------

TRIANGLE = tiny_board([(1, 2, 1), (2, 3, 2), (1, 3, 3)], bases=(1, 3), habitability={1: 100})


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
    match = maker(TRIANGLE, "half_step")
    assert match.seen_by(1)["edges"] == [[1, 2, 1], [1, 3, 3], [2, 3, 2]]
