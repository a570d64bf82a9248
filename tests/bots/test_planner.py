"""The planner looks ahead within a budget of simulated turns, from what it sees, and the same way every time."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.bots.bot_codes import ADVISOR
from planetwars_env.bots.bot_games import place_games
from planetwars_env.bots.entry_points import CompiledBot, begin_game
from planetwars_env.bots.planner import BUDGET, SEARCH_HORIZON, Planner, PlannerMemory
from planetwars_env.engine.state import State
from planetwars_env.graphs.board import pack
from planetwars_env.view import KnownMap
from support.presets import BY_PRESET, every_preset


def thinking(game: pw.Game, player: int, seed: int = 5, budget: int = BUDGET) -> Planner:
    planner = Planner(budget)
    begin_game(planner, game.graph, player, game.rules, seed)
    return planner


def play(game: pw.Game, planner: Planner, player: int, turns: int, opponent: str = "ai3") -> list[Any]:
    """So many turns at most; what the planner saw, its moves, and what it spent on each."""
    other: Any = pw.load_player(opponent)
    begin_game(other, game.graph, 3 - player, game.rules, 1)
    story = []
    while not game.over and game.turn < turns:
        view = game.view(game.player)
        moves = (planner if game.player == player else other).take_turn(view)
        if game.player == player:
            story.append((view, moves, planner.spent))
        assert all(game.play(moves)) or game.player == player
    return story


# --- how well it plays -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "preset", [pytest.param(name, marks=[pytest.mark.slow] * (name != "planetwars")) for name in BY_PRESET]
)
def test_it_beats_ai3_on_fair_boards(preset: str) -> None:
    result = evaluate("planner", ["ai3"], "fair", games=8, rules=BY_PRESET[preset])[0]
    assert result.total.wins >= 6


# --- what it knows -----------------------------------------------------------------------------------------------


@every_preset
def test_in_a_batch_it_plays_as_it_does_alone(preset: str) -> None:
    """Also where games on larger graphs stand beside it."""
    rules = replace(BY_PRESET[preset], max_turns=40)
    graphs = [pw.load_graph(name) for name in ("test/7", "duel", "large/1", "fair/3")]
    board, rows = pack(graphs, rules), np.arange(len(graphs))
    state = place_games(board, rules, range(len(graphs)), range(len(graphs)), 40)
    games = [
        pw.Game.over_arrays(graph, rules, board, State(*(array[g : g + 1] for array in state)))
        for g, graph in enumerate(graphs)
    ]
    batched, alone = PlannerMemory(board, state, rules, 500), [thinking(game, 1, budget=500) for game in games]
    for planner, random in zip(alone, state.random, strict=True):
        planner._seen.game.arrays[1].random[:] = random
    others = [pw.load_player("ai1") for _ in games]
    for other, game in zip(others, games, strict=True):
        game.advance()
        begin_game(other, game.graph, 2, rules, 1)
    while going := [g for g, game in enumerate(games) if not game.over]:
        if games[going[0]].player == 1:
            expected = {g: alone[g].take_turn(games[g].view(1)) for g in going}
            batched.play(state, board, rows[going], np.zeros(len(going), np.int64))
            assert {g: games[g].launched() for g in going} == expected
        for g in going:
            if games[g].player == 2:
                games[g].submit(others[g].take_turn(games[g].view(2)))
            games[g].advance()


def test_a_vector_environment_plays_against_it_as_a_single_one() -> None:
    arguments: Any = {"opponent": "planner:500", "graphs": "test", "max_turns": 40}
    several, one = pw.make_vec(num_envs=3, **arguments), pw.make(**arguments)
    several.reset(seed=5)
    one.reset(seed=6)
    for _ in range(30):
        actions = several.action_space.sample()
        observations = several.step(actions)[0]
        single, *_, terminated, truncated, _info = one.step(actions[1])
        if terminated or truncated:
            break
        assert all((observations[name][1] == part).all() for name, part in single.items())


# --- how it thinks -----------------------------------------------------------------------------------------------


@every_preset
def test_it_simulates_no_more_turns_than_its_budget_and_most_of_them(preset: str) -> None:
    game = pw.Game(pw.load_graph("fair/3"), BY_PRESET[preset])
    trial = SEARCH_HORIZON * game.rules.turns_per_weight
    spent = [cost for _, _, cost in play(game, thinking(game, 1), 1, 40)]
    assert max(spent) <= BUDGET and min(spent) > BUDGET - trial


@every_preset
def test_without_a_budget_it_plays_what_its_advisor_says(preset: str) -> None:
    """So what it supposes holds what it sees."""
    game = pw.Game(pw.load_graph("fair/5"), BY_PRESET[preset])
    for view, moves, spent in play(game, thinking(game, 1, budget=0), 1, 40):
        advisor = CompiledBot("advisor", ADVISOR)
        advisor.reset(game.graph, 1, game.rules, 0)
        assert sorted(moves) == sorted(advisor.take_turn(view))
        assert 0 < spent <= SEARCH_HORIZON * game.rules.turns_per_weight


def test_a_seed_gives_the_same_game_and_another_seed_another() -> None:
    stories = []
    for seed in (1, 1, 2):
        game = pw.Game(pw.load_graph("test/7"))
        stories.append([moves for _, moves, _ in play(game, thinking(game, 2, seed, 1000), 2, 30)])
    assert stories[0] == stories[1] != stories[2]


def test_a_pickled_planner_goes_on_as_it_would_have() -> None:
    game = pw.Game(pw.load_graph("test/4"))
    planner = thinking(game, 1, budget=1000)
    play(game, planner, 1, 9)
    twin = pickle.loads(pickle.dumps(planner))
    other = game.copy()
    assert play(game, planner, 1, 31) == play(other, twin, 1, 31)


@pytest.mark.parametrize("name", ["planner:0", "planner:9999999999"])
def test_a_budget_in_its_name_is_a_number_of_turns(name: str) -> None:
    assert (pw.load_player("planner:900").budget, pw.load_player("planner:900").name) == (900, "planner:900")
    with pytest.raises(ValueError, match=f"{name}: the number of turns that planner simulates for one must lie"):
        pw.load_player(name)


def test_a_turn_after_the_last_one_is_an_error_and_not_a_loop_for_ever() -> None:
    game = pw.Game(pw.load_graph("rings"), pw.SPACE_EXPLORERS, max_turns=110)
    planner = Planner()
    planner.reset(KnownMap.of(game.graph), 1, game.rules, 1)
    game.play(planner.take_turn(game.view(1)))
    while game.turn <= 100:
        game.advance()
    with pytest.raises(ValueError, match="the view is of turn 101, but reset was told that turn 100 is the last"):
        planner.take_turn(game.view(1))
