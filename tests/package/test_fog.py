"""The fog: hidden values decide nothing, and both players are shown the same game."""

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
from planetwars_env.graphs.generators import mirror
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


def exchanged(game: pw.Game) -> pw.Game:
    """The same position with the players exchanged: on the turn before or after, which is the other player's."""
    image, state = mirror(game.graph), game.to_dict()
    turn = state["turn"] + (1 if state["player"] == 1 else -1)
    planets = [[image[name], 0, second, first] for name, _, first, second in state["planets"]]
    shuttles = [[image[a], image[b], 3 - player, people, to_go] for a, b, player, people, to_go in state["shuttles"]]
    state |= {"turn": turn, "planets": planets, "shuttles": shuttles, "winner": (3 - state["winner"]) % 3}
    return pw.Game.from_dict(game.graph, state, game.rules)


def mirrored(shown: dict[str, Any], graph: pw.Graph, max_orders: int) -> dict[str, Any]:
    """An observation with every planet and edge in the place of its image."""
    image, index, k = mirror(graph), graph.index, len(FRACTIONS)
    planets = [index[image[planet.id]] for planet in graph.planets]
    count = 2 * len(graph.edges)
    ways = [tuple(pair) for pair in shown["edge_index"][:count].tolist()]
    edges = [ways.index((planets[a], planets[b])) for a, b in ways]
    again = {key: value.copy() for key, value in shown.items()}
    again["planets"][: len(planets)] = shown["planets"][planets]
    again["edges"][:count] = shown["edges"][edges]
    if max_orders:
        orders = shown["action_mask"][1 : 1 + count * k].reshape(count, k)
        again["action_mask"][1 : 1 + count * k] = orders[edges].reshape(-1)
    else:  # all edges of a planet are legal or none is, so their order in the image is of no matter
        again["action_mask"].reshape(21, -1)[: len(planets)] = shown["action_mask"].reshape(21, -1)[planets]
    return again


@every_preset
@pytest.mark.parametrize("max_orders", [0, 8])
def test_on_symmetric_boards_both_players_are_shown_the_same(preset: str, max_orders: int) -> None:
    for number in range(15):
        graph = pw.load_graph(f"fair/{number}") if number else pw.load_graph("rings")
        for turns in (1, 2, 7, 16, 31, 40):
            game = played(graph, preset, turns)
            if not game.over:
                shown = encode(game, game.player, max_orders)
                to_other = encode(exchanged(game), 3 - game.player, max_orders)
                for key, value in mirrored(shown, graph, max_orders).items():
                    assert np.array_equal(value, to_other[key]), (graph.name, turns, key)


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
