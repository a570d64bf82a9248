"""Results of the benchmark: a file is accepted as it was written, and refused however it is changed."""

import base64
import contextlib
import json
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import planetwars_env as pw
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.learn import score
from planetwars_env.learn.score import PINNED, TRACKS, ScoreError, check, check_opponents, graphs_of
from planetwars_env.shipped import agent_folder
from planetwars_env.view import Move
from support.command_line import run, succeed
from support.strategy_files import bot


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickest track, played by a bot."""
    path = tmp_path_factory.mktemp("score") / "ai1.json"
    succeed("score", "language", "ai1", "--out", path, "--jobs", 1)
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
    moves, games = list(score._unpacked(result["moves"])), enumerate(result["games"])
    turns = (turn for i, row in games if row[1] == "ai3" for turn in moves[i][2 - row[3] :: 2])
    turn = next(turn for turn in turns if turn and turn[0].people > 1)
    turn[0] = turn[0]._replace(people=turn[0].people - 1)
    result["moves"] = score._packed(moves)


def dropped_game(result: dict[str, Any]) -> None:
    result["moves"] = score._packed(list(score._unpacked(result["moves"]))[1:])
    del result["games"][0]


def forfeited_by_the_opponent(result: dict[str, Any]) -> None:
    """A lost game is said to end earlier, as the opponent forfeits."""
    number = next(i for i, row in enumerate(result["games"]) if row[5] == 3 - row[3])
    row, moves = result["games"][number], list(score._unpacked(result["moves"]))
    del moves[number][3:]
    row[5], row[6] = row[3], 4
    result["moves"], result["forfeits"] = score._packed(moves), [[number, 3 - row[3], "crashed"]]
    result["scores"] = score.scores_of(result)


def better_score(result: dict[str, Any]) -> None:
    result["scores"]["score"] = 99.0


def other_opponent(result: dict[str, Any]) -> None:
    result["opponents"]["ai3"] = "0" * 16


def other_player(result: dict[str, Any]) -> None:
    result["players"][0] |= {"player": "ai2", "digest": PINNED["ai2"]}


CHANGES: dict[Callable[[dict[str, Any]], None], str] = {
    changed_winner: "lead to winner",
    changed_move: "differ|other moves|lead to|is over",
    forfeited_by_the_opponent: "only the player of the entry can forfeit",
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
    "key", ["players", "games", "forfeits", "opponents", "notes", "moves", "name", "versions", "track", "scores"]
)
def test_a_part_that_is_missing_or_of_another_kind_is_named(written: Path, tmp_path: Path, key: str) -> None:
    path, result = tmp_path / "part.json", json.loads(written.read_text())
    for value in (7, [[]], {"a": 1}):
        broken = result | {key: value}
        path.write_text(json.dumps(broken | {"digest": score._digest(broken)}))
        try:
            check(path, sample=0)
        except ScoreError:
            continue
        assert (key, value) in (("notes", {"a": 1}), ("versions", {"a": 1}))


FORFEITS = bot(above="import os", turn="return [] if len(view.planets) > 2 else os._exit(1)")


def test_forfeited_games_are_lost_and_an_edited_player_begins_anew(tmp_path: Path) -> None:
    mine, out = tmp_path / "mine.py", tmp_path / "mine.json"
    mine.write_text(FORFEITS)
    done = succeed("score", "language", mine, "--out", out, "--jobs", 1)
    assert "8 of 32 games were forfeited and count as lost" in " ".join(done.output.split())
    result = json.loads(out.read_text())
    assert [result["games"][number][2] for number, _, _ in result["forfeits"]] == ["named/0"] * 8
    assert all(result["games"][number][5] == 3 - player for number, player, _ in result["forfeits"])
    assert check(out, sample=4).problem == ""
    mine.write_text(FORFEITS.replace("os._exit(1)", "[]"))
    assert check(out, sample=4).problem == "./mine.py is not given, or another one by now"
    done = run("score", "language", mine, "--out", out, "--jobs", 1)
    assert done.exit_code == 0 and "were forfeited" not in done.output, done.output
    assert not list(tmp_path.glob("*.games"))


def test_a_fault_of_a_policy_is_not_taken_for_limits_that_are_too_small() -> None:
    def broken() -> pw.Policy:
        raise ValueError("no weights")

    small = resolve_player(pw.FunctionPolicy(lambda observation: observation, limits=pw.Limits(2, 1, 1, 1)))
    for player, said in ((small, "its limits are too small"), (small._replace(make=broken), "^no weights$")):
        given: Any = player
        with pytest.raises(ValueError, match=said):
            score.plan_games("learn", "500", ("noop",), given)


def test_an_agent_from_elsewhere_is_copied_beside_the_file(tmp_path: Path) -> None:
    run_folder, out = tmp_path / "runs" / "mine", tmp_path / "board" / "mine.json"
    shutil.copytree(agent_folder("graph-planetwars-small"), run_folder)
    assert score._place_of(str(run_folder), out, 3) == "./mine/3"
    assert sorted(one.name for one in (out.parent / "mine" / "3").iterdir()) == ["config.yaml", "weights.safetensors"]
    assert score.digest_of_player(str(out.parent / "mine" / "3")) == PINNED["graph-planetwars-small"]
    assert score._place_of(str(run_folder), tmp_path / "mine.json", 3) == "./runs/mine"


@given(st.lists(st.lists(st.lists(st.builds(Move, *[st.integers(-9, 400)] * 3), max_size=4), max_size=5), max_size=4))
def test_packed_moves_are_unpacked_as_they_were(games: list[list[list[Move]]]) -> None:
    assert list(score._unpacked(score._packed(games))) == games


def test_changed_bits_of_packed_moves_lead_to_other_moves_or_a_value_error() -> None:
    games = [[[Move(1, 2, 3)], [Move(2, 1, 4)]], [[], []]]
    data = lzma.decompress(base64.b85decode(score._packed(games)))
    for other in [
        data[:-1],
        data[:-28],
        b"",
        *(data[:i] + bytes([data[i] ^ 129]) + data[i + 1 :] for i in range(len(data))),
    ]:
        with contextlib.suppress(ValueError):
            for turns in score._unpacked(base64.b85encode(lzma.compress(other)).decode()):
                assert len(turns) <= 500


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
    rates = {f"ai3 on {pool}": float(pool == "trained") for pool in TRACKS["generalise"].pools}
    assert score.scores_of(result)["win_rates"] == [rates]
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
