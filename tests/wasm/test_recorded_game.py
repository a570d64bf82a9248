"""The page of a replay plays the game again: in node it comes to the same as Python, and refuses what is no replay."""

import random
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.render.drawing import departures, known_orders
from planetwars_env.render.layout import UNKNOWN_RADIUS, lay_out
from planetwars_env.render.pages import write_game_page
from planetwars_env.render.text import describe_moves, describe_repetition, describe_result, view_of
from planetwars_env.render.win_probability import totals_of, win_curve
from planetwars_env.replay import Forfeit, Replay, ReplayError
from support.page_games import Ask, mutated
from support.page_states import state_data
from support.recorded_games import recorded_games


def compare(replay: Replay, shown: dict[str, Any]) -> None:
    """Compare what a page shows of a replay with the game: every state that was asked for, totals and sentences."""
    index = replay.graph.index
    for at, game in enumerate(replay.games()):
        assert shown["totals"][at] == totals_of(game)[[0, 1, 3]].ravel().tolist()
        for viewer in range(3) if shown["states"][at] else ():
            moves = replay.moves[at] if at < len(replay.moves) else ()
            view = view_of(game, viewer or None)
            # A player knows its own orders, but not whether anybody leaves a hidden planet.
            orders = departures(game, known_orders(moves, view, viewer or None, game.player))
            expected = state_data(view, replay.rules.turns_per_weight, orders)
            state = shown["states"][at][viewer]
            assert state["turn"] == expected["turn"]
            assert ordered(state["shuttles"]) == ordered(expected["shuttles"]), (at, viewer)
            for planet, known in zip(state["planets"], expected["planets"], strict=True):
                near = pytest.approx(known["radius"], abs=0.11)  # 9.85 is rounded one way or the other
                assert planet == (
                    known | {"people": list(known["people"]), "radius": near} if known["visible"] else known
                )
    assert shown["win"] == pytest.approx(win_curve(replay), abs=1)
    assert (shown["repetition"], shown["moves"]) == (describe_repetition(replay), describe_moves(replay))
    assert shown["forfeit"] == (describe_result(replay) if replay.forfeit else "")
    assert shown["over"] == (bool(replay.winner or replay.cut_off) or replay.finished)
    marks = [[[index[planet], text] for planet, text in notes.marks if planet in index] for notes in replay.console]
    assert [notes["marks"] for notes in shown["console"]] == marks


def ordered(shuttles: list[dict[str, int]]) -> list[list[tuple[str, int]]]:
    return sorted(sorted(shuttle.items()) for shuttle in shuttles)


def show(ask: Ask, replays: list[Replay], every: int = 7) -> list[Any]:
    return ask([{"do": "recorded", "replay": replay.to_dict(), "every": every} for replay in replays])


def test_a_page_shows_games_of_all_rules_as_they_were(ask: Ask) -> None:
    custom = pw.Rules("mine", coexistence=False, turns_per_weight=3, max_turns=90)
    rules = [pw.PLANETWARS, pw.PLANETWARS_HALF_STEP, pw.SPACE_EXPLORERS, custom]
    replays = [
        pw.play_match("ai3", name, graph, rules=rules[i % 4], seed=i, max_turns=70)
        for i, (graph, name) in enumerate(zip(islice(pw.load_pool("test"), 8), ["ai2", "ai1"] * 4, strict=True))
    ]
    replays.append(pw.play_match("noop", "noop", "rings", max_turns=12))
    first = replays[0]
    forfeit = Forfeit(2, "too slow")
    replays.append(Replay.of(first.graph, first.rules, first.players, 0, None, first.moves[:9], forfeit))
    for replay, shown in zip(replays, show(ask, replays), strict=True):
        compare(replay, shown)


def test_a_page_shows_games_with_illegal_moves_as_they_were(ask: Ask) -> None:
    replays = []
    for name, rules in (("planetwars", pw.PLANETWARS), ("spaceexplorers", pw.SPACE_EXPLORERS)):
        for game in islice(recorded_games(name), 0, 200, 8):
            graph = Graph.from_dict(game["map"], f"recorded/{game['id']}")
            moves = [[pw.Move(*move[:3]) for move in tick["moves"]] for tick in game["ticks"] if tick["player"]]
            played = pw.Game(graph, rules)
            kept = [turn for turn in moves if not played.over and played.play(turn) is not None]
            replays.append(Replay.of(graph, rules, ("one", "two"), 0, None, kept))
    for replay, shown in zip(replays, show(ask, replays), strict=True):
        compare(replay, shown)


def test_the_notes_of_strategies_are_on_their_planets(ask: Ask) -> None:
    replay = pw.play_match("ai1", "ai2", "rings", max_turns=6)
    notes = [[1, 1, ["hello"], [[1, "home"], [99, "nowhere"]], "printed", "", 0.5, 0]]
    (shown,) = show(ask, [Replay.from_dict({**replay.to_dict(), "console": notes})])
    first = {"turn": 1, "player": 1, "said": ["hello"], "marks": [[0, "home"]], "printed": "printed", "fault": ""}
    assert shown["console"] == [{**first, "seconds": 0.5, "dropped": 0}]


def test_a_game_beyond_32_bits_has_no_page(ask: Ask, tmp_path: Path) -> None:
    planets = [{"id": i, "habitability": 3, "size": 300_000, "base": i} for i in (1, 2)]
    graph = Graph.from_dict({"planets": planets, "edges": [{"a": 1, "b": 2, "weight": 900}]}, "wide")
    replay = pw.Replay.of(graph, pw.PLANETWARS, ("one", "two"), 0, 6, [[pw.Move(1, 2, 1)], [], [], []])
    with pytest.raises(ReplayError, match="more people than 32 bits hold"):
        pw.watch(replay)
    write_game_page(tmp_path / "game.html", replay)
    assert (
        "no page can show this game: it may have more people than 32 bits hold" in (tmp_path / "game.html").read_text()
    )
    (refused,) = ask([{"do": "recorded", "replay": replay.to_dict(), "every": 1}])
    assert "the page counts at most 197,197" in refused["error"]


def test_planets_lie_where_python_draws_them(ask: Ask) -> None:
    graphs = [*islice(pw.load_pool("test"), 20), *islice(pw.load_pool("large"), 6), pw.load_graph("rings")]
    for count, columns in ((200, 20), (4, 1000)):  # a graph that keeps its own positions, and planets in a row
        planets = [Planet(i, 5, 9, i % columns, i // columns, i if i < 3 else 0) for i in range(count)]
        graphs.append(Graph("grid", planets, [Edge(0, count - 1, 1)]))
    asked = [{"do": "layout", "data": {"name": graph.name, **graph.to_dict()}} for graph in graphs]
    for graph, found in zip(graphs, ask(asked), strict=True):
        expected = lay_out(graph)
        assert (found["name"], found["width"], found["height"]) == (graph.name, expected.width, expected.height)
        assert [row[0] for row in found["planets"]] == [planet.id for planet in graph.planets]
        for place, other in zip(found["planets"], expected.places.tolist(), strict=True):
            assert place[1:] == pytest.approx(other, abs=0.11), graph.name
        ends = [[graph.index[edge.a], graph.index[edge.b], edge.weight] for edge in graph.edges]
        assert found["edges"] == ends and found["unknown"] == UNKNOWN_RADIUS


def test_a_game_turns_where_the_other_player_stays_ahead_and_its_worst_turns_are_never_made_good(ask: Ask) -> None:
    for_a_moment = [*[700] * 10, *[450] * 3, *[700] * 10]
    for_good = [500, *[700] * 10, *[300] * 10, 0]
    late, close = [*[300] * 20, 1000], [*[520] * 20, *[480] * 20]
    falls = [*[800] * 11, *[600] * 12, *[900] * 2, *[600] * 10, *[100] * 12]
    curves = [for_a_moment, for_good, late, close, falls, [500, 600, 400, 700, 1000]]
    told = ask([{"do": "story", "win": win} for win in curves])
    turning = [], [{"at": 11, "player": 2}], [{"at": 20, "player": 1}], []
    assert [one["turning"] for one in told[:4]] == [*turning]
    worst = [(34, 60, 10), (24, 90, 60), (10, 80, 60)]  # the largest first
    assert told[4]["worst"] == [[{"at": at, "from": high, "to": low} for at, high, low in worst], []]
    assert told[5]["smooth"] == [500, 550, 500, 550, 1000]  # the mean of both players' last turns; the ends stay


WRONG = [
    ([], "this is not a replay"), ({"schema": 1}, '"schema" must be 2'), ({"moves": None}, "moves must be a list of turns"),
    ({"players": ["a"]}, "players must be two names"), ({"rules": {}}, "the rules must be name, coexistence"),
    ({"max_turns": 0}, "max_turns"), ({"graph": {"planets": []}}, "graph: "), ({"winner": "1"}, "winner must be 1, 2 or 0"),
    ({"moves": [[[1, 2]]]}, "the moves of turn 1 must be a list of [source, destination, people] in whole numbers"),
    ({"forfeit": [3, "x"]}, "forfeit must be a player (1, 2; 0: both) and a reason"),
    ({"console": [[1, 1, "said"]]}, "console: the notes of a turn must be turn, player"),
    ({"moves": [[]] * 20, "max_turns": 5}, "the game is over on turn 5, but the replay has 20 turns of moves"),
]  # fmt: skip


def test_what_is_no_replay_is_refused_in_one_sentence(ask: Ask) -> None:
    replay = pw.play_match("ai1", "ai2", "rings", max_turns=10).to_dict()
    cases = [replay | change if isinstance(change, dict) else change for change, _ in WRONG]
    for case, answer, (_, said) in zip(
        cases, ask([{"do": "recorded", "replay": case, "every": 1} for case in cases]), WRONG, strict=True
    ):
        assert said in answer["error"], answer
        with pytest.raises(ReplayError):
            list(Replay.from_dict(case).games())


def test_a_mutated_replay_is_shown_or_refused(ask: Ask) -> None:
    """No number of a file reaches a kernel unchecked: nothing traps."""
    rng = random.Random(7)
    replay = pw.play_match("ai3", "ai2", "k4", seed=1, max_turns=12).to_dict()
    asked = [{"do": "recorded", "replay": mutated(mutated(replay, rng), rng), "every": 3} for _ in range(600)]
    answers = ask(asked)
    refused = [answer for answer in answers if "error" in answer]
    assert {answer["kind"] for answer in refused} <= {"ReplayError", "GraphError"}, refused
    assert 50 < len(refused) < 590
