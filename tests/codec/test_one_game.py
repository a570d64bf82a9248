"""`Game.observe`, `decode` and `encode` against environments with the same arguments, over whole games."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import planetwars_env as pw
from support.positions import played
from support.presets import IDS, every_preset

ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"actions": "order", "max_orders": 3, "graphs": "fair"},
    {"limits": pw.Limits(60, 120, 16, 3), "fractions": (0.3, 1.0), "graphs": "large"},
    {"observation": "flat", "actions": "order", "graphs": "rings"},
    {"observation": "derived", "graphs": "test"},
    {"sends": 2, "graphs": "test"},
]


pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
@pytest.mark.parametrize("name", IDS.values())
def test_a_game_is_observed_and_acted_in_as_in_an_environment(name: str, arguments: dict[str, Any]) -> None:
    env: Any = gymnasium.make(name, opponent="noop", player=1, **arguments).unwrapped
    shown = {key: value for key, value in arguments.items() if key != "graphs"}
    said = {key: value for key, value in shown.items() if key not in ("observation", "max_orders")}
    observed, _ = env.reset(seed=3)
    env.action_space.seed(3)
    orders, ended = 0, False
    for _ in range(60):
        observation, mask = env.game.observe(orders=orders, **shown)
        assert np.array_equal(mask, env.action_masks())
        if isinstance(observed, dict):
            assert observation.keys() == observed.keys()
            for key, part in observed.items():
                assert np.array_equal(observation[key], part) and observation[key].dtype == part.dtype
        else:
            assert np.array_equal(observation, observed)
        action = env.action_space.sample(mask=env.sample_mask())
        twin = env.game.copy()
        moves = twin.decode(action, **said)
        if "sends" not in arguments:  # two sends along one edge are one move
            assert moves == twin.decode(twin.encode(moves, **said), **said)
        assert all(twin.submit(moves))
        observed, _, ended, _, _ = env.step(action)
        orders = (orders + 1) % shown.get("max_orders", 8) if said.get("actions") == "order" and action else 0
        if orders == 0:
            twin.advance()
            if not twin.over:
                twin.play([])
        assert twin.to_dict() == env.game.to_dict()
        if ended:
            break


@every_preset
def test_a_player_who_is_not_to_move_can_only_wait(preset: str) -> None:
    game = played(pw.load_graph("test/1"), preset, 20)
    _, mask = game.observe(3 - game.player)
    choices = mask.reshape(pw.CLASSIC.planets, -1)
    assert (choices[:, 0] == 1).all() and not choices[:, 1:].any()
    observation, _ = game.observe(3 - game.player)
    mine = observation["planets"][: len(game.graph.planets), 2]
    assert {planet.id for planet in game.view(3 - game.player).owned_by(3 - game.player)} == {
        planet.id for planet, own in zip(game.graph.planets, mine, strict=True) if own
    }


def test_a_move_becomes_the_nearest_fraction() -> None:
    graph = pw.load_graph("line")
    state = {"turn": 21, "over": False, "winner": 0, "planets": [[1, 1, 100, 0], [5, 2, 0, 9]], "shuttles": []}
    game = pw.Game.from_dict(graph, state)
    for people, sent in ((1, 25), (37, 25), (38, 50), (74, 75), (100, 100)):
        action = game.encode([pw.Move(1, 2, people)], fractions=(0.25, 0.5, 0.75, 1.0))
        assert game.decode(action, fractions=(0.25, 0.5, 0.75, 1.0)) == [pw.Move(1, 2, sent)]
    shares = {"fractions": (0.1, 0.5), "sends": 3}
    moves = [pw.Move(1, 2, 50), pw.Move(1, 2, 5)]
    assert game.encode(moves, **shares)[[0, 21, 42]].tolist() == [2, 1, 0]
    assert game.decode(game.encode(moves, **shares), **shares) == [pw.Move(1, 2, 55)]
    assert game.encode([], actions="order") == 0 and not game.encode([]).any()
    assert game.decode(game.encode([pw.Move(1, 2, 50)], actions="order"), actions="order") == [pw.Move(1, 2, 50)]
    game.submit([pw.Move(1, 2, 40)])
    assert game.decode(game.encode([pw.Move(1, 2, 60)])) == [pw.Move(1, 2, 60)]


@pytest.mark.parametrize(
    ("moves", "actions", "message"),
    [
        ([(1, 3, 1)], "turn", r"no edge joins the planets of the move \(1, 3, 1\)"),
        ([(1, 2, 10)], "turn", r"\(1, 2, 10\) sends 10 people, but it can send 1 to 9"),
        ([(1, 2, 0)], "turn", r"\(1, 2, 0\) sends 0 people, but it can send 1 to 9"),
        ([(2, 3, 1)], "turn", r"\(2, 3, 1\) sends 1 people, but it can send 1 to 0"),
        ([(3, 2, 1), (3, 4, 1)], "turn", r"\(3, 4, 1\) is one move too many for an action"),
        ([(1, 2, 1), (3, 4, 1)], "order", r"\(3, 4, 1\) is one move too many for an action"),
        ([(1, 2, 1)], "both", "unknown actions 'both'"),
    ],
)
def test_what_no_action_says_is_told(moves: list[Any], actions: str, message: str) -> None:
    state = {"turn": 21, "over": False, "winner": 0, "shuttles": []}
    game = pw.Game.from_dict(pw.load_graph("line"), state | {"planets": [[1, 1, 9, 0], [3, 1, 9, 0], [5, 2, 0, 9]]})
    with pytest.raises(ValueError, match=message):
        game.encode([pw.Move(*move) for move in moves], actions=actions)


def test_a_minority_in_the_fog_cannot_be_sent() -> None:
    state = {"turn": 21, "over": False, "winner": 0, "shuttles": []}
    planets = [[1, 1, 9, 0], [4, 2, 3, 9], [5, 2, 0, 9]]
    game = pw.Game.from_dict(pw.load_graph("line"), state | {"planets": planets}, pw.SPACE_EXPLORERS)
    with pytest.raises(ValueError, match="its source is not in sight"):
        game.encode([pw.Move(4, 3, 1)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"player": 0}, "player must be 1 or 2, not 0"),
        ({"limits": pw.Limits(3, 3, 3, 3)}, "graph rings has planets 8, the limits allow 3"),
        ({"fractions": ()}, "fractions must be a non-empty sequence"),
        ({"observation": "pixels"}, "unknown observation 'pixels'"),
        ({"max_orders": 0, "actions": "order"}, "max_orders must be at least 1"),
        ({"sends": 9}, "sends must be a whole number from 1 to 8, not 9"),
        ({"sends": 2, "actions": "order"}, 'sends is for actions="turn"'),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.Game(pw.load_graph("rings")).observe(**arguments)


@pytest.mark.parametrize("action", [np.zeros(20, int), np.zeros(21), 3])
def test_a_wrong_action_is_told(action: Any) -> None:
    with pytest.raises(ValueError, match=r"the action must be integers of shape \(21,\)"):
        pw.Game(pw.load_graph("rings")).decode(action)
