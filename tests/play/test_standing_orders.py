"""Standing orders and the memory of the fog, without a browser."""

from __future__ import annotations

from itertools import pairwise

import pytest

from planetwars_env.play.live_game import LiveGame, MoveError
from planetwars_env.play.server import running
from planetwars_env.play.state_messages import Shown, hint, state_message
from planetwars_env.view import Move
from support.play_client import Tab, match, opening


def turns(live: LiveGame, count: int) -> None:
    for _ in range(count):
        if live.person_to_move:
            live.end_turn()
        else:
            live.carry_out(live.strategy_moves())


def test_a_standing_order_sends_its_percentage_on_every_turn_and_one_person_stays() -> None:
    live = match("you", "noop")
    live.keep_sending(Move(1, 2, 100))
    assert live.orders == [(1, 2, 1)]
    turns(live, 2)
    here = sum(live.game.people()[0])
    assert live.orders == [(1, 2, here - 1)] and live.game.people()[1] == (1, 0)
    live.undo()
    turns(live, 2)
    live.keep_sending(Move(1, 2, 50))
    assert len(live.standing.of[1]) == 1 and live.orders == [(1, 2, sum(live.game.people()[0]) // 2)]
    live.stop_sending(0)
    assert live.orders == [] == live.standing.of[1]


def test_a_planet_has_one_standing_order_which_ends_with_it() -> None:
    live = match("you", "noop", "rings")
    turns(live, 30)
    here = live.view(1).my_people(live.view(1).owned_by(1)[0])
    home = live.view(1).owned_by(1)[0].id
    first, second = [edge.a + edge.b - home for edge in live.view(1).edges if home in (edge.a, edge.b)][:2]
    live.keep_sending(Move(home, first, 25))
    live.keep_sending(Move(home, second, 50))
    assert live.orders == [(home, second, here // 2)] and len(live.standing.of[1]) == 1
    live.order(Move(home, first, here - sum(move.people for move in live.orders)))
    turns(live, 2)
    assert live.standing.of[1] == [] == live.orders


@pytest.mark.parametrize(
    ("move", "why"),
    [((1, 2, 0), "1 to 100 %"), ((1, 2, 101), "1 to 100 %"), ((1, 3, 50), "no edge"), ((2, 3, 50), "nobody of yours")],
)
def test_standing_orders_that_cannot_be_carried_out_are_refused(move: tuple[int, int, int], why: str) -> None:
    live = match()
    with pytest.raises(MoveError, match=why):
        live.keep_sending(Move(*move))
    with pytest.raises(MoveError, match="none with the number 1"):
        live.stop_sending(0)


def test_taking_back_keeps_the_standing_orders_that_were_given_before() -> None:
    with running(opening("you", "noop", "line")) as address:
        tab = Tab(address)
        tab.act("keep sending", moves=[[1, 2, 50]])
        assert [order[:3] for order in tab.hear("state")["standing"]] == [[1, 2, 50]]
        for _ in range(2):
            tab.end_turn()
            tab.wait_for_turn()
        tab.say("take back")
        assert tab.hear("state", lambda now: now["turn"] == 3)["standing"] and tab.now["orders"] == [[1, 2, 1]]
        tab.say("take back")
        assert tab.hear("state", lambda now: now["turn"] == 1)["standing"] == [] == tab.now["orders"]
        tab.close()


def test_planets_that_are_no_longer_seen_are_told_as_they_were_shown_last() -> None:
    """A base that everybody leaves is remembered as it was left; taking the turn back forgets it."""
    with running(opening("you", "noop", "line")) as address:
        tab = Tab(address)
        assert tab.now["memory"] == []
        for move in ([1, 2, 2], [2, 3, 2], [3, 4, 2]):
            while not tab.wait_for_turn()["state"]["planets"][move[0] - 1]["owner"]:
                tab.end_turn()
            tab.act("order", moves=[[*move[:2], sum(tab.now["state"]["planets"][move[0] - 1]["people"])]])
            tab.hear("state")
            tab.end_turn()
        while not tab.wait_for_turn()["state"]["planets"][3]["owner"]:
            tab.end_turn()
        known = {one["planet"]: one for one in tab.now["memory"]}
        assert known.keys() == {0, 1} and all(known[0][key] for key in ("turn", "size", "visible"))
        assert known[0]["people"] == [0, 0] and known[0]["turn"] < known[1]["turn"] < tab.now["turn"]
        again = Tab(address, tab.key)
        assert again.now["memory"] == tab.now["memory"]
        again.close()
        while tab.now["turn"] > 1:
            tab.say("take back")
            tab.hear("game")
            tab.hear("state")
            assert all(one["turn"] < tab.now["turn"] for one in tab.now["memory"])
        assert tab.now["memory"] == []
        tab.close()


def test_two_people_remember_only_what_was_shown_on_their_own_turns() -> None:
    live = match("you", "you", "line")
    told = []
    for _ in range(12):
        view = live.view(live.game.player)
        own = view.owned_by(view.player)
        step = 1 if view.player == 1 else -1
        if own and 0 < own[0].id + step < 6:
            live.order(Move(own[0].id, own[0].id + step, view.my_people(own[0])))
        told.append(state_message(live, Shown(view.player, 0, False, 1, False)))
        live.end_turn()
    for one, later in pairwise(told[::2]):
        assert all(known["turn"] % 2 for known in later["memory"]) and len(one["memory"]) <= len(later["memory"])
    assert told[-1]["memory"] and all(known["turn"] % 2 == 0 for known in told[-1]["memory"])


def test_any_bot_gives_hints_and_nobody_else() -> None:
    live = match("you", "noop", "rings")
    turns(live, 20)
    assert hint(live, "ai2")() == [(1, 2, 1), (1, 3, 1)]
    with pytest.raises(MoveError, match="hints come from"):
        hint(live, "strategy.py")


def test_of_several_orders_none_is_given_if_one_is_not_possible() -> None:
    live = match("you", "noop")
    live.keep_sending(Move(1, 2, 50))
    for every_turn in (False, True):
        with pytest.raises(MoveError, match="no edge"):
            live.order_all([Move(1, 2, 1), Move(1, 3, 1)], every_turn)
        assert live.orders == [(1, 2, 1)] and [order.percent for order in live.standing.of[1]] == [50]
