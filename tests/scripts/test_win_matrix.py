"""Demands on the bots, and the page that describes them."""

from pathlib import Path

import pytest

from planetwars_env.arena.game_store import FinishedGame, GameKey, GameStore, distinct_of
from planetwars_env.arena.standings import compute_standings
from planetwars_env.bots.catalogue import bot_names
from scripts.research.win_matrix import BotTarget, PoolGames, page, win_matrix
from support.command_line import run_script


def games(won: int, drawn: int, lost: int, one: str = "ai3", other: str = "ai2") -> list[FinishedGame]:
    """Distinct games on boards of their own, ``one`` as player 1; drawn ones were cut off."""
    outcomes = [1] * won + [0] * drawn + [2] * lost
    return [
        FinishedGame(GameKey(one, other, str(graph), 0), winner, 9, "rules" if winner else "limit", str(graph))
        for graph, winner in enumerate(outcomes)
    ]


def found(tmp_path: Path, played: list[FinishedGame], bots: list[str]) -> PoolGames:
    with GameStore(tmp_path / "games.sqlite") as store:
        store.add(played)
        return PoolGames("PLANETWARS", "test", compute_standings(store, bots), distinct_of(store.games()))


@pytest.mark.parametrize(("won", "drawn", "lost"), [(7, 0, 3), (7, 3, 0), (6, 4, 0)])
def test_a_draw_is_no_win_and_a_game_that_was_cut_off_no_end(won: int, drawn: int, lost: int, tmp_path: Path) -> None:
    one = found(tmp_path, games(won, drawn, lost), ["ai2", "ai3"])
    assert one.share(BotTarget("ai3", "ai2", 0.7)) == won / 10
    assert one.share(BotTarget("ai3", "ai2", 0.95, ends=True)) == (won + lost) / 10


def test_a_game_that_was_played_twice_counts_once_and_the_page_says_so(tmp_path: Path) -> None:
    twice = [game._replace(key=game.key._replace(repetition=1)) for game in games(4, 0, 0)]
    one = found(tmp_path, games(4, 0, 0) + twice, ["ai2", "ai3"])
    assert "4 distinct games of 8 played, at least 4 per pair" in page(["ai2", "ai3"], [one])


def test_the_page_marks_what_is_missed(tmp_path: Path) -> None:
    one = found(tmp_path, games(3, 1, 6), ["ai2", "ai3"])
    text = page(["ai2", "ai3"], [one])
    assert "| ai3 beats ai2 | 70% | **30.0%** |" in text
    assert "in 1 of 1 cells" in text
    assert "| ai3 | 30.0 (11 - 60); 30 + 0; 10.0 |" in text


@pytest.mark.slow
def test_the_command_plays_every_bot_that_there_is_under_every_rule_set_on_both_pools(tmp_path: Path) -> None:
    out = tmp_path / "matrix.md"
    arguments = ["--out", str(out), "--keep", str(tmp_path / "games"), "--games", "2", "--jobs", "1"]
    first, again = (run_script(win_matrix, *arguments) for _ in range(2))
    assert first.exit_code == again.exit_code == 0, first.output
    assert "goals are met" in first.output
    assert "games were played before" in again.output
    text = out.read_text()
    assert all(f"\n| {bot} " in text for bot in bot_names() if bot != "noop")
    assert text.count("\n### ") == 6
