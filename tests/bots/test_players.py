"""Players by name, module, file, folder and object; the built-in bots as strategies move as their kernels do."""

from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.catalogue import bot_names
from support.encoding import kernel_moves
from support.opponents import Chancy
from support.positions import played
from support.presets import BY_PRESET, every_preset


@pytest.mark.kernels
@every_preset
@pytest.mark.parametrize("bot", COMPILED_BOTS)
def test_a_bot_moves_from_its_view_as_its_kernel_does_from_the_position(bot: str, preset: str) -> None:
    """On boards of every pool, at all stages of a game; and every move of it is legal."""
    moved = 0
    for number in range(10):
        graph = pw.load_graph(("test/{}", "fair/{}", "large/{}")[number % 3].format(number))
        strategy: Any = pw.load_player(bot)
        for turns in (1, 2, 9, 24, 45, 90):
            game = played(graph, preset, turns + number % 2)
            strategy.reset(graph, game.player, game.rules, 7)
            moves = strategy.take_turn(game.view(game.player))
            assert sorted(moves) == kernel_moves(game, bot, 7)
            assert all(game.submit(moves))
            moved += len(moves)
    assert moved or bot == "noop"


@every_preset
@pytest.mark.parametrize("bot", bot_names())
def test_a_bot_plays_whole_games_with_legal_moves_only_and_alike_for_one_seed(bot: str, preset: str) -> None:
    stories = []
    for _ in range(2):
        game, story = pw.Game(pw.load_graph("rings"), BY_PRESET[preset], max_turns=60), []
        strategy: Any = pw.load_player(bot)
        strategy.reset(game.graph, 2, game.rules, 11)
        while not game.over:
            if game.player == 1:
                game.play(Chancy().take_turn(game.view(1)))
            else:
                story.append(list(strategy.take_turn(game.view(2))))
                assert all(game.play(story[-1]))
        stories.append(story)
    assert strategy.name == bot and stories[0] == stories[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ai33", "unknown strategy 'ai33': choose from noop, random, ai1, ai2, ai3.*; did you mean 'ai3'"),
        ("support.opponents:Nobody", "module support.opponents has no class Nobody"),
        ("RandomStrategy", "the RandomStrategy of the course is called 'random' here"),
        ("ai1strategy", "of the course is called 'ai1' here"),
    ],
)
def test_an_unknown_strategy_is_told_with_what_is_known(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.load_player(name)


def test_a_folder_without_an_agent_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"no agent in {tmp_path}"):
        pw.load_player(tmp_path)
