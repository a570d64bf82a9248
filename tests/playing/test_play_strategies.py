"""A student's strategy in a game: its prints, marks, faults and edits are told."""

import json
from pathlib import Path

import pytest

from planetwars_env.playing import live_game
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.server import running
from planetwars_env.playing.setup import make_game_setup
from planetwars_env.playing.terminal import play_in_terminal
from support.paths import TALKER
from support.play_client import Tab, opening
from support.strategy_files import bot, needs_fork


def student(version: int) -> str:
    turn = f'print("version {version} on turn", view.turn)\nreturn [pw.Move(99, 98, 1)]'
    return bot("Student", turn=turn, name="The student")


@needs_fork
def test_a_strategys_name_prints_moves_and_edits_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_game, "_SECONDS", 0)
    file = tmp_path / "mine.py"
    file.write_text(student(1))
    setup = make_game_setup((str(file), "noop"), "duel", max_turns=5)
    live = LiveGame(setup)
    live.begin()
    assert live.setup.names == ("The student", "noop")
    live.carry_out(live.strategy_moves())
    assert [(notes.turn, notes.player, notes.printed, notes.dropped) for notes in live.notes] == [
        (1, 1, "version 1 on turn 1\n", 1)
    ]
    assert live.edited == ""
    file.write_text(student(2))
    live.carry_out(live.strategy_moves())  # of noop
    live.carry_out(live.strategy_moves())
    assert live.notes[-1].printed == "version 1 on turn 3\n"
    assert live.edited == "mine: edited; the next game is played with the new version"
    live.close()
    said: list[str] = []
    play_in_terminal(LiveGame(setup), lambda _: "quit", said.append)
    assert "version 2 on turn 5\n" in said
    assert (
        "None of the 3 moves of The student (player 1) is legal, so it never moved (3: no edge joins the planets)."
        in said
    )


@needs_fork
def test_a_turn_is_not_taken_back_where_the_earlier_game_cannot_begin(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(student(1))
    lines, said = ["quit", "end", "back", "end"], list[str]()

    def ask(_: str) -> str:
        if lines[-1] == "back":
            file.unlink()
        return lines.pop()

    play_in_terminal(LiveGame(make_game_setup(("you", str(file)), "duel")), ask, said.append)
    assert any("mine.py" in text for text in said)
    assert "version 1 on turn 2\n" in said and "version 1 on turn 4\n" in said


@needs_fork
def test_against_a_person_a_strategy_tells_nothing_before_it_is_asked() -> None:
    """It sees what the fog hides from the person."""
    with running(opening(str(TALKER), "you", "duel")) as address:
        tab = Tab(address)
        tab.wait_for_turn()
        assert tab.now["held"] and tab.now["seconds"] == [0, 0]
        for _ in range(2):
            tab.play()
            tab.wait_for_turn()
        assert not any(secret in json.dumps(tab.told) for secret in ("missing", "my turn", "home", "seen"))
        assert tab.now["fault"] == "Talker: fault 1 of 3, on turn 5: exception"
        tab.ask("console", on=True)
        told = next(message for message in tab.told if message.get("kind") == "notes")
        assert [notes["said"] for notes in told["notes"]] == [["my turn 1"], ["my turn 3"], ["my turn 5"]]
        assert not tab.now["held"] and tab.now["seconds"][0] > 0
        tab.close()
