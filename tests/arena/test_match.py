"""Matches between bots, strategies and policies, and the statistics of their results."""

from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate, evaluation_results, plan_evaluation, scheduled_games
from planetwars_env.arena.game_store import IN_MEMORY, GameStore, load_replay
from planetwars_env.arena.results import Tally, bootstrap_interval, clustered, interquartile_mean, tally, wilson
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.engine.rules import PRESETS
from support.opponents import Chancy, FirstLegal, Idle


@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_a_match_is_replayed_by_its_moves_and_the_same_from_the_same_seed(rules: pw.Rules) -> None:
    replay, again, other = (
        pw.play_match("random", Chancy, "test/3", rules=rules, seed=seed, max_turns=80) for seed in (5, 5, 6)
    )
    replay.verify()
    assert replay == again and replay.moves != other.moves
    assert replay.players == ("random", "chancy")
    assert (replay.winner, replay.turns) == (0, 80) or replay.winner in (1, 2)


@pytest.mark.parametrize("max_orders", [0, 1, 4])
def test_a_policy_plays_a_match_as_it_does_in_an_environment(max_orders: int) -> None:
    policy = FirstLegal(max_orders)
    replay = pw.play_match(policy, Idle, "test/3", max_turns=100)
    replay.verify()
    result = evaluate(policy, [Idle], "test/3", games=1)[0]
    assert any(replay.moves)
    assert result.as_player_1.turns == pw.play_match(policy, Idle, "test/3").turns


class Halves:
    """A strategy that sends half a person too many."""

    name, compete = "halves", False

    def take_turn(self, view: pw.View) -> Any:
        return [(1, 2, 1.5)]


def test_a_move_of_fractions_is_refused_wherever_it_comes_from() -> None:
    """Isolated strategies lose the turn for it (test_worker.py)."""
    with pytest.raises(TypeError, match=r"in whole numbers, not \(1, 2, 1.5\)"):
        pw.play_match(Halves, "noop", "duel", max_turns=9)
    with pytest.raises(TypeError, match=r"in whole numbers, not \(1, 2, 1.5\)"):
        evaluate(Halves, ["noop"], ["duel"], games=2)


def test_moves_of_numpys_whole_numbers_are_plain_ones_in_the_replay() -> None:
    class Arrays(Halves):
        def take_turn(self, view: pw.View) -> Any:
            return np.array([[1, 2, 1]])

    replay = pw.play_match(Arrays, "noop", "duel", max_turns=9)
    assert all(type(number) is int for number in replay.moves[0][0])


def test_self_plays_no_match_and_a_policy_none_on_a_board_beyond_its_limits() -> None:
    with pytest.raises(ValueError, match="self"):
        pw.play_match("self", "random", "duel")
    with pytest.raises(ValueError, match="rings"):
        pw.play_match(FirstLegal(0, pw.Limits(3, 3, 3, 8)), "noop", "rings")


def test_games_are_counted_by_the_player_that_was_played() -> None:
    as_first, as_second = tally([(1, 1, 10), (1, 2, 20), (2, 2, 30), (2, 0, 40)])
    assert as_first == Tally(2, 1, 0, 1, 30)
    assert as_second == Tally(2, 1, 1, 0, 70)
    assert (as_first + as_second).win_rate == 0.5


@pytest.mark.parametrize(
    ("wins", "games", "interval"),
    [(0, 0, (0.0, 1.0)), (0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0)), (140, 200, (0.6332, 0.7592))],
)
def test_the_interval_is_wilsons(wins: int, games: int, interval: tuple[float, float]) -> None:
    assert wilson(wins, games) == pytest.approx(interval, abs=1e-4)


def test_the_interval_counts_distinct_games_only() -> None:
    (result,) = evaluate("ai3", "ai2", "rings", games=400)
    assert result.distinct == 2 and result.total.games == 400
    assert result.interval == wilson(result.total.win_rate * 2, 2) != result.total.interval
    assert "of 400 games (2 distinct) won" in str(result)
    assert result.unseen is None  # one graph says nothing about others
    assert evaluate("random", "random", "test", games=20)[0].distinct == 20


@pytest.mark.parametrize("max_orders", [0, 4])
def test_a_policys_games_in_a_batch_are_kept_with_their_moves(max_orders: int) -> None:
    """Played again, the moves lead to the result, against compiled bots, strategies and policies."""
    players = [resolve_player(one) for one in (FirstLegal(max_orders), "ai1", Idle, FirstLegal())]
    plan = plan_evaluation(players, "test", 6, keep_moves=True)
    with GameStore(IN_MEMORY) as store:
        plan = run_tournament(plan, store, jobs=None)
        rows = scheduled_games(plan, store)
        for row in rows:
            replay = load_replay(store, row.key)
            assert (replay.winner, replay.turns) == (row.winner, row.turns) and any(replay.moves)
        results = evaluation_results(plan, store)
    assert [result.opponent for result in results] == ["ai1", "idle", "first legal"]
    assert len(rows) == 18 and results == evaluate(players[0], players[1:], "test", 6)


def test_the_interval_for_unseen_graphs_is_that_of_its_graphs() -> None:
    """Twenty graphs on which every game ends alike are twenty games, however often they are played."""
    alike = [(str(graph), graph < 10) for graph in range(20) for _ in range(50)]
    low, high = clustered(alike) or (0, 1)
    assert (low, high) == pytest.approx(wilson(9.5, 19), abs=0.03) and high - low > 0.4
    mixed = [(str(graph), game % 2 == 0) for graph in range(20) for game in range(50)]
    low, high = clustered(mixed) or (0, 1)
    assert high - low < 0.07  # graphs that do not differ are no clusters
    assert clustered(alike[:200]) is None


# --- interquartile mean and its stratified bootstrap interval, against rliable 1.2.0 and numbers worked out by hand ----

SCORES = [
    [0.555, 0.396, 0.318, 0.526, 0.659, 0.213],
    [0.813, 0.693, 0.211, 0.466, 0.83, 0.239],
    [0.178, 0.503, 0.452, 0.28, 0.812, 0.11],
    [0.688, 0.776, 0.716, 0.303, 0.439, 0.541],
    [0.191, 0.87, 0.628, 0.608, 0.45, 0.655],
]
RLIABLE = 0.5116875, (0.41224844, 0.59975156)
"""Its `aggregate_iqm` of SCORES, and its interval from 20,000 resamples."""


def test_a_quarter_is_cut_at_either_end() -> None:
    assert interquartile_mean([1, 2, 3, 4]) == 2.5
    assert interquartile_mean([-100, 1, 2, 3, 4, 5, 6, 1000]) == 3.5
    assert interquartile_mean([7]) == 7
    assert interquartile_mean([1, 2, 9]) == 4, "of three none is cut"


def test_mean_and_interval_are_those_of_rliable_and_the_same_every_time() -> None:
    low, high = bootstrap_interval(SCORES) or (0, 0)
    mean, interval = RLIABLE
    assert interquartile_mean(SCORES) == pytest.approx(mean)
    assert (low, high) == pytest.approx(interval, abs=0.008)
    assert bootstrap_interval(SCORES) == (low, high)
    assert bootstrap_interval(SCORES[:1]) is None


def test_runs_are_drawn_within_a_task() -> None:
    """Tasks that differ while the runs agree leave nothing to chance."""
    assert bootstrap_interval([[0.1, 0.9, 0.5]] * 4) == pytest.approx((0.5, 0.5))
