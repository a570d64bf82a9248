"""The environment of texts: the same games as directly, both players, any reply, and Gymnasium's own checks."""

import warnings
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import planetwars_env as pw
from support.presets import BY_PRESET, every_preset
from support.scripted_models import BotModel
from support.text_reader import view_in

LIMIT = 120


def chat(message: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": message}]


@pytest.mark.parametrize("opponent", ["random", "self", "ai2"])
def test_gymnasium_finds_no_fault(opponent: str) -> None:
    env = gymnasium.make("PlanetWarsText-v0", opponent=opponent, graphs="test", disable_env_checker=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*render.*")
        check_env(env.unwrapped, skip_render_check=True)


@every_preset
@pytest.mark.parametrize("player", [1, 2])
def test_a_bot_that_reads_and_writes_plays_the_same_game_as_directly(preset: str, player: int) -> None:
    graph = pw.load_graph("test/3")
    env = pw.make(
        "PlanetWarsText-v0", rules=BY_PRESET[preset], opponent="ai1", graphs=graph, player=player, max_turns=LIMIT
    )
    model = BotModel("ai3", graph, BY_PRESET[preset])
    message, info = env.reset(seed=3)
    end = False
    while not end:
        message, reward, terminated, truncated, info = env.step(model(chat(message)))
        assert info["asked"] == info["legal"] and info["malformed"] == 0
        end = terminated or truncated
    players = ("ai3", "ai1") if player == 1 else ("ai1", "ai3")
    replay = pw.play_match(*players, graph, BY_PRESET[preset], max_turns=LIMIT)
    assert (info["turn"], info["winner"]) == (replay.turns, replay.winner)
    assert env.unwrapped.game.people() == list(replay.games())[-1].people()  # type: ignore[attr-defined]
    assert reward == (0 if not replay.winner else 1 if replay.winner == player else -1)
    assert "The game is over" in message


def test_one_agent_may_play_both_players_each_with_messages_of_its_own() -> None:
    graph = pw.load_graph("rings")
    env: Any = pw.make("PlanetWarsText-v0", opponent="self", graphs=graph, max_turns=LIMIT, player=1)
    models = {1: BotModel("ai3", graph), 2: BotModel("ai2", graph)}
    message, info = env.reset(seed=0)
    introduced, end = [], False
    while not end:
        player = env.unwrapped.player
        assert view_in(message).player == player
        introduced += [player] if message.startswith("You are player") else []
        message, _, terminated, truncated, info = env.step(models[player](chat(message)))
        end = terminated or truncated
    replay = pw.play_match("ai3", "ai2", graph, max_turns=LIMIT)
    assert introduced == [1, 2] and (info["turn"], info["winner"]) == (replay.turns, replay.winner)
    assert info["rewards"][0] == (1 if replay.winner == 1 else 0 if not replay.winner else -1)


def test_replies_in_other_alphabets_are_told_in_ascii_and_infos_hold_nothing_that_the_fog_hides() -> None:
    env = pw.make("PlanetWarsText-v0", graphs="rings", opponent="ai3", disable_env_checker=True)
    _, first = env.reset(seed=0)
    message, *_, info = env.step("я пошлю 3 → 7\nsend 1 ➜ 2: 3")
    assert message.isascii() and "\\u044f" in message
    assert not {"my_planets", "opponent_planets", "my_people", "opponent_people"} & info.keys()
    assert first.keys() == info.keys()


def test_arguments_about_arrays_are_refused() -> None:
    for name, value in {"fractions": (1.0,), "limits": "LARGE"}.items():
        with pytest.raises(TypeError, match=f"no argument '{name}': observations and actions are texts"):
            pw.make("PlanetWarsText-v0", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("graphs", ["large", pw.GraphGenerator("classic", planets=(30, 40))])
def test_graphs_may_be_of_any_size(graphs: Any) -> None:
    env = pw.make("PlanetWarsText-v0", graphs=graphs, opponent="ai1", disable_env_checker=True)
    message, _ = env.reset(seed=0)
    assert len(view_in(message).planets) > 21 and "Legal sends" in env.step("wait")[0]


def test_a_game_at_its_last_turn_is_called_a_draw() -> None:
    env = pw.make("PlanetWarsText-v0", graphs="duel", opponent="noop", player=1, max_turns=4, disable_env_checker=True)
    message, _ = env.reset(seed=0)
    assert "The game ends after turn 4, in a draw." in message
    env.step("wait")
    message, _, _, truncated, _ = env.step("wait")
    assert truncated and message.startswith("The game is over: a draw: nobody has won by turn 4, the last one.")
