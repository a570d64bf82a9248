"""A replay is written, read and re-run; one that was tampered with is found out."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.render.text import replay_text
from planetwars_env.replay import ReplayError
from support.paths import ROOT


@pytest.fixture(scope="module")
def replay() -> pw.Replay:
    return pw.play_match("random", "random", "duel", seed=3, max_turns=60)


@pytest.mark.parametrize("name", ["game.json", "game.json.gz"])
def test_a_saved_replay_is_read_again_as_it_was(replay: pw.Replay, tmp_path: Path, name: str) -> None:
    replay.save(tmp_path / name)
    again = pw.Replay.load(tmp_path / name)
    assert again == replay
    again.verify()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_replay_shows_the_game_on_every_turn_and_at_its_end(replay: pw.Replay) -> None:
    turns = [(game.turn, game.over) for game in replay.games()]
    assert turns == [*((turn, False) for turn in range(1, replay.turns + 1)), (replay.turns, True)]


@pytest.mark.parametrize(("part", "value"), [("winner", 2), ("turns", 59), ("cut_off", False), ("max_turns", 50)])
def test_a_stated_result_that_the_moves_do_not_lead_to_is_found_out(replay: pw.Replay, part: str, value: Any) -> None:
    with pytest.raises(ReplayError):
        replace(replay, **{part: value}).verify()


def test_a_changed_move_graph_or_rule_is_reported_where_it_first_tells(replay: pw.Replay) -> None:
    turn = next(i for i, moves in enumerate(replay.moves) if moves and moves[0].people > 1)
    changed = [*replay.moves]
    changed[turn] = (changed[turn][0]._replace(people=1),)
    with pytest.raises(ReplayError, match=f"differ from turn {turn + 1} on"):
        replace(replay, moves=tuple(changed)).verify()
    first, *others = replay.graph.planets
    fertile = pw.Graph("", [replace(first, habitability=60), *others], replay.graph.edges)
    with pytest.raises(ReplayError, match=r"differ from turn [12] on"):
        replace(replay, graph=fertile).verify()
    first_move = next(turn for turn, moves in enumerate(replay.moves, 1) if moves)
    with pytest.raises(ReplayError, match=f"differ from turn {first_move} on"):
        replace(replay, rules=pw.PLANETWARS_HALF_STEP).verify()


def test_another_version_of_the_package_is_named_where_games_part(replay: pw.Replay) -> None:
    with pytest.raises(ReplayError, match=r"start.*version 0\.0\.1"):
        replace(replay, digests=("0" * 12, *replay.digests[1:]), package="0.0.1").verify()


def test_a_replay_is_verified_on_reading_when_asked_to(replay: pw.Replay, tmp_path: Path) -> None:
    replace(replay, winner=2).save(tmp_path / "false.json")
    assert pw.Replay.load(tmp_path / "false.json").winner == 2
    with pytest.raises(ReplayError, match=r"false\.json: winner"):
        pw.Replay.load(tmp_path / "false.json", verify=True)


def test_rules_of_ones_own_are_kept(tmp_path: Path) -> None:
    rules = pw.Rules("slow", coexistence=False, turns_per_weight=3, max_turns=9)
    replay = pw.Replay.of(pw.load_graph("duel"), rules, ("a", "b"), 0, None, [[pw.Move(1, 2, 1)], *[[]] * 8])
    replay.save(tmp_path / "slow.json")
    again = pw.Replay.load(tmp_path / "slow.json", verify=True)
    assert again.rules == rules and again.cut_off


def test_a_game_that_is_still_played_has_a_replay_too() -> None:
    replay = pw.Replay.of(pw.load_graph("duel"), pw.PLANETWARS, ("a", "b"), 0, None, [[], []])
    assert [game.turn for game in replay.games()] == [1, 2, 3]
    with pytest.raises(ReplayError, match="not over"):
        replay.verify()


def test_a_replay_with_too_many_or_too_few_turns_is_found_out(replay: pw.Replay) -> None:
    for moves in (replay.moves[:-1], (*replay.moves, ())):
        with pytest.raises(ReplayError, match="over"):
            replace(replay, moves=moves).verify()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"schema": 1}, "schema"),
        ({"rules": "CHESS"}, "CHESS"),
        ({"rules": {"name": "CHESS"}}, "CHESS.*PLANETWARS"),
        ({"rules": {"name": "", "coexistence": False, "turns_per_weight": 10**9, "max_turns": None}}, "at most 10"),
        ({"max_turns": 0}, "max_turns"),
        ({"digests": [1]}, "digests"),
        ({"players": ["one"]}, "players must be two names, not \\('one',\\)"),
        ({"moves": [[[1, 2]]]}, "turn 1"),
        ({"moves": [[[1, 2, 1.5]]]}, "turn 1"),
        ({"moves": 7}, "moves"),
        ({"graph": {"planets": [], "edges": []}}, "graph: the graph has 0 planets"),
        ({"console": 7}, "console: "),
        ({"seed": "x"}, "seed must be a whole number, not 'x'"),
        ({"digests": "left out"}, "lacks digests"),
    ],
)
def test_a_file_that_is_not_a_replay_gets_one_clear_error(
    replay: pw.Replay, tmp_path: Path, change: dict[str, Any], fault: str
) -> None:
    path, data = tmp_path / "game.json", {**replay.to_dict(), **change}
    path.write_text(json.dumps({key: value for key, value in data.items() if value != "left out"}))
    with pytest.raises(ReplayError, match=rf"(?s)game\.json.*{fault}"):
        pw.Replay.load(path)


def test_a_replay_reads_as_a_story(replay: pw.Replay) -> None:
    text = replay_text(replay)
    assert text.startswith("random (player 1) against random (player 2) on duel, PLANETWARS\n")
    assert "cut off after turn 60" in text
    assert text.count("waits") + text.count(" -> ") >= 60


def test_a_replay_of_version_0_1_opens_and_leads_to_its_result() -> None:
    """It was written by commit 21aa2bb."""
    old = pw.Replay.load(ROOT / "tests" / "golden" / "replay-0.1.json", verify=True)
    assert old.package == "0.1.0" and old.players == ("ai1", "random") and (old.winner, old.turns) == (1, 134)
