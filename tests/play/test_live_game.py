"""Games with people in them, without a server: orders, news, and what each player is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from planetwars_env.game import Game
from planetwars_env.graphs.dot import write_dot
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.play.live_game import MoveError
from planetwars_env.play.setup import choices, make_game_setup
from planetwars_env.play.state_messages import past_message
from planetwars_env.view import Move
from support.play_client import match

STRATEGY = """
class Mine:
    name = "mine"
    compete = True

    def take_turn(self, view):
        return [(p.id, e.b, 1) for p in view.owned_by(view.player) for e in view.edges if e.a == p.id]
"""


def test_orders_leave_their_planet_and_are_drawn_but_nothing_happens_before_the_turn_ends() -> None:
    game = match()
    game.order(Move(1, 2, 1))
    state = game.state(1)
    assert [planet["people"] for planet in state["planets"]][:2] == [(1, 0), (0, 0)]
    assert state["shuttles"] == [{"from": 0, "to": 1, "player": 1, "people": 1, "left": 2, "flight": 2}]
    assert game.game.people()[0] == (2, 0) and game.game.shuttles() == ()
    game.end_turn()
    assert [tuple(shuttle) for shuttle in game.game.shuttles()] == [(1, 2, 1, 1, 1)]


def test_a_planet_that_is_emptied_still_shows_what_lies_beside_it_until_the_turn_ends() -> None:
    game = match()
    game.order(Move(1, 2, 2))
    assert [planet["visible"] for planet in game.state(1)["planets"]] == [True, True, False, False, False]


def test_a_planet_that_is_emptied_is_shown_as_nobodys_until_the_order_is_taken_back() -> None:
    game = match()
    game.order(Move(1, 2, 2))
    assert game.state(1)["planets"][0]["owner"] == 0
    with pytest.raises(MoveError, match="nobody of yours is on planet 1"):
        game.order(Move(1, 2, 1))
    game.undo()
    assert game.state(1)["planets"][0]["owner"] == 1


def test_undo_takes_the_last_order_back() -> None:
    game = match()
    game.order(Move(1, 2, 1))
    game.order(Move(1, 2, 1))
    game.undo()
    assert game.orders == [(1, 2, 1)]
    game.undo()
    with pytest.raises(MoveError, match="no move to take back"):
        game.undo()


def test_undo_takes_any_order_back() -> None:
    game = match()
    for _ in range(4):
        game.end_turn()
        game.carry_out(game.strategy_moves())
    for people in (1, 2, 3):
        game.order(Move(1, 2, people))
    game.undo(1)
    assert game.orders == [(1, 2, 1), (1, 2, 3)]
    with pytest.raises(MoveError, match="2 moves, so there is none with the number 3"):
        game.undo(2)


def test_earlier_turns_are_shown_as_they_were_once_no_person_plays() -> None:
    game, states = match("ai2", "ai1", "rings"), []
    for _ in range(30):
        states.append((game.game.turn, game.state(1), game.state(None)))
        game.carry_out(game.strategy_moves())
    for turn, seen, true in states:
        launched = past_message(game, turn, None)["state"]
        assert launched["planets"] == true["planets"]
        assert [one for one in launched["shuttles"] if one["left"] < one["flight"]] == true["shuttles"]
        assert past_message(game, turn, 1)["state"]["planets"] == seen["planets"]
    with pytest.raises(MoveError, match="turns 1 to 31, not 32"):
        past_message(game, 32, None)
    with pytest.raises(MoveError, match="the fog hides"):
        past_message(match(), 1, None)


@pytest.mark.parametrize(("length", "seen"), [(3, True), (4, False)])
def test_each_of_two_people_reads_what_the_other_ones_turn_brought(length: int, seen: bool, tmp_path: Path) -> None:
    """A planet that is taken beside player 1 is news to both, and one out of its sight to player 2 alone."""
    planets = [Planet(i, 20, 100, i, 0, {1: 1, length: 2}.get(i, 0)) for i in range(1, length + 1)]
    path = tmp_path / "path.dot"
    path.write_text(write_dot(Graph("path", planets, [Edge(i, i + 1, 1) for i in range(1, length)])))
    game = match("you", "you", str(path))
    game.end_turn()
    game.order(Move(length, length - 1, 1))
    game.end_turn()
    news = [(3, [f"player 2 has taken #{length - 1}"])]
    assert game.news.of(None) == game.news.of(2) == news
    assert game.news.of(1) == (news if seen else [])


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ((1, 3, 1), "no edge joins 1 and 3"),
        ((1, 99, 1), "no edge joins 1 and 99"),
        ((1, 2, 0), "at least 1"),
        ((1, 2, 3), "only 2 of your people are left on planet 1"),
        ((2, 3, 1), "nobody of yours is on planet 2"),
        ((5, 4, 1), "nobody of yours is on planet 5"),
    ],
)
def test_a_move_that_cannot_be_made_is_refused_with_the_reason(move: tuple[int, int, int], why: str) -> None:
    game = match()
    with pytest.raises(MoveError, match=why):
        game.order(Move(*move))
    assert game.orders == []


@pytest.mark.parametrize("there", [0, 1])
def test_a_move_from_a_hidden_planet_is_taken_without_telling_who_lives_there(there: int) -> None:
    """SpaceExplorers: a minority may leave a planet that it does not see (R8)."""
    game = match(rules="SPACE_EXPLORERS")
    position = game.game.to_dict()
    position["planets"][3] = [4, 2, there, 5]
    game.game = Game.from_dict(game.game.graph, position, game.game.rules)
    before = game.state(1)
    assert not before["planets"][3]["visible"]
    game.order(Move(4, 3, 1))
    assert game.state(1) == before
    game.end_turn()
    assert len(game.game.shuttles()) == there


def test_the_replay_is_kept_back_while_the_game_goes_on_with_people_in_it() -> None:
    game = match()
    with pytest.raises(MoveError, match="what the fog hides"):
        game.replay()
    game.give_up()
    assert game.status == "human has given up" and game.replay().moves == ()


def test_a_strategy_from_a_file_plays_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STRATEGY)
    game = match(str(tmp_path / "mine.py"), "you")
    try:
        assert game.setup.names == ("mine", "human")
        assert game.strategy_moves() == [(1, 2, 1)]
    finally:
        game.close()


def test_a_strategy_that_cannot_be_loaded_forfeits_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('not today')")
    game = match("you", str(tmp_path / "broken.py"))
    assert game.over and game.status == "human has won: broken forfeited on turn 1 (load)"
    assert "not today" in game.fault_text
    assert (game.winner, game.replay().winner, game.replay().forfeit) == (1, 1, (2, "load"))
    game.replay().verify()


@pytest.mark.parametrize(
    ("players", "graph", "why"),
    [
        (("you", "nobody"), "rings", "unknown strategy 'nobody'"),
        (("you", "missing.py"), "rings", "does not exist"),
        (("you", "ai1"), "moon", "there is no graph 'moon'"),
    ],
)
def test_unknown_names_are_told_with_the_known_ones(players: tuple[str, str], graph: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make_game_setup(players, graph)


def test_agents_that_were_trained_here_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "weights.safetensors").touch()
    monkeypatch.chdir(tmp_path)
    assert choices()["agents"]["runs/mine"] == []
    (tmp_path / "runs" / "mine" / "config.yaml").write_text("task:\n  environments: [SpaceExplorers-v0]\n")
    assert choices()["agents"]["runs/mine"] == ["SPACE_EXPLORERS"]
    assert choices()["agents"]["graph-all"] == ["PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS"]
