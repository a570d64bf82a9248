"""scripts/search_bot.py: one page of public names that searches from beliefs."""

from __future__ import annotations

import ast

import pytest

import planetwars_env as pw
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
