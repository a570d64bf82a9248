"""Results of the benchmark: a file is accepted as it was written, and refused however it is changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from planetwars_env.cli.main import app
from planetwars_env.learn import score
from planetwars_env.learn.score import PINNED, TRACKS, ScoreError, check, check_opponents, graphs_of


def run(*words: object) -> Any:
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickest track, played by a bot."""
    path = tmp_path_factory.mktemp("score") / "ai1.json"
    done = run("score", "language", "ai1", "--out", path, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert [one.name for one in path.parent.iterdir()] == ["ai1.json"]
    return path


def test_a_result_is_accepted_and_its_sample_played_again_alike(written: Path) -> None:
    checked = check(written, sample=5)
    assert checked.games == 32 and checked.moves > 0
    assert checked.equal == checked.moves and not checked.problem
    done = run("score", "--check", written, "--sample", 2)
    assert done.exit_code == 0 and "all 32 games lead to the recorded results" in " ".join(done.output.split())


def changed_winner(result: dict[str, Any]) -> None:
    result["games"][0][5] = 3 - result["games"][0][5] if result["games"][0][5] else 1
    result["scores"] = score.scores_of(result)


def changed_move(result: dict[str, Any]) -> None:
    """One person less in a move of ai3."""
    moves, games = score._unpacked(result["moves"]), enumerate(result["games"])
    turns = (turn for i, row in games if row[1] == "ai3" for turn in moves[i][2 - row[3] :: 2])
    turn = next(turn for turn in turns if turn and turn[0][2] > 1)
    turn[0][2] -= 1
    result["moves"] = score._packed(moves)


def dropped_game(result: dict[str, Any]) -> None:
    result["moves"] = score._packed(score._unpacked(result["moves"])[1:])
    del result["games"][0]


def better_score(result: dict[str, Any]) -> None:
    result["scores"]["score"] = 99.0


def other_opponent(result: dict[str, Any]) -> None:
    result["opponents"]["ai3"] = "0" * 16


def other_player(result: dict[str, Any]) -> None:
    result["players"][0] |= {"player": "ai2", "digest": PINNED["ai2"]}


CHANGES: dict[Callable[[dict[str, Any]], None], str] = {
    changed_winner: "lead to winner",
    changed_move: "differ|other moves|lead to|is over",
    dropped_game: "games of player 0 are not those of the track",
    better_score: "the scores are not those of the games",
    other_opponent: "ai3 has the digest 0000000000000000",
    other_player: "played again by ai2, has other moves",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_result_is_refused_even_with_a_new_digest(
    written: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    result, path = json.loads(written.read_text()), tmp_path / "changed.json"
    change(result)
    path.write_text(json.dumps(result))
    if change is not better_score:  # the digest leaves the scores out: they are computed again
        with pytest.raises(ScoreError, match="it was changed after it was written"):
            check(path)
    path.write_text(json.dumps(result | {"digest": score._digest(result)}))
    with pytest.raises(ScoreError, match=CHANGES[change]):
        check(path)


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"benchmark": 1, "track": "learn"}', '{"benchmark": 2}'])
def test_other_files_are_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text)
    done = run("score", "--check", path)
    assert done.exit_code == 1 and "is not a result of the benchmark" in " ".join(done.output.split())


@pytest.mark.parametrize(
    "key", ["players", "games", "opponents", "notes", "moves", "name", "versions", "track", "scores"]
)
def test_a_part_that_is_missing_or_of_another_kind_is_named(written: Path, tmp_path: Path, key: str) -> None:
    path, result = tmp_path / "part.json", json.loads(written.read_text())
    for value in (None, 7, [[]], {"a": 1}, "x"):
        broken = result | {key: value}
        path.write_text(json.dumps(broken | {"digest": score._digest(broken)}))
        try:
            check(path, sample=0)
        except ScoreError:
            continue
        assert (key, value) in (("notes", {"a": 1}), ("name", "x"), ("versions", {"a": 1}))


def test_a_player_that_is_not_given_leaves_the_replays_alone(written: Path, tmp_path: Path) -> None:
    result, path = json.loads(written.read_text()), tmp_path / "far.json"
    for place in ("./gone.py", "my_model:reply", "../outside.py"):
        result["players"][0]["player"] = place
        path.write_text(json.dumps(result | {"digest": score._digest(result)}))
        checked = check(path)
        assert checked.moves == 0 and checked.problem == f"{place} is not given, or another one by now"


def test_the_frozen_opponents_play_as_when_they_were_frozen() -> None:
    assert check_opponents(list(PINNED)) == PINNED


def test_an_opponent_that_plays_otherwise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PINNED, "ai1", "0" * 16)
    with pytest.raises(ScoreError, match="ai1 is not the opponent of the benchmark, version 1"):
        check_opponents(["ai1"])


def test_graphs_are_named_by_their_pools_and_training_graphs_are_no_test_graphs() -> None:
    for track, chosen in TRACKS.items():
        graphs = graphs_of(track, "10")
        names = [graph.name for graph in graphs]
        assert len(names) == len(set(names)) and len(names) <= chosen.graphs * len(chosen.pools)
    graphs = graphs_of("generalise", "10")
    assert len([one for one in graphs if one.name.startswith("trained/")]) == 10
    assert {len(one.planets) for one in graphs if one.name.startswith("60/")} == {60}


def test_few_training_graphs_count_as_much_as_many() -> None:
    games = [[0, "ai3", f"trained/{i}", side, 0, side, 9] for i in range(10) for side in (1, 2)]
    result = {
        "track": "generalise",
        "trained_on": "10",
        "players": [{}],
        "opponents": {"ai3": ""},
        "target": "",
        "games": games,
    }
    assert score.win_rates(result) == [
        {f"ai3 on {pool}": float(pool == "trained") for pool in TRACKS["generalise"].pools}
    ]
    assert score.scores_of(result)["score"] == 100, "a policy whose limits forbid the other pools"


def test_wrong_words_are_answered_in_a_sentence(tmp_path: Path) -> None:
    for words, answer in (
        (("lern", "ai1"), "there is no track 'lern': choose one of learn"),
        (("learn", "ai33"), "unknown strategy 'ai33'"),
        (("learn",), "learn needs at least one player"),
        (("exploit", "ai1", "ai2"), "exploit needs one player"),
        (("generalise", "ai1", "--trained-on", "7"), "there is no --trained-on '7': choose one of 10, 50"),
        (("--check", tmp_path / "none.json"), "No such file"),
    ):
        done = run("score", *words)
        assert done.exit_code == 1 and answer in " ".join(done.output.split()), done.output
    assert run("score").exit_code == 2 and run("score", "learn", "ai1", "--check", "x").exit_code == 2
