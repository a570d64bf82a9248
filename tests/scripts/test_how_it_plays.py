"""The page on how a player plays."""

from pathlib import Path

import pytest

import planetwars_env as pw
from scripts.research import how_it_plays


def test_the_page_has_figures_below_the_text_that_a_person_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(how_it_plays, "OPPONENTS", ("noop", "ai1"))
    page = tmp_path / "page.md"
    page.write_text("# Written by hand\n\n## Figures\n\nOld.\n")
    how_it_plays.how_it_plays("ai2", games=2, graphs="fair", out=page)
    text = page.read_text()
    assert text.startswith("# Written by hand\n\n## Figures\n") and "Old." not in text
    assert "| noop | 2 of 2 | " in text and "### A front" in text
    assert (tmp_path / "page" / "people.png").read_bytes().startswith(b"\x89PNG")
    assert all((tmp_path / path).is_file() for path in ("page/an-opening.png", "page/a-front.png"))


def test_what_a_side_did_follows_from_the_moves() -> None:
    replay = pw.play_match("ai2", "noop", "rings", max_turns=200)
    seen = how_it_plays._watched(replay, "noop", 1)
    assert seen.won and seen.base_lost is None and len(seen.shares) == len(replay.moves) + 1
    assert seen.shares[-1] == 1 and seen.shares[0] == 0.5
    assert len(seen.sends) == sum(len(moves) for moves in replay.moves[::2]) and all(
        0 < part <= 1 for part in seen.sends
    )
    assert how_it_plays._watched(replay, "ai2", 2).base_lost is not None
