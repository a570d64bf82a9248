"""The fog: hidden values decide nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import planetwars_env as pw
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.codec.limits import FRACTIONS
from planetwars_env.render.drawing import draw, drawing_of
from planetwars_env.render.text import game_text
from support.encoding import encode, kernel_moves
from support.hypothesis_strategies import examples, scripts, scripts_in_midgame
from support.implementations import Engine, Script
from support.positions import played, rewritten
from support.presets import BY_PRESET, every_preset

pytestmark = pytest.mark.kernels


SHOWN: dict[str, Callable[[pw.Game, int], Any]] = {
    "text": game_text,
    "drawing": lambda game, viewer: draw(game, viewer).svg(),
    "pixels": lambda game, viewer: drawing_of(game, viewer).image().tobytes(),
}


def assert_same_to(viewer: int, game: pw.Game, other: pw.Game) -> None:
    assert game.view(viewer) == other.view(viewer)
    for max_orders in (0, 8):
        shown, as_shown = encode(game, viewer, max_orders), encode(other, viewer, max_orders)
        for key, value in shown.items():
            assert np.array_equal(value, as_shown[key]), key
    if game.player == viewer:
        for bot in COMPILED_BOTS:
            assert kernel_moves(game, bot) == kernel_moves(other, bot), bot


@every_preset
def test_what_is_hidden_changes_no_view_no_observation_no_mask_and_no_bot(preset: str) -> None:
    @examples(60)
    @given(scripts(preset) | scripts_in_midgame(preset), st.integers(0, 2**32))
    def unchanged(script: Script, seed: int) -> None:
        rng = random.Random(seed)
        game = Engine(*script[:4]).game
        for moves in script.turns[:6]:
            if game.over:
                break
            for viewer in (1, 2):
                assert_same_to(viewer, game, rewritten(game, viewer, rng))
            game.play([pw.Move(*move) for move in moves])

    unchanged()


@every_preset
def test_on_whole_boards_the_fog_hides_as_well(preset: str) -> None:
    """From texts and pictures too."""
    rng, changed = random.Random(3), 0
    for number in range(12):
        game = played(pw.load_graph(f"test/{number}"), preset, 10 + 5 * number)
        for viewer in (1, 2):
            other = rewritten(game, viewer, rng)
            changed += other.to_dict() != game.to_dict()
            assert_same_to(viewer, game, other)
            for name, show in SHOWN.items():
                assert show(game, viewer) == show(other, viewer), name
    assert changed > 12  # there was fog to hide something


def test_a_minority_that_lives_unseen_is_neither_shown_nor_masked_in() -> None:
    graph = pw.load_graph("line")
    state = pw.Game(graph, pw.SPACE_EXPLORERS).to_dict() | {"shuttles": []}
    state["planets"] = [[1, 1, 5, 0], [2, 0, 0, 0], [3, 0, 0, 0], [4, 2, 3, 9], [5, 2, 0, 9]]
    game = pw.Game.from_dict(graph, state, pw.SPACE_EXPLORERS)
    shown = encode(game, 1, max_orders=8)
    assert not shown["planets"][3, 1:].any()
    legal = {int(shown["edge_index"][(c - 1) // len(FRACTIONS), 0]) for c in np.flatnonzero(shown["action_mask"]) if c}
    assert legal == {0}
    assert game.submit([pw.Move(4, 3, 1)]) == [True]  # R8 allows it, but only memory knows of it


@pytest.mark.parametrize("preset", ["planetwars", "space_explorers"])
def test_whoever_wins_is_shown_the_end_alike(preset: str) -> None:
    """The clock of the last observation counts the turns of the player who looks, whoever had the last one."""
    graph = pw.load_graph("line")
    elapsed = []
    for winner in (1, 2):
        turn = 20 + winner  # the winner is to move, and its move kills
        row = [[1, 0, 9, 0], [2, 0, 9, 0], [3, 0, 0, 0], [4, 0, 0, 0], [5, 0, 0, 0]]
        state = {"turn": turn, "over": False, "winner": 0, "planets": row, "shuttles": []}
        if winner == 2:
            state["planets"] = [[6 - name, 0, second, first] for name, _, first, second in row]
        game = pw.Game.from_dict(graph, state, BY_PRESET[preset])
        game.advance()
        assert game.winner == winner
        elapsed.append(encode(game, winner)["clock"].tolist())
        assert encode(game, winner)["action_mask"].sum() == 21  # nothing is left but to wait
    assert elapsed[0] == elapsed[1]
