"""The page on how a player plays."""

from pathlib import Path

import pytest

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
