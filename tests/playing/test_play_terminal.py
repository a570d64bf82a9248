"""Play in the terminal, and the examples of the documentation."""

from itertools import islice
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.setup import play_on_replay
from planetwars_env.replay import Replay
from support.command_line import succeed


def in_terminal(*arguments: str, lines: list[str], color: bool = False) -> str:
    typed = "".join(f"{line}\n" for line in lines)
    return succeed("play", "--terminal", *arguments, input=typed, color=color).output


def test_a_game_in_the_terminal_is_played_to_its_end_and_saved(tmp_path: Path) -> None:
    replay = tmp_path / "game.json"
    lines = ["1 2 1", "1 9 1", "nonsense", "undo", "1 2 half", "end", "", "", f"save {replay}", "quit"]
    said = in_terminal("--against", "random", "--graph", "line", "--seed", "1", "--max-turns", "6", lines=lines)
    assert "no edge joins 1 and 9" in said and "cut off" in said
    saved = Replay.load(replay, verify=True)
    assert saved.moves[0] == ((1, 2, 1),) and saved.turns == 6


def test_the_terminal_shows_the_view_alone_takes_moves_as_language_models_write_them_and_says_how_it_does() -> None:
    lines = ["send 1 -> 2: 1", "send 1 -> 9: 1", "1 2 x", "a 2 1", "1 2 99999999999", "quit"]
    said = in_terminal("--against", "ai1", "--graph", "line", lines=lines)
    assert "     5         ?" in said and "base of you" in said and "base of opponent" not in said
    assert "this turn: 1 from 1 to 2" in said and "send 1 -> 9: 1: no edge joins 1 and 9" in said
    assert said.count("a move is SOURCE DESTINATION PEOPLE, for example: 3 5 12, 3 5 half, 3 5 25%") == 3
    assert said.count("give up, quit, help") == 1 and " people and 1 planet." in said


def test_a_turn_is_taken_back_in_the_terminal() -> None:
    said = in_terminal("--against", "noop", "--graph", "line", lines=["back", "1 2 1", "end", "back", "end", "quit"])
    assert "there is no turn to take back" in said and said.count("turn 1, player 1>") == 4
    assert "\033[" not in said


def test_the_terminal_gives_hints_and_follows_them() -> None:
    said = in_terminal("--against", "ai1", "--graph", "line", lines=["1 2 2", "hint", "follow", "quit"])
    assert "the planner would send 1 from 1 to 2" in said and "this turn: 1 from 1 to 2" in said


def test_a_terminal_shows_a_map_the_news_and_colours_unless_they_are_not_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments, lines = ("--against", "ai1", "--graph", "line"), ["1 2 1", "end", "quit"]
    said = in_terminal(*arguments, lines=lines, color=True)
    assert "\033[94m[1:2]\033[0m" in said and "\033[90m(5:?)\033[0m" in said
    assert "\033[1mSince turn 1: you have taken planet 2.\033[0m" in said
    monkeypatch.setenv("NO_COLOR", "1")
    plain = in_terminal(*arguments, lines=lines, color=True)
    assert "\033[" not in plain and "[1:2]" in plain and "(5:?)" in plain


def test_a_terminal_without_anybody_at_it_ends_the_game() -> None:
    assert "player 1" in in_terminal("--against", "you", "--graph", "duel", lines=[""])


def test_two_strategies_play_in_the_terminal_too() -> None:
    assert (
        "to move" not in in_terminal("--player", "ai3", "--against", "random", "--graph", "duel", lines=["quit"])[-200:]
    )


def test_a_turn_of_a_replay_is_played_on_by_anybody(tmp_path: Path) -> None:
    replay = pw.play_match("ai1", "ai2", "rings", seed=1, max_turns=60)
    setup = play_on_replay(("you", "noop"), replay, 20)
    live = LiveGame(setup)
    live.begin()
    assert (live.game.turn, live.moves) == (20, list(replay.moves[:19]))
    *_, before = (game.copy() for game in islice(replay.games(), 20))
    assert live.game.to_dict() == before.to_dict()
    assert not live.over
    live.carry_out(live.strategy_moves())
    live.give_up()
    live.replay().verify()
    with pytest.raises(ValueError, match="played on from turns 1 to 60, not 61"):
        play_on_replay(("you", "noop"), replay, 61)
    replay.save(tmp_path / "game.json")
    said = in_terminal("--replay", str(tmp_path / "game.json"), "--turn", "21", "--against", "noop", lines=["quit"])
    assert "turn 21" in said
