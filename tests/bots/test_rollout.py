"""`pw.rollout`: copies of a game that built-in bots play on."""

from __future__ import annotations

import pytest

import planetwars_env as pw


def begun() -> pw.Game:
    """A game in its opening, between two bots."""
    return pw.rollout(pw.Game(pw.load_graph("rings")), ("ai2", "random"), turns=12, seed=3)[0]


def test_a_rollout_plays_as_the_bots_do_in_a_match() -> None:
    game = pw.Game(pw.load_graph("rings"), max_turns=300)
    (end,) = pw.rollout(game, ("ai3", "ai2"))
    match = pw.play_match("ai3", "ai2", "rings", seed=0, max_turns=300)
    assert (end.over, end.winner, end.turn) == (True, match.winner, match.turns)


def test_the_game_stays_as_it_is_and_its_copies_go_apart() -> None:
    game = begun()
    before = game.to_dict()
    games = pw.rollout(game, ("random", "random"), turns=20, copies=4, seed=7)
    assert game.to_dict() == before
    assert [one.turn for one in games] == [game.turn + 20] * 4
    assert len({str(one.to_dict()) for one in games}) > 1
    games[0].play([])
    assert games[1].turn == game.turn + 20


def test_rollout_i_is_seeded_with_the_seed_plus_i() -> None:
    game = begun()
    games = pw.rollout(game, ("random", "random"), turns=20, copies=4, seed=7)
    (alone,) = pw.rollout(game, ("random", "random"), turns=20, seed=9)
    assert alone.to_dict() == games[2].to_dict()


def test_no_turns_leave_the_position() -> None:
    game = begun()
    assert pw.rollout(game, ("ai1", "ai1"), turns=0)[0].to_dict() == game.to_dict()


def test_bots_are_found_in_any_case() -> None:
    one, other = (pw.rollout(begun(), bots, turns=9)[0].to_dict() for bots in (("ai1", "ai2"), ("AI1", "Ai2")))
    assert one == other


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"bots": ("ai1", "ai9"), "turns": 5}, "no compiled bot is called 'ai9': choose from noop, random"),
        ({"bots": ("ai1", "ai1")}, "this game has no max_turns and may never end: tell rollout how many turns"),
        (
            {"bots": ("ai1", "ai1"), "turns": 5, "copies": 0},
            "copies of at least 1 and turns of at least 0, not 0 and 5",
        ),
        ({"bots": ("ai1", "ai1"), "turns": -1}, "copies of at least 1 and turns of at least 0, not 1 and -1"),
    ],
)
def test_what_cannot_be_played_is_said(wrong: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pw.rollout(pw.Game(pw.load_graph("duel")), **wrong)
