"""The arguments of the environments: what each may be, and the error that says what would be right."""

import inspect
from dataclasses import fields, replace
from typing import Any, get_type_hints

import gymnasium
import pytest

import planetwars_env as pw
from planetwars_env.envs.arguments import EnvKeywords
from planetwars_env.learn.config import TrainConfig
from support.environments import make, wait
from support.opponents import Idle, Remembering
from support.short_games import soon_lost

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"opponent": "ai4"}, "unknown strategy 'ai4': choose from noop, random, ai1, ai2, ai3"),
    ({"opponent": ["random", "ramdom"]}, "unknown strategy 'ramdom'.*did you mean 'random'"),
    ({"opponent": []}, "empty list"),
    ({"opponent": 3}, "a player is a name"),
    ({"opponent": object()}, "a player is a name"),
    ({"opponent": [Idle()]}, "pass the class Idle"),
    ({"opponent": "nowhere.py"}, "strategy file nowhere.py does not exist"),
    ({"opponent": "nowhere:Nobody"}, "there is no module nowhere"),
    ({"graphs": "trian"}, "there is no .*'trian'; pools: train, validation, test, fair, large.*did you mean 'train'"),
    ({"graphs": []}, "at least one is needed"),
    ({"graphs": 7}, "does not stand for graphs"),
    ({"graphs": "large"}, "graph large/0 has planets .*the limits allow 21.*pw.LARGE"),
    ({"graphs": "k4", "limits": pw.Limits(4, 6, 2, 8)}, "graph k4 has degree 3, the limits allow 2"),
    ({"graphs": "k4", "limits": pw.Limits(4, 5, 3, 8)}, "graph k4 has edges 6, the limits allow 5"),
    ({"graphs": "k4", "limits": pw.Limits(3, 6, 3, 8)}, "graph k4 has planets 4, the limits allow 3"),
    ({"player": 3}, "unknown player 3: choose one of 'random', 1, 2"),
    ({"player": True}, "unknown player True"),
    ({"actions": "turns"}, "unknown actions 'turns': choose one of 'turn', 'order'"),
    ({"observation": "image"}, "unknown observation 'image': choose one of 'tensors', 'flat'"),
    ({"reward": "score"}, "unknown reward 'score'"),
    ({"fractions": ()}, "fractions must be a non-empty sequence"),
    ({"fractions": (0.5, 1.5)}, "fractions must be"),
    ({"fractions": (0.0,)}, "fractions must be"),
    ({"max_turns": 0}, "max_turns must be"),
    ({"max_turns": 2.5}, "max_turns must be"),
    ({"max_orders": 0, "actions": "order"}, "max_orders must be at least 1"),
    ({"sends": 0}, "sends must be a whole number from 1 to 8, not 0"),
    ({"sends": 2, "actions": "order"}, 'sends is for actions="turn"'),
    ({"privileged": 1}, "privileged must be True or False, not 1"),
    ({"rules": "CHESS"}, "unknown rules 'CHESS': choose one of 'PLANETWARS'"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), WRONG, ids=[f"{i}-{next(iter(wrong))}" for i, (wrong, _) in enumerate(WRONG)]
)
@pytest.mark.parametrize("interface", ["single", "vector"])
def test_a_wrong_argument_is_told_with_what_would_be_right(
    interface: str, arguments: dict[str, Any], message: str
) -> None:
    several: Any = {"num_envs": 2, "vectorization_mode": "vector_entry_point"}
    make_it, arguments = (
        (gymnasium.make, arguments) if interface == "single" else (gymnasium.make_vec, several | arguments)
    )
    with pytest.raises(ValueError, match=f"(?s){message}"):
        make_it("PlanetWars-v0", **arguments)


@pytest.mark.parametrize(
    ("make_it", "known"),
    [
        (pw.make, "rules, render_mode, graphs, .*max_orders, sends, opponent, player, privileged"),
        (pw.make_vec, "num_envs, rules, .*copy, graphs, .*opponent"),
        (pw.make_sb3_vec_env, "num_envs, rules, .*graphs"),
        (pw.pettingzoo_env, "rules, render_mode, mask, graphs, actions"),
    ],
)
def test_an_unknown_argument_is_told_with_the_known_ones(make_it: Any, known: str) -> None:
    with pytest.raises(TypeError, match=f"has no argument 'graph': choose from {known}.*did you mean 'graphs'"):
        make_it(graph="rings")


def test_editors_are_told_the_arguments_that_there_are_of_the_kinds_they_have() -> None:
    written = {field.name: field.type for field in fields(pw.EnvArguments)}
    assert get_type_hints(EnvKeywords) | {"rules": str | pw.Rules} == get_type_hints(pw.EnvArguments)
    assert set(inspect.getdoc(pw.EnvArguments).split("`")) >= set(written)  # pyright: ignore[reportOptionalMemberAccess]


def test_defaults_that_differ_by_nature_are_few() -> None:
    venv, two = pw.make_sb3_vec_env(graphs="rings"), pw.pettingzoo_env(graphs="rings")
    single, ordering = pw.make(graphs="rings", observation="flat"), pw.make(graphs="rings", actions="order")
    assert (venv.observation_space, venv.action_space) == (single.observation_space, single.action_space)
    assert two.action_space("player_1") == ordering.action_space
    task = TrainConfig().task.arguments()
    assert replace(task, reward="win", opponent="random", limits=pw.CLASSIC) == pw.EnvArguments()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"planet": 1}, "unknown options"),
        ({"board": 1}, "unknown options"),
        ({"graph": "validation/x"}, "no graph 'validation/x' here: choose from validation/0, "),
        ({"graph": [1, 2]}, "graph must be one value or 1 of them"),
        ({"opponent": "ai4"}, "no opponent 'ai4' here: choose from random"),
        ({"opponent": 1}, "opponent must be whole numbers from 0 to 0"),
        ({"graph": 50}, "graph must be"),
        ({"graph": -1}, "graph must be"),
        ({"graph": 1.5}, "graph must be"),
        ({"player": 0}, "player must be"),
        ({"player": "first"}, "player must be"),
    ],
)
def test_wrong_options_are_told(options: dict[str, Any], message: str) -> None:
    env = make(graphs="validation")
    with pytest.raises(ValueError, match=message):
        env.reset(seed=0, options=options)


def test_options_choose_opponent_graph_and_player_for_one_game() -> None:
    env = make(graphs="validation", opponent=["random", "ai1", "ai3"])
    assert env.opponents == ("random", "ai1", "ai3")
    for opponent in ("ai3", "ai1", 2, 0):
        info = env.reset(seed=3, options={"opponent": opponent, "graph": "validation/9"})[1]
        assert info["opponent"] == (opponent if isinstance(opponent, str) else env.opponents[opponent])
        assert (info["graph"], info["graph_name"], env.game.graph.name) == (9, "validation/9", "validation/9")
    assert len({env.reset()[1]["opponent"] for _ in range(40)}) == 3
    for graph, player in ((0, 1), (49, 2), (7, 2)):
        env.reset(seed=1, options={"graph": graph, "player": player})
        assert (env.game.graph.name, env.player) == (f"validation/{graph}", player)
    env.reset(seed=1)
    drawn = env.game.graph.name, env.player
    env.reset(seed=1, options={"player": 3 - drawn[1]})
    assert (env.game.graph.name, env.player) == (drawn[0], 3 - drawn[1])


def test_graphs_may_be_a_generator_a_graph_a_path_or_a_list(tmp_path: Any) -> None:
    generator = pw.GraphGenerator("classic", count=5, seed=1)
    env = make(graphs=generator)
    env.reset(seed=0)
    assert len(env.graphs) == 5 and env.game.graph in list(generator)
    path = tmp_path / "own.dot"
    path.write_text(
        "graph own { 1 [habit=1, size=9, x=1, y=1, base=1] 2 [habit=1, size=9, x=2, y=1, base=2] 1--2 [weight=1] }"
    )
    for graphs in (path, str(path), pw.load_graph(path), [path]):
        env = make(graphs=graphs)
        env.reset(seed=0)
        assert [planet.size for planet in env.game.graph.planets] == [9, 9]
    assert len(make(graphs=["duel", "test/17", generator, soon_lost()]).graphs) == 8


# --- strategies as opponents -------------------------------------------------------------------------------------


def test_an_instance_plays_every_game_of_a_single_environment() -> None:
    strategy = Remembering()
    env = make(opponent=strategy, graphs="line", player=2, max_turns=4)
    for _ in range(3):
        env.reset(seed=0)
        env.step(wait(env))
    assert [(planets, player) for planets, player, *_ in strategy.games] == [(5, 1)] * 3
    assert strategy.turns == [1, 3] * 3
    assert len({seed for *_, seed in strategy.games}) == 1  # the environment's seed settles the strategy's


def test_a_list_may_mix_bots_and_factories_of_strategies() -> None:
    Remembering.instances.clear()
    env = make(opponent=["noop", lambda: Remembering(), "random"], graphs="duel", player=2)
    for seed in range(30):
        env.reset(seed=seed)
        env.step(wait(env))
    assert 3 <= len(Remembering.instances) <= 20
