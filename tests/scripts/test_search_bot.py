"""scripts/search_bot.py: one page of public names that searches from beliefs; and the costs of its calls."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from typer import Typer
from typer.testing import CliRunner

import planetwars_env as pw
import scripts.research.search_costs as search_costs
import scripts.search_bot as search_bot
from support.paths import ROOT
from support.presets import BY_PRESET

PAGE = ROOT / "scripts" / "search_bot.py"


def test_it_is_one_page_with_public_names_only() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    names = [
        node.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pw"
    ]
    assert set(names) <= set(pw.__all__) and "Belief" in names
    assert "planetwars_env." not in text


@pytest.mark.parametrize("rules", BY_PRESET.values(), ids=BY_PRESET)
def test_it_plays_by_any_rules_and_the_same_game_from_the_same_seed(
    rules: pw.Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_bot, "TRIALS", 4)
    first, second = (
        pw.play_match(search_bot.SearchBot, "random", "rings", rules=rules, seed=2, max_turns=60) for _ in range(2)
    )
    assert first == second and first.turns > 3


@pytest.mark.slow
def test_it_beats_ai3() -> None:
    assert pw.evaluate(search_bot.SearchBot, ["ai3"], graphs="fair", games=40)[0].total.wins >= 22


def _called(call: Callable[[], object]) -> float:
    call()
    return 1.0


def test_costs_are_listed_for_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_costs, "_microseconds", _called)
    app = Typer()
    app.command()(search_costs.main)
    result = CliRunner().invoke(app, ["--turn", "9"])
    assert result.exit_code == 0, result.output
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    calls = [line.split("|")[1].strip() for line in result.output.splitlines()[2:]]
    assert len(calls) > 10 and [call for call in calls if f"| {call} |" not in page] == []
