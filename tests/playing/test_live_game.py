"""Games with people in them, without a server: orders, strategies, and what games they begin."""

import contextlib
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.game import Game
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.setup import choices, make_game_setup
from planetwars_env.view import Move


def match(first: str = "you", second: str = "random", rules: str = "PLANETWARS") -> LiveGame:
    live = LiveGame(make_game_setup((first, second), "line", rules, seed=1))
    live.begin()
    return live


def test_orders_leave_their_planet_but_nothing_happens_before_the_turn_ends() -> None:
    game = match()
    assert game.order("send 1 -> 2: 1") == []
    assert game.view(1).planets[0].people == (1, 0)
    assert game.game.people()[0] == (2, 0) and game.game.shuttles() == ()
    game.end_turn()
    assert [tuple(shuttle) for shuttle in game.game.shuttles()] == [(1, 2, 1, 1, 1)]


def test_a_planet_that_is_emptied_is_shown_as_nobodys_and_still_shows_what_lies_beside_it() -> None:
    game = match()
    game.order("send 1 -> 2: 2")
    view = game.view(1)
    assert [planet.visible for planet in view.planets] == [True, True, False, False, False]
    assert view.planets[0].owner == 0
    assert "nobody of yours is on planet 1" in game.order("send 1 -> 2: 1")[0]
    game.orders.pop()
    assert game.view(1).planets[0].owner == 1


@pytest.mark.parametrize("there", [0, 1])
def test_a_move_from_a_hidden_planet_is_taken_without_telling_who_lives_there(there: int) -> None:
    """SpaceExplorers: a minority may leave a planet that it does not see (R8)."""
    game = match(rules="SPACE_EXPLORERS")
    position = game.game.to_dict()
    position["planets"][3] = [4, 2, there, 5]
    game.game = Game.from_dict(game.game.graph, position, game.game.rules)
    before = game.view(1)
    assert not before.planets[3].visible
    assert game.order("send 4 -> 3: 1") == []
    assert game.view(1) == before
    game.end_turn()
    assert len(game.game.shuttles()) == there


def test_a_strategy_that_cannot_be_loaded_forfeits_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('not today')")
    game = match("you", str(tmp_path / "broken.py"))
    assert game.over and game.status == "human has won: broken forfeited on turn 1 (load)"
    assert "not today" in game.fault_text
    assert (game.winner, game.replay().winner, game.replay().forfeit) == (1, 1, (2, "load"))
    game.replay().verify()


def test_agents_that_were_trained_here_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "weights.safetensors").touch()
    monkeypatch.chdir(tmp_path)
    assert choices()["agents"]["runs/mine"] == []
    (tmp_path / "runs" / "mine" / "config.yaml").write_text("task:\n  environments: [SpaceExplorers-v0]\n")
    assert choices()["agents"]["runs/mine"] == ["SPACE_EXPLORERS"]
    assert choices()["agents"]["graph-all"] == ["PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS"]


ASKED = """
asked = []

def model(messages):
    asked.append(1)
    return "send 1 -> 2: 1"
"""


def test_in_a_game_that_goes_on_a_language_model_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "asked_model.py").write_text(ASKED)
    monkeypatch.syspath_prepend(tmp_path)
    players = "you", "llm:asked_model:model"
    setup = make_game_setup(players, "line", seed=1, moves=[[], [Move(5, 4, 1)], []])
    game = LiveGame(setup)
    game.begin()
    import asked_model  # pyright: ignore[reportMissingImports]

    assert game.game.turn == 4 and asked_model.asked == []
    game.carry_out(game.strategy_moves())
    assert len(asked_model.asked) >= 1
    game.close()


def test_the_page_of_a_notebook_names_its_players_and_refuses_what_is_unknown() -> None:
    class ai1(pw.Strategy):  # noqa: N801 - a strategy that is called as a bot is
        def take_turn(self, view: pw.View) -> list[Move]:
            return []

    assert repr(pw.play("ai2", side=2)) == "PlayPage(ai2 against human)"
    assert repr(pw.play("ai2", player="graph-all")) == "PlayPage(graph-all against ai2)"
    with contextlib.closing(pw.play(ai1, "k4")) as page:
        assert page.address.startswith("http://127.0.0.1:")
        assert "ai1 of this program" in choices()["own"]
    for wrong, why in (
        ({"side": 3}, "side must be 1 or 2, not 3"),
        ({"against": "ai9"}, "ai9"),
        ({"graph": "moon"}, "moon"),
    ):
        with pytest.raises(ValueError, match=why):
            pw.play(**wrong)  # pyright: ignore[reportArgumentType]
