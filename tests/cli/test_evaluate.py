"""``planetwars evaluate``, run for real."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import typer

import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.bots.bot_games import moves_of_bot_game, place_games, play_on
from planetwars_env.cli.main import app
from planetwars_env.engine.repetition import watch
from planetwars_env.engine.rules import PRESETS
from planetwars_env.graphs.board import pack
from planetwars_env.render.text import replay_text
from planetwars_env.replay import Replay
from planetwars_env.shipped import pip_line
from support.command_line import run, succeed
from support.opponents import Idle

KEYS = [
    "opponent", "games", "wins", "draws", "losses", "win_rate", "ci_low", "ci_high", "as_player_1", "as_player_2",
    "repetitions", "circling", "distinct_games",
]  # fmt: skip


def test_results_and_the_table_say_what_was_played_with_one_entry_an_opponent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/planetwars", "evaluate", "random"])
    out = tmp_path / "deep" / "results.json"
    words = ["evaluate", "random", "--opponents", "noop", "ai1", "--graphs", "rings", "--games", 6, "--out"]
    said = succeed(*words, out).output
    for heading in ("opponent", "player 1", "player 2", "win rate", "95 % here", "unseen", "turns"):
        assert heading in said
    assert "70%" not in said and max(map(len, said.splitlines())) <= 80
    assert run("evaluate", "random", "--games", 0).exit_code == 2
    found = json.loads(out.read_text())
    entries = found.pop("results")
    assert list(found) == ["package", "command", "players", "graphs", "rules", "seed", "games", "max_turns", "limits"]
    assert found["package"] == pw.__version__ and found["command"] == "planetwars evaluate random"
    assert [one["name"] for one in found["players"]] == ["random", "noop", "ai1"]
    assert all(len(one["digest"]) == 16 for one in found["players"])
    assert found["graphs"]["name"] == "rings" and found["graphs"]["count"] == 1
    assert found["rules"]["name"] == "PLANETWARS" and (found["seed"], found["games"], found["max_turns"]) == (0, 6, 500)
    assert [entry["opponent"] for entry in entries] == ["noop", "ai1"]
    for entry in entries:
        assert list(entry) == KEYS
        assert entry["games"] == 6 == entry["wins"] + entry["draws"] + entry["losses"]
        assert 0 <= entry["ci_low"] <= entry["win_rate"] <= entry["ci_high"] <= 1
        assert entry["as_player_1"]["games"] == entry["as_player_2"]["games"] == 3
        sides = (entry["as_player_1"], entry["as_player_2"])
        assert entry["wins"] == sum(side["wins"] for side in sides)
    assert list(out.parent.iterdir()) == [out]


def test_games_to_watch_are_saved_beside_the_results(tmp_path: Path) -> None:
    out = tmp_path / "games"
    arguments = ["evaluate", "ai1", "--opponents", "random", "--games", "2", "--graphs", "duel", "--replays", str(out)]
    assert run(*arguments).exit_code == 0
    stems = "001-ai1-against-random-on-duel", "002-random-against-ai1-on-duel"
    pages = {f"{stem}.{kind}" for stem in stems for kind in ("html", "json")}
    assert {path.name for path in out.iterdir()} == {*pages, "player.js"}
    for stem in stems:
        Replay.load(out / f"{stem}.json", verify=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "ai9"], ["ai9", "random, ai1, ai2, ai3"]),
        (["evaluate", "random", "--opponents", "best"], ["best", "random, ai1, ai2, ai3"]),
        (["evaluate", "random", "--graphs", "tset"], ["tset", "test"]),
        (["evaluate", "random", "--rules", "CHESS"], ["CHESS", "PLANETWARS"]),
        (["evaluate", "random", "--out", "/proc/nowhere/results.json", "--games", "2"], ["/proc/nowhere"]),
    ],
)
def test_a_wrong_name_is_one_sentence_that_lists_the_right_ones(arguments: list[str], said: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert all(part in result.output for part in said)
    assert len(result.output.strip().splitlines()) == 1


def test_without_torch_an_agent_is_answered_with_the_pip_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run("evaluate", tmp_path)
    assert result.exit_code == 1
    assert pip_line("agents") in result.output


def commands(group: typer.Typer, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = [(*path, command.name or "") for command in group.registered_commands]
    for sub in group.registered_groups:
        assert sub.typer_instance is not None
        found += commands(sub.typer_instance, (*path, sub.name or ""))
    return found


@pytest.mark.parametrize("command", commands(app), ids=" ".join)
def test_every_command_explains_itself_by_examples(command: tuple[str, ...]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    examples = result.output.partition("Examples:\n")[2].partition("\n\n")[0]
    assert len(examples.splitlines()) >= 3, result.output
    assert all(line.strip().startswith(f"planetwars {' '.join(command)}") for line in examples.splitlines())


def test_a_strategy_from_a_file_is_isolated_unless_it_shall_not_be(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (tmp_path / "writer.py").write_text(
        f"import contextlib, pathlib\nwith contextlib.suppress(OSError):\n    pathlib.Path({str(mark)!r}).touch()\n"
        "class Writer:\n    name = 'writer'\n    def take_turn(self, view): return []\n"
    )
    command = ["evaluate", str(tmp_path / "writer.py"), "--opponents", "noop", "--graphs", "duel", "--games", "2"]
    isolated = succeed(*command, "--out", tmp_path / "isolated.json", "--replays", tmp_path)
    assert "Isolation: " in isolated.output and not mark.exists() and list(tmp_path.glob("*.html"))
    inside = run(*command, "--in-process", "--out", tmp_path / "inside.json")
    assert inside.exit_code == 0 and "all your rights" in inside.output and mark.exists()
    files = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("isolated", "inside"))
    assert len({json.dumps(found["results"]) for found in files}) == 1


def test_moves_of_a_strategy_in_this_process_are_counted(tmp_path: Path) -> None:
    path, out = tmp_path / "wrong.py", tmp_path / "results.json"
    path.write_text("class Wrong:\n    def take_turn(self, view):\n        return [(1, 1, 1), (99, 1, 5)]\n")
    command = ["evaluate", str(path), "--in-process", "--opponents", "noop", "--graphs", "duel", "--games", "2"]
    said = run(*command, "--out", out).output
    (entry,) = json.loads(out.read_text())["results"]
    # 500 own turns
    assert entry["moves"] == {"sent": 1000, "no_edge": 1000, "no_people": 0, "not_yours": 0, "too_many": 0}
    assert "None of the 1,000 moves of Wrong is legal" in " ".join(said.split())
    assert "moves" not in pw.evaluate("ai1", "noop", "duel", games=2)[0].to_dict()


def test_a_position_that_stands_three_times_is_reported(tmp_path: Path) -> None:
    """Both players only wait: populations grow to the size of their planets and nothing changes any more."""
    by_turns = pw.FunctionPolicy(lambda seen: np.zeros((len(seen["clock"]), 21), int))
    by_orders = pw.FunctionPolicy(lambda seen: np.zeros(len(seen["clock"]), int), max_orders=2)
    for player in ("noop", Idle, by_turns, by_orders):  # as compiled bots, as a match of a strategy, and in a batch
        (result,) = evaluate(player, "noop", "rings", 4)
        assert result.repetitions == 4 == result.to_dict()["repetitions"]
        assert result.circling == 4 == result.to_dict()["circling"]
    replay = pw.play_match("noop", "noop", "rings")
    first = replay.repetitions()
    assert set(first) == {1, 2} and all(b - a == c - b == 2 for a, b, c in first.values())
    player, (one, two, three) = min(first.items(), key=lambda item: item[1][2])
    said = f"noop (player {player}) was to move in the same position on turns {one}, {two} and {three}"
    assert said in replay_text(replay)
    output = " ".join(run("evaluate", "noop", "--opponents", "noop", "--graphs", "rings", "--games", 2).output.split())
    assert "In 2 of 2 games against noop, one position with noop to move occurred three times." in output
    said = "2 of 2 games against noop ended by the turn limit after one position with noop to move had occurred"
    assert said in output
    assert "circles" not in run("evaluate", "ai2", "--opponents", "noop", "--graphs", "rings", "--games", 2).output


@pytest.mark.parametrize("rules", ["PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS"])
@pytest.mark.parametrize("bots", [("noop", "random"), ("random", "random"), ("ai1", "noop"), ("ai2", "ai3")])
def test_the_kernel_finds_the_repetitions_that_the_plain_positions_show(rules: str, bots: tuple[str, str]) -> None:
    """The kernel compares fingerprints of its arrays, a replay the positions themselves."""
    preset, graphs = PRESETS[rules], [pw.load_graph(name) for name in ("rings", "duel", "k4", "line")]
    codes, board = (BOTS[bots[0]], BOTS[bots[1]]), pack(graphs, preset)
    state = place_games(board, preset, range(4), range(4), 120)
    positions = watch(state)
    play_on(state, board, np.array([codes] * 4), positions=positions)
    for graph, seed, repeated in zip(graphs, range(4), positions.found.tolist(), strict=True):
        moves = moves_of_bot_game(graph, preset, codes, seed, 120)
        found = pw.Replay.of(graph, preset, bots, seed, 120, moves).repetitions()
        assert repeated == [1 in found, 2 in found]
