"""The pages of scripts/ run, and are as short as the documentation says."""

from dataclasses import replace
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.engine.columns import BOARD
from planetwars_env.learn.config import load_config
from planetwars_env.sim.fields import NEXT_BOARD, NEXT_PLAYER
from scripts import evaluate, search_bot, train
from scripts.research.fair_ppo import FairPPO
from scripts.research.opening_expert import expert_moves
from scripts.research.opening_growth import growth, spread
from support.command_line import run_script
from support.paths import ROOT
from support.presets import BY_PRESET


@pytest.mark.parametrize(("page", "most"), [("search_bot", 80), ("self_play_ppo", 250)])
def test_it_is_one_page(page: str, most: int) -> None:
    assert len((ROOT / "scripts" / f"{page}.py").read_text(encoding="utf-8").splitlines()) <= most


def test_a_player_is_measured() -> None:
    result = run_script(evaluate.main, "ai3", "--opponents", "random", "--graphs", "duel", "--games", 4)
    assert result.exit_code == 0, result.output
    assert "of 4 games won" in result.output and "as player 2: " in result.output


@pytest.mark.slow
def test_an_agent_is_trained_measured_and_filmed(tmp_path: Path) -> None:
    result = run_script(train.main, "demo", "--out", tmp_path / "run", "--steps", 4096, "--games", 2)
    assert result.exit_code == 0, result.output
    assert result.output.count("of 2 games won") == 3
    assert (tmp_path / "run" / "game.json").is_file()


@pytest.mark.parametrize("rules", BY_PRESET.values(), ids=BY_PRESET)
def test_the_search_plays_by_any_rules_and_the_same_game_from_the_same_seed(
    rules: pw.Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_bot, "TRIALS", 4)
    first, second = (
        pw.play_match(search_bot.SearchBot, "random", "rings", rules=rules, seed=2, max_turns=60) for _ in range(2)
    )
    assert first == second and first.turns > 3


@pytest.mark.slow
def test_the_search_beats_ai3() -> None:
    assert pw.evaluate(search_bot.SearchBot, ["ai3"], graphs="fair", games=40)[0].total.wins >= 22


@pytest.mark.slow
def test_the_expert_of_the_opening_grows_faster_than_the_rule_that_it_plays_on_by() -> None:
    graphs = pw.load_pool("test")[:5]
    for side in (1, 2):
        expert = sum(growth(graph, side, expert_moves, pw.PLANETWARS)[3] for graph in graphs)
        rule = sum(growth(graph, side, lambda _, view: list(spread(view)), pw.PLANETWARS)[3] for graph in graphs)
        assert expert > 1.1 * rule


@pytest.mark.slow
def test_the_share_of_symmetric_graphs_is_that_of_the_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.research.fair_ppo.KINDS", {"symmetric": (500, 0.9)})
    config = load_config(ROOT / "scripts" / "research" / "two-sends.yaml")
    task, learner = replace(config.task, opponents=("ai3",)), replace(config.learner, start="graph-planetwars")
    fair = FairPPO(replace(config, task=task, learner=learner))
    assert 0.3 < (fair.collectors[0].batch.state.status[:, BOARD] < 500).mean() < 0.7  # games that begin at once
    assert fair.advance()["policy_loss"] != 0 and fair.steps == 4096
    following = fair.collectors[0].batch.buffers.control
    assert (following[:, NEXT_BOARD] < 500).mean() > 0.75 and set(following[:, NEXT_PLAYER]) == {0, 1}
