"""The course's grading: who is played how often, what counts as beaten, points, and the graphs not won."""

import json
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.arena.contestants import Submission, contestant_of, load_one
from planetwars_env.arena.game_store import IN_MEMORY, GameStore, load_replay
from planetwars_env.arena.grading import (
    COURSE,
    GradeReport,
    GradingScheme,
    OpponentGrade,
    grade_submissions,
    list_graphs,
    plan_grading,
)
from planetwars_env.arena.results import Result, Tally
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.bots.catalogue import parse_player
from support.command_line import run, succeed
from support.paths import HOSTILE, SPREADER

HONEST, THROWER = str(SPREADER), str(HOSTILE / "thrower.py")


GAMES = COURSE.games


def grade(opponent: str, wins: int, draws: int = 0) -> OpponentGrade:
    counted = Tally(GAMES, wins, draws, GAMES - wins - draws, 0)
    return OpponentGrade(Result(opponent, counted, Tally()), (), (), COURSE.opponents[opponent], COURSE.threshold)


def points(*wins: int) -> float:
    grades = [grade(name, count) for name, count in zip(COURSE.opponents, wins, strict=True)]
    return GradeReport(Submission("x", "", None), tuple(grades), (), COURSE.total).points


@pytest.mark.parametrize(
    ("wins", "together"),
    [
        ((70, 70, 70, 70), 0),
        ((71, 70, 70, 70), 30),
        ((70, 71, 70, 71), 20),
        ((71, 71, 71, 0), 50),
        ((100, 100, 100, 100), 50),
    ],
)
def test_thirty_points_for_random_ten_for_each_ai_fifty_at_most(wins: tuple[int, ...], together: int) -> None:
    assert points(*wins) == together <= COURSE.total == 50
    assert grade("random", 70, draws=30).points == 0


def test_a_hundred_runs_against_each_on_fifty_boards_as_either_player() -> None:
    plan = plan_grading([contestant_of(HONEST)])
    keys = list(plan.schedule())
    assert len(keys) == len(set(keys)) == 4 * GAMES
    for name in COURSE.opponents:
        as_first = {key.graph for key in keys if key[:2] == ("spreader", name)}
        assert as_first == {key.graph for key in keys if key[:2] == (name, "spreader")}
        assert len(as_first) == GAMES / 2


def test_games_of_a_bot_under_grading_are_shown_as_they_were() -> None:
    scheme = GradingScheme(games=20, graphs="duel", opponents={"random": 1}, seed=1)
    with GameStore(IN_MEMORY) as store:
        run_tournament(plan_grading([contestant_of("ai1")], scheme), store, jobs=1)
        replays = [load_replay(store, game.key) for game in store.games()]
        assert [(one.winner, one.turns) for one in replays] == [(game.winner, game.turns) for game in store.games()]
    assert len({one.turns for one in replays}) > 5


def test_what_the_course_measures_by_is_not_measured() -> None:
    with pytest.raises(ValueError, match="ai3 is one of the opponents that a grade is measured against"):
        plan_grading([contestant_of("ai3")])


def test_a_bot_is_graded_by_what_it_won_and_lost_on_which_board() -> None:
    scheme = GradingScheme(graphs=[pw.load_graph("duel"), pw.load_graph("rings")], disturb=False)
    with GameStore(IN_MEMORY) as store:
        (course,) = grade_submissions([load_one(parse_player("noop"), scheme.limits(False))], scheme, store, jobs=1)
    assert (course.points, course.faults) == (0, ())
    for one in course.grades:
        total = one.result.total
        assert (total.games, total.wins) == (GAMES, 0)
        assert (total.losses, total.draws) == (len(one.lost), len(one.drawn))
    ai3 = course.grades[-1]
    assert {(game.key.graph, ai3.side(game)) for game in ai3.lost} == {("rings", 1), ("rings", 2)}
    # nobody is strong enough there to land on a full planet
    assert {(game.key.graph, ai3.side(game)) for game in ai3.drawn} == {("duel", 1), ("duel", 2)}


def test_the_command_prints_the_table_and_the_boards_and_writes_both(tmp_path: Path) -> None:
    out, scheme = tmp_path / "course.json", tmp_path / "fewer.yaml"
    scheme.write_text("games: 4")  # instead of 100; the rest is the course's
    options = ["--graphs", "duel", "--rules", "SPACE_EXPLORERS", "--undisturbed", "--out"]
    result = succeed("grade", THROWER, "--scheme", scheme, *options, out)
    for said in ("Isolation: ", "0 of 30", "0 of 50", "lost to random: as player 1 on duel (2 times)", "fault"):
        assert said in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    written = json.loads(out.read_text())
    assert (written["player"], written["points"], written["of"]) == ("thrower", 0, 50)
    assert [entry["opponent"] for entry in written["opponents"]] == list(COURSE.opponents)
    assert len(written["seed"]) == 32
    assert written["opponents"][0]["lost"][:2] == [{"graph": "duel", "player": 1}, {"graph": "duel", "player": 2}]
    assert "this turn is broken on purpose" in written["faults"][0]["text"]


def test_a_grade_says_how_many_games_ran_in_circles(tmp_path: Path) -> None:
    path, out = tmp_path / "idle.py", tmp_path / "grade.json"
    path.write_text("class Idle:\n    def take_turn(self, view):\n        return []\n")
    scheme = tmp_path / "scheme.yaml"
    scheme.write_text("{games: 2, graphs: rings, max_turns: 200, opponents: {noop: 1, ai2: 1}, seed: 1}")
    said = run("grade", path, "--scheme", scheme, "--out", out).output
    assert "2 of 2 games against noop ended by the turn limit after one position" in " ".join(said.split())
    assert [one["circling"] for one in json.loads(out.read_text())["opponents"]] == [2, 0]


def test_boards_of_a_pool_are_named_by_ranges() -> None:
    names = [*(f"test/{number}" for number in (3, 1, 2, 7)), "rings", "duel", "duel"]
    assert list_graphs(names) == "test/1-3, 7, rings, duel (2 times)"


def test_a_strategy_that_cannot_be_loaded_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import a_module_that_nobody_has\n\nclass Mine:\n    pass\n")
    result = run("grade", file)
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert f"{file} cannot be loaded" in said and "a_module_that_nobody_has" in said
    assert "0 of 50" not in said
