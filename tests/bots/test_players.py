"""Players by name, module, file, folder and object; the built-in bots as strategies move as their kernels do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest

import planetwars_env as pw
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.catalogue import bot_names
from planetwars_env.learn.agent import Agent, load_agent, save_agent
from planetwars_env.learn.config import TrainConfig
from support.encoding import kernel_moves
from support.opponents import Chancy
from support.positions import played
from support.presets import BY_PRESET, every_preset

OWN = """
import planetwars_env as pw

class Own:
    name = "own"
    compete = True
    def take_turn(self, view):
        return []
"""


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


def test_a_strategy_comes_from_a_module_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    for name in (path, str(path), "support.opponents:Idle"):
        strategy = pw.load_player(name)
        assert strategy.take_turn(pw.Game(pw.load_graph("duel")).view(1)) == []
    assert pw.load_player(path).name == "own"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ai33", "unknown strategy 'ai33': choose from noop, random, ai1, ai2, ai3.*; did you mean 'ai3'"),
        ("zzz", "unknown strategy 'zzz': choose from "),
        ("support.opponents:Nobody", "module support.opponents has no class Nobody"),
        ("no_such_module:Own", "there is no module no_such_module"),
        ("no/such/file.py", "does not exist"),
        ("RandomStrategy", "the RandomStrategy of the course is called 'random' here"),
        ("ai1strategy", "of the course is called 'ai1' here"),
    ],
)
def test_an_unknown_strategy_is_told_with_what_is_known(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.load_player(name)


SMALL = {"task": {"fractions": [0.5, 1.0]}, "network": {"width": 8, "rounds": 1}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent that has learned nothing."""
    folder = tmp_path_factory.mktemp("agents") / "newborn"
    folder.mkdir()
    config = TrainConfig.from_dict(SMALL)
    save_agent(folder, config, Agent("newborn", config).network.state_dict(), {})
    return folder


def test_an_agents_folder_is_an_opponent_and_a_player_like_the_agent_itself(folder: Path) -> None:
    replays = [pw.play_match(agent, "ai1", "rings", max_turns=30) for agent in (str(folder), load_agent(folder))]
    assert replays[0] == replays[1]
    assert replays[0].players == ("newborn", "ai1")
    rewards = []
    for opponent in (str(folder), load_agent(folder)):
        env = gymnasium.make("PlanetWars-v0", opponent=opponent, graphs="rings", player=2, max_turns=20)
        observation, _ = env.reset(seed=1)
        rewards.append([observation["planets"].tobytes(), *(env.step(env.action_space.sample() * 0)[1:3])])
    assert rewards[0] == rewards[1]


def test_a_folder_without_an_agent_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"no agent in {tmp_path}"):
        pw.load_player(tmp_path)


class Halfway:
    """Has act and nothing else of a policy."""

    def act(self, observation: dict[str, Any]) -> Any:
        return observation


def test_a_policy_that_lacks_something_is_told_what() -> None:
    message = r"policy 'Halfway' has act, but lacks limits, fractions, max_orders: derive its class from pw.Policy"
    with pytest.raises(ValueError, match=message):
        pw.evaluate(Halfway(), "random", graphs="duel", games=2)
    with pytest.raises(ValueError, match=message):
        pw.play_match(Halfway, "random", "duel")
    with pytest.raises(ValueError, match=message):
        pw.make("PlanetWars-v0", opponent=Halfway(), graphs="duel")


def test_what_does_not_play_is_told_what_a_player_is() -> None:
    with pytest.raises(ValueError, match=r"has neither take_turn\(view\) nor act\(observation\)"):
        pw.evaluate(object(), "random", graphs="duel", games=2)


def waits(view: Any) -> list[Any]:
    return []


def sleeps(seen: Any) -> list[Any]:
    return [pw.Move(planet.id, 0, 1) for planet in seen.owned_by(1)]


@pytest.mark.parametrize("function", [waits, sleeps])
def test_a_function_of_views_is_told_to_become_a_class(function: Any) -> None:
    with pytest.raises(ValueError, match=rf"{function.__name__} ?(\(view\) )?is a function of views.*class Mine"):
        pw.play_match(function, "noop", "duel")
