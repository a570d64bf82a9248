"""Studies: what is compared differs in what it says, and a run leaves a page, a figure and nothing to do again."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from scripts.research.studies import STUDIES
from scripts.research.study import study


@pytest.mark.parametrize("name", STUDIES)
def test_arms_differ_from_each_other_and_share_the_rest(name: str) -> None:
    configs = [STUDIES[name].config(arm, seed=2, steps=600) for arm in STUDIES[name].arms]
    assert len({str(config) for config in configs}) == len(configs)
    assert {(config.schedule.steps, config.schedule.seed, config.schedule.evaluate_every) for config in configs} == {
        (600, 2, 100)
    }
    assert len({config.task.opponents for config in configs}) == 1


@pytest.mark.slow
def test_a_study_leaves_a_page_and_a_figure_and_is_not_done_twice(tmp_path: Path) -> None:
    import typer

    app = typer.Typer()
    app.command()(study)
    line = [
        "self-play",
        "--steps",
        "6000",
        "--seeds",
        "2",
        "--games",
        "4",
        "--keep",
        str(tmp_path / "runs"),
        "--out",
        str(tmp_path),
    ]
    first = CliRunner().invoke(app, line)
    assert first.exit_code == 0, first.output
    page = (tmp_path / "self-play.md").read_text()
    assert all(arm in page for arm in STUDIES["self-play"].arms) and "self-play.png" in page
    assert (tmp_path / "self-play.png").read_bytes()[:4] == b"\x89PNG"
    again = CliRunner().invoke(app, line)
    assert "Trained" in first.output and "Trained" not in again.output
    assert (tmp_path / "self-play.md").read_text() == page


def test_an_unknown_study_is_one_sentence(tmp_path: Path) -> None:
    import typer

    app = typer.Typer()
    app.command()(study)
    result = CliRunner().invoke(app, ["networkz", "--out", str(tmp_path)])
    assert result.exit_code == 1 and "networks, self-play" in result.output and "Traceback" not in result.output
