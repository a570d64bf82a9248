"""Language models as players: the same games as directly, time limits, transcripts, and an evaluation that goes on."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.bots.language_model import LanguageModel, ModelError
from support.command_line import run
from support.presets import BY_PRESET, every_preset
from support.scripted_models import BotModel, Messages, malformed, random_legal, silent, slow

SHOUTER = """
calls = [0]

def reply(messages):
    calls[0] += 1
    if {stop} and calls[0] > {stop}:
        raise RuntimeError("the connection is lost")
    assert [one["role"] for one in messages[:1]] == ["system"] and messages[-1]["role"] == "user"
    return "I wait.\\nsend 1 -> 2: 1\\nsend 1 -> 1: 1", 50
"""


@every_preset
def test_a_bot_as_a_model_plays_the_same_games_as_directly(preset: str) -> None:
    graph = pw.load_graph("test/3")
    for players in (("ai3", "ai1"), ("ai1", "ai3")):
        limit = 60
        model = LanguageModel(BotModel("ai3", graph, BY_PRESET[preset]), "ai3")
        one, other = (model if name == "ai3" else name for name in players)
        direct = pw.play_match(*players, graph, BY_PRESET[preset], max_turns=limit)
        assert pw.play_match(one, other, graph, BY_PRESET[preset], max_turns=limit).moves == direct.moves


@pytest.mark.parametrize("plays", [random_legal, malformed, silent])
def test_any_model_comes_to_the_end_of_a_game(plays: Callable[[Messages], str]) -> None:
    model = LanguageModel(plays, compact=plays is not random_legal)
    assert pw.play_match(model, "random", "rings", max_turns=40).turns <= 40
    records = [json.loads(line) for line in model.take_printed().splitlines()]
    assert records and all(record["tokens"] > 100 for record in records)
    assert bool(sum(record["malformed"] for record in records)) == (plays is not random_legal)
    assert model.take_printed() == ""


def test_a_late_reply_is_left_out_and_told() -> None:
    heard: list[Messages] = []

    def late(messages: Messages) -> str:
        heard.append(messages)
        return slow(messages)

    model = LanguageModel(late, seconds=0.05)
    replay = pw.play_match(model, "noop", "duel", max_turns=5)
    assert all(not moves for moves in replay.moves)
    assert "the reply was late: more than 0.05 seconds" in heard[1][-1]["content"]
    assert all(json.loads(line)["late"] for line in model.take_printed().splitlines())


def test_messages_hold_the_rules_the_last_turns_and_this_one() -> None:
    heard: list[Messages] = []

    def listens(messages: Messages) -> str:
        heard.append(messages)
        return f"wait\n{len(heard)}"

    pw.play_match(LanguageModel(listens, history=2), "noop", "duel", max_turns=11)
    assert [len(messages) for messages in heard] == [2, 4, 6, 6, 6, 6]
    assert [one["role"] for one in heard[-1]] == ["system", *["user", "assistant"] * 2, "user"]
    assert heard[-1][2]["content"] == "wait\n4" and heard[-1][-1]["content"].startswith("Not carried out")


@pytest.mark.parametrize("seconds", [None, 5.0])
def test_a_function_that_raises_is_called_again_and_then_named_with_its_line(seconds: float | None) -> None:
    calls = []

    def broken(messages: Messages) -> str:
        calls.append(messages)
        if len(calls) == 1:
            return "wait"
        raise KeyError("no such model")

    line = broken.__code__.co_firstlineno + 4
    said = rf"^broken has failed, 2 times in a row: KeyError: 'no such model' \(test_language_models.py, line {line}\)$"
    with pytest.raises(ModelError, match=said):
        pw.play_match(LanguageModel(broken, seconds=seconds, retries=1), "noop", "duel")
    assert len(calls) == 3


def test_one_error_between_replies_costs_nothing() -> None:
    calls = []

    def fails_once(messages: Messages) -> str:
        calls.append(messages)
        if len(calls) == 2:
            raise ConnectionError("try again")
        return "send 1 -> 2: 1"

    replay = pw.play_match(LanguageModel(fails_once, retries=1), "noop", "duel", max_turns=5)
    assert [bool(moves) for moves in replay.moves] == [True, False] * 2 + [True] and len(calls) == 4


def evaluated(*options: str) -> str:
    return run("evaluate", *options, env={"COLUMNS": "200"}).output


def test_an_evaluation_goes_on_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    conditions = ["--opponents", "noop", "random", "--games", "4", "--graphs", "duel", "--max-turns", "60", "--keep"]
    whole, kept = (*conditions, "whole"), (*conditions, "kept")
    module = f"shouter_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{module}.py").write_text(SHOUTER.format(stop=40))
    said = evaluated(f"llm:{module}:reply", *kept, "--set", "retries=0")
    assert said.startswith(
        f"Error: {module}:reply has failed: RuntimeError: the connection is lost ({module}.py, line 7)"
    )
    assert "run the same command again" in said and said.count("\n") == 1
    there = {path.name: path.read_text() for path in (tmp_path / "kept" / "transcripts").iterdir()}
    assert there
    sys.modules[module].calls[0] = -10_000  # the connection is back
    said = evaluated(f"llm:{module}:reply", *kept)
    sys.modules[module].calls[0] = -10_000
    assert evaluated(f"llm:{module}:reply", *whole).replace("whole", "kept") == said
    after = {path.name: path.read_text() for path in (tmp_path / "kept" / "transcripts").iterdir()}
    assert there.items() <= after.items() and len(after) == 2 * 8
    figures = json.loads((tmp_path / "kept" / "figures.json").read_text())
    assert figures["noop"]["games"] == 4 and figures["noop"]["tokens"] == 50 * figures["noop"]["replies"]
    assert figures["noop"]["legal_rate"] == pytest.approx(1 / 6, abs=0.01)  # one of three parts, as player 1 only
    page = (tmp_path / "kept" / "report.html").read_text()
    assert f"{module}:reply" in page and 'href="transcripts/' in page
    assert "played with another --set" in evaluated(f"llm:{module}:reply", *kept, "--set", "compact=yes")
    (tmp_path / f"{module}.py").write_text(SHOUTER.format(stop=0))
    assert "played with other versions of" in evaluated(f"llm:{module}:reply", *kept)


HOSTILE_REPLY = """
def reply(messages):
    return "\\x1b[2Jsend 1 -> 2: 1\\u202e <b>\\ud800\\x9b"
"""


def test_a_page_of_a_transcript_shows_what_controls_readers_as_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module = f"hostile_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{module}.py").write_text(HOSTILE_REPLY)
    evaluated(f"llm:{module}:reply", "--opponents", "noop", "--games", "2", "--graphs", "duel", "--max-turns", "2")
    pages = [*(tmp_path / "runs" / "model" / "transcripts").glob("*.html")]
    for page in pages:
        text = page.read_text()
        assert r"\x1b[2Jsend 1 -&gt; 2: 1\u202e &lt;b&gt;\ud800\x9b" in text
        assert text.replace("\n", "").replace("\t", "").isprintable()
    assert len(pages) == 2


@pytest.mark.parametrize(
    "name", ["llm:", "llm:json", "llm:json:", "llm:no_such_module:reply", "llm:json:nothing", "llm::f"]
)
def test_a_wrong_name_is_one_sentence(name: str) -> None:
    said = evaluated(name, "--games", "2")
    assert said.startswith(f"Error: {name}") and said.count("\n") == 1


def test_a_model_is_good_wherever_a_player_is() -> None:
    result = pw.evaluate(lambda: LanguageModel(random_legal), ["noop"], "duel", games=2)
    assert result[0].total.games == 2 and result[0].moves.sent > 0
