"""The text of a view: complete, short, the same as its golden transcripts, and no more than the fog allows."""

from dataclasses import replace
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.bots.language_model import reckon_tokens
from support.presets import BY_PRESET, every_preset
from support.text_reader import same_but_for_drawing, view_in
from support.tiny_graphs import tiny_board, tiny_state

GOLDEN = Path(__file__).parent.parent / "golden" / "text"

MOST_TOKENS = 1_500
SCRIPT = [
    "send 1 -> 2: 1",
    "wait",
    "I will expand.\nsend 1 -> 2: 3\nsend 1 -> 99: 1\nsend 5 -> 1: 2",
    "[[1, 2, 400]]",
    "",
]


def game_of(graph: pw.Graph | str, preset: str, turns: int, first: str = "ai3", second: str = "ai2"):
    """The views of a game with the texts of both forms, turn by turn: (view, complete, compact)."""
    graph = pw.load_graph(graph) if isinstance(graph, str) else graph
    rules = replace(BY_PRESET[preset], max_turns=BY_PRESET[preset].max_turns or 500)
    game = pw.Game(graph, rules, rules.max_turns)
    players = [pw.load_player(first), pw.load_player(second)]
    for player, one in enumerate(players, 1):
        one.reset(graph, player, rules, 0)
    texts = [[pw.TextView(rules, compact) for compact in (False, True)] for _ in players]
    while not game.over and game.turn < turns:
        view = game.view(game.player)
        yield view, *(one.show(view) for one in texts[game.player - 1])
        game.play(players[game.player - 1].take_turn(view))


@every_preset
@pytest.mark.parametrize("graph", ["rings", "test/3"])
def test_the_complete_text_says_everything_that_the_view_does(preset: str, graph: str) -> None:
    per_weight = BY_PRESET[preset].turns_per_weight
    for view, text, _ in game_of(graph, preset, 70):
        assert view_in(text) == same_but_for_drawing(view, per_weight)


@every_preset
def test_texts_of_21_planets_stay_below_1500_tokens(preset: str) -> None:
    graphs = [graph for graph in pw.load_pool("test") if len(graph.planets) == 21][:2]
    for graph in graphs:
        for _, complete, compact in game_of(graph, preset, 120, "ai1", "ai3"):
            assert reckon_tokens(complete) <= MOST_TOKENS
            assert reckon_tokens(compact) <= reckon_tokens(complete)
    for compact in (False, True):
        assert reckon_tokens(pw.TextView(BY_PRESET[preset], compact).introduction(1)) <= 500


def test_what_was_seen_earlier_is_told_with_its_turn_and_never_changes() -> None:
    graph, told = pw.load_graph("line"), 0
    rules = replace(pw.PLANETWARS, max_turns=100)
    game, text = pw.Game(graph, rules, 100), pw.TextView(rules)
    seen: dict[int, tuple[int, int | None]] = {}
    while game.turn < 40:
        if game.player == 1:
            view = game.view(1)
            seen |= {one.id: (view.turn, one.population) for one in view.planets if one.visible}
            rows = text.show(view).partition("to fly there\n")[2].splitlines()[: len(graph.planets)]
            lines = {int(row.split()[0]): row.split() for row in rows}
            for planet in view.planets:
                if not planet.visible:
                    turn, people = seen.get(planet.id, (0, "?"))
                    assert lines[planet.id][2] == str(people)
                    assert not turn or lines[planet.id][-4:] == ["seen", "on", "turn", str(turn)]
                    told += bool(turn)
        people = {planet.id: planet.people for planet in game.view(game.player).planets if planet.people}
        sends = {9: (1, 2), 21: (2, 3)}.get(game.turn)
        game.play([pw.Move(*sends, people[sends[0]][0])] if sends else [])
    assert told


def position(people: dict[int, tuple[int, int]], shuttles: list[list[int]]) -> pw.Game:
    """Turn 9 of a game on 1 - 2 - 3 - 4 - 5, flights of 3 turns, with these people and shuttles."""
    board = tiny_board([(id, id + 1, 3) for id in range(1, 5)], bases=(1, 5))
    return pw.Game.from_dict(pw.Graph.from_dict(board), tiny_state(board, people, shuttles, turn=9))


@pytest.mark.parametrize(
    ("shuttles", "happened"),
    [
        ([[3, 2, 2, 12, 2]], "you have held planet 2 against 12"),
        ([[2, 3, 1, 9, 1]], "9 of yours landed on planet 3 and did not take it"),
        ([[3, 2, 2, 90, 2]], "you have lost planet 2 (90 of the opponent's landed there)"),
        ([[3, 2, 2, 22, 2]], "planet 2 is neutral now (22 of the opponent's landed there)"),
        ([[2, 3, 1, 60, 1]], "you have taken planet 3 from the opponent"),
        ([[2, 3, 1, 33, 1]], "planet 3 is neutral now (33 of yours landed there)"),
        ([], ""),
    ],
)
def test_what_happened_since_the_last_turn_is_reported(shuttles: list[list[int]], happened: str) -> None:
    game, text = position({1: (30, 0), 2: (20, 0), 3: (0, 30), 5: (0, 30)}, shuttles), pw.TextView(compact=True)
    text.show(game.view(1))
    game.play([])
    game.play([])
    assert text.show(game.view(1)).splitlines()[0] == (f"Since turn 9: {happened}." if happened else "T11 you=P1")
    assert text.show(game.view(1)).splitlines()[0].startswith("Since" if happened else "T11")  # shown once more


@pytest.mark.parametrize("compact", [False, True])
def test_a_lost_planet_out_of_sight_is_not_called_ones_own(compact: bool) -> None:
    game, text = position({1: (30, 0), 3: (20, 0), 5: (0, 90)}, [[4, 3, 2, 90, 2]]), pw.TextView(compact=compact)
    text.show(game.view(1))
    game.play([])
    game.play([])
    lines = text.show(game.view(1)).splitlines()
    (row,) = [line.split() for line in lines if line.split()[0] == "3"]
    assert row[1:3] == (["lost", "?/100"] if compact else ["lost", "?"])
    assert lines[0] == "Since turn 9: you have lost planet 3 (90 of the opponent's landed there)."
    assert compact or row[-4:] == ["yours", "until", "turn", "9"]


@pytest.mark.parametrize(("defenders", "left"), [(17, (2, 0)), (19, (0, 0)), (20, (0, 2))])
def test_the_battle_of_the_introduction_ends_as_it_says(defenders: int, left: tuple[int, int]) -> None:
    board = tiny_board([(1, 2, 1)], bases=(1, 2), sizes={1: 20, 2: 20})
    state = tiny_state(board, {1: (9, 0), 2: (0, defenders)}, [[1, 2, 1, 20, 1]], turn=1)
    game = pw.Game.from_dict(pw.Graph.from_dict(board), state)
    game.advance()
    assert game.people()[1] == left
    assert f"{defenders} " in pw.TextView().introduction(1)


def transcript(compact: bool) -> str:
    """Both players' messages of a short game, with replies that are right and wrong."""
    game, parts = pw.Game(pw.load_graph("rings"), max_turns=60), []
    rules = replace(game.rules, max_turns=60)
    texts = {player: pw.TextView(rules, compact) for player in (1, 2)}
    problems: dict[int, list[str]] = {1: [], 2: []}
    replies = {1: iter(SCRIPT * 3), 2: iter(["wait", "send 8 -> 7: 1", '{"moves": [[8, 6, 1], [8, 6, 99]]}'] * 5)}
    parts += [texts[player].introduction(player) for player in (1, 2)]
    while game.turn <= 20:
        player, view = game.player, game.view(game.player)
        message, reply = texts[player].show(view, problems[player]), next(replies[player])
        found = pw.parse_moves(reply, view, rules)
        problems[player] = found.problems
        parts.append(f"--- to player {player}\n{message}\n--- from player {player}\n{reply}")
        assert all(game.play(found.moves))
    return "\n".join(parts) + "\n"


@pytest.mark.parametrize("form", ["complete", "compact"])
def test_a_short_game_reads_as_its_golden_transcript(form: str) -> None:
    """After an intended change: python -c 'from language.test_text_view import *; write()' in tests/."""
    assert transcript(form == "compact") == (GOLDEN / f"{form}.txt").read_text()


def write() -> None:
    for form in ("complete", "compact"):
        (GOLDEN / f"{form}.txt").write_text(transcript(form == "compact"))


def test_with_more_than_eight_problems_the_rest_is_counted() -> None:
    view = pw.Game(pw.load_graph("rings")).view(1)
    found = pw.parse_moves("\n".join(["send 1 -> 1: 1"] * 30), view)
    text = pw.TextView().show(view, found.problems)
    assert text.startswith("Not carried out of your last reply:\n- send 1 -> 1: 1: no edge joins 1 and 1; ")
    assert text.count("\n- send") == 8 and "- and 22 more" in text
