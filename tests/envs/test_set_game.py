"""Rows of a vector environment that become a given game."""

from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from support.opponents import Chancy

ON_TEST: dict[str, Any] = {"graphs": "test", "max_turns": 60}


def position(name: str = "test/7", turns: int = 21, limit: int = 60) -> pw.Game:
    return pw.rollout(pw.Game(pw.load_graph(name), max_turns=limit), ("ai1", "ai2"), turns=turns)[0]


@pytest.mark.parametrize("turns", [0, 20, 21])
@pytest.mark.parametrize("privileged", [False, True])
def test_the_row_shows_the_game_to_the_player_to_move(turns: int, privileged: bool) -> None:
    envs = pw.PlanetWarsVectorEnv(3, opponent="ai1", privileged=privileged, copy=False, observation="flat", **ON_TEST)
    shown, _ = envs.reset(seed=1)
    others = [envs.game(row).to_dict() for row in (0, 2)]
    game = position(turns=turns) if turns else pw.Game(pw.load_graph("test/7"), max_turns=60)
    envs.set_game(1, game)
    assert envs.game(1).to_dict() == game.to_dict() and envs.game(1).max_turns == 60
    assert [envs.game(row).to_dict() for row in (0, 2)] == others
    expected, mask = game.observe(observation="flat")
    observed = shown["observation"] if privileged else shown
    assert np.array_equal(observed[1], expected) and np.array_equal(envs.action_masks()[1], mask)
    _, _, _, _, infos = envs.step(np.zeros(envs.action_space.shape or (), np.int64))
    game.advance()
    assert infos["player"][1] == 3 - game.player and infos["graph"][1] == 7 and infos["turn"][1] == game.turn + 1


def test_it_goes_on_as_the_game_does_between_the_same_players() -> None:
    envs = pw.PlanetWarsVectorEnv(2, opponent="ai1", **ON_TEST)
    envs.reset(seed=1)
    game = position(turns=22)
    envs.set_game(0, game)
    while True:
        _, rewards, terminated, truncated, _ = envs.step(np.zeros(envs.action_space.shape or (), np.int64))
        game.advance()
        if not game.over:
            game = pw.rollout(game, ("ai1", "ai1"), turns=1)[0]
        if terminated[0] or truncated[0]:
            break
        assert envs.game(0).to_dict() == game.to_dict()
    assert game.over and rewards[0] == (0 if not game.winner else 1 if game.winner == 1 else -1)


def test_it_goes_where_graphs_are_made_when_they_are_needed() -> None:
    graphs = pw.GraphGenerator("classic", count=300)
    envs = pw.PlanetWarsVectorEnv(2, graphs=graphs, opponent="ai3")
    envs.reset(seed=1)
    game = pw.rollout(pw.Game(graphs[250], max_turns=500), ("ai3", "ai3"), turns=30)[0]
    envs.set_game(1, game)
    assert envs.game(1).to_dict() == game.to_dict()


def test_a_strategy_in_python_begins_there() -> None:
    envs = pw.PlanetWarsVectorEnv(2, opponent=Chancy, **ON_TEST)
    envs.reset(seed=1)
    for name in ("test/7", "test/8"):
        envs.set_game(0, position(name))
        for _ in range(3):
            envs.step(np.zeros(envs.action_space.shape or (), np.int64))
        assert envs.game(0).graph.name == name and envs.game(0).turn == 28


def test_games_that_do_not_fit_are_refused_and_change_nothing() -> None:
    envs = pw.PlanetWarsVectorEnv(2, **ON_TEST)
    envs.reset(seed=1)
    before = [envs.game(row).to_dict() for row in range(2)]
    over = pw.rollout(position(), ("ai3", "random"))[0]
    explorers = pw.Game(pw.load_graph("test/7"), pw.SPACE_EXPLORERS)
    for game, fault in (
        (explorers, "the game has the rules SPACE_EXPLORERS, the environment PLANETWARS"),
        (pw.Game(pw.load_graph("rings")), "the graph 'rings' is not among the environment's: add it with set_graphs"),
        (over, f"the game is over in turn {over.turn}: only a game that goes on can be put into a row"),
        (position(turns=70, limit=500), "the game exceeds the environment's 60 turns in turn 71"),
    ):
        with pytest.raises(ValueError, match=fault):
            envs.set_game(0, game)
    with pytest.raises(IndexError, match="the row of a game"):
        envs.set_game(2, position())
    wrong: Any = {"turn": 1}
    with pytest.raises(TypeError, match="game must be a Game, not dict"):
        envs.set_game(0, wrong)
    assert [envs.game(row).to_dict() for row in range(2)] == before


def test_a_flight_as_long_as_the_ring_of_landing_turns_keeps_its_time_on_other_boards() -> None:
    ends = [{"id": player, "habitability": 3, "size": 100, "base": player} for player in (1, 2)]
    near, far = (
        pw.Graph.from_dict({"planets": ends, "edges": [{"a": 1, "b": 2, "weight": weight}]}, f"far-{weight}")
        for weight in (3, 7)
    )
    envs = pw.PlanetWarsVectorEnv(1, graphs=near, actions="order", player=1)
    envs.reset(seed=0)
    order = int(np.flatnonzero(envs.action_masks()[0])[1])
    envs.step(np.array([order]))
    before = envs.game(0).shuttles()
    assert before[0][-1] == 3
    envs.set_graphs(far)
    assert envs.game(0).shuttles() == before


class Counting(pw.Policy):
    """Notes where its games begin."""

    seen: list[tuple[list[int], list[bool]]]

    def act(self, observation: Any, games: Any, starts: Any) -> Any:
        Counting.seen.append((games.tolist(), starts.tolist()))
        return np.zeros((len(games), 21), np.int64)


def test_a_policy_with_memory_begins_there() -> None:
    Counting.seen = []
    envs = pw.PlanetWarsVectorEnv(2, opponent=Counting, player=1, **ON_TEST)
    envs.reset(seed=1)
    envs.step(np.zeros((2, 21), np.int64))
    envs.set_game(1, position())
    envs.step(np.zeros((2, 21), np.int64))
    assert Counting.seen == [([0, 1], [True, True]), ([0, 1], [False, True])]


class NoPlayer:
    """Neither a strategy nor a policy."""


def test_an_opponent_that_cannot_move_is_named() -> None:
    envs = pw.PlanetWarsVectorEnv(1, opponent=NoPlayer, player=2, **ON_TEST)
    with pytest.raises(TypeError, match="the opponent 'NoPlayer' is a NoPlayer without take_turn"):
        envs.reset(seed=0)
