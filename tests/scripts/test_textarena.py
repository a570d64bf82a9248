"""The example for TextArena (scripts/examples/textarena_two_players.py): bots play whole games in it as they do directly."""

import runpy
from typing import Any

import pytest

import planetwars_env as pw
from support.paths import ROOT
from support.scripted_models import BotModel, silent

pytest.importorskip("textarena", reason="textarena is not installed: pip install textarena")
EXAMPLE = ROOT / "scripts" / "examples" / "textarena_two_players.py"


def as_player(model: Any) -> Any:
    return lambda message: model([{"role": "user", "content": message}])


def test_bots_come_to_the_same_result_as_directly() -> None:
    example, graph = runpy.run_path(str(EXAMPLE)), pw.load_graph("rings")
    for names in (("ai2", "noop"), ("noop", "ai2")):
        env = example["PlanetWarsArena"](graphs="rings")
        rewards = example["play"]([as_player(BotModel(name, graph)) for name in names], env, seed=0)
        winner = pw.play_match(*names, graph, seed=0).winner
        assert rewards == {winner - 1: 1, 2 - winner: -1}


def test_players_who_say_nothing_draw() -> None:
    example = runpy.run_path(str(EXAMPLE))
    env = example["PlanetWarsArena"](graphs="duel", max_turns=10)
    assert example["play"]([as_player(silent)] * 2, env, seed=0) == {0: 0, 1: 0}
