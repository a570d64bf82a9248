"""The referee in the page: in node it plays the games of Python, shows the same views, and refuses with the same sentences."""

import json
import random
from dataclasses import asdict
from itertools import islice, product
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.engine.rules import PRESETS
from planetwars_env.graphs.graph import Graph, GraphError
from planetwars_env.replay import Replay
from support.page_games import Ask, agents, like_json, mutated, setup_of
from support.paths import PACKAGE
from support.recorded_games import recorded_games


def compare_games(ask: Ask, pairs: list[tuple[str, str]], pools: tuple[str, ...], games: int, turns: int) -> None:
    """Play games of these pairs of players in both, and compare the replays."""
    settings: Any = product(zip(*(pw.load_pool(name) for name in pools), strict=False), PRESETS.values())
    cases = []
    for i, (row, rules) in enumerate(islice(settings, games)):
        cases.append((row[i % len(row)], rules, pairs[i % len(pairs)], 1000 * i, turns + i))
    known = agents() if any(name.startswith("graph") for pair in pairs for name in pair) else {}
    replays = ask([{"do": "game", "setup": setup_of(*case), "agents": known} for case in cases])
    for (graph, rules, players, seed, limit), data in zip(cases, replays, strict=True):
        assert "error" not in data, data
        first, second = players
        expected = pw.play_match(first, second, graph, rules=rules, seed=seed, max_turns=limit)
        made = Replay.from_dict(data)
        assert made == expected, f"{players} on {graph.name}, {rules.name}, seed {seed}"
        made.verify()


BOTS = ["random", "ai1", "ai2", "ai3", "noop"]


def test_the_same_seed_is_the_same_game_as_in_python(ask: Ask) -> None:
    pairs = [(BOTS[i % 5], BOTS[(2 * i + 1) % 4]) for i in range(20)]
    compare_games(ask, pairs, ("test", "fair"), 30, 80)


def test_planner_plays_the_same_game_as_in_python(ask: Ask) -> None:
    compare_games(
        ask, [("planner:500", "ai3"), ("ai1", "planner:500"), ("planner", "planner:100")], ("test", "large"), 12, 50
    )


def test_an_agent_plays_the_same_game_as_in_python(ask: Ask) -> None:
    pairs = [("graph-planetwars", "ai3"), ("ai2", "graph-all"), ("graph-planetwars-small", "graph-planetwars")]
    compare_games(ask, pairs, ("test", "large"), 6, 60)


def test_recorded_games_with_illegal_moves_are_played_as_in_python(ask: Ask) -> None:
    """Games of the original engines: legal and illegal moves mixed, on small and odd graphs."""
    cases = []
    for name, rules in (("planetwars", pw.PLANETWARS), ("spaceexplorers", pw.SPACE_EXPLORERS)):
        for game in islice(recorded_games(name), 0, 200, 3):
            graph = Graph.from_dict(game["map"], f"recorded/{game['id']}")
            moves = [[move[:3] for move in tick["moves"]] for tick in game["ticks"] if tick["player"]]
            cases.append((graph, rules, moves))
    asked = [
        {"do": "moves", "setup": setup_of(g, rules, ("you", "you"), 0, None), "moves": moves}
        for g, rules, moves in cases
    ]
    played = 0
    for (graph, rules, moves), data in zip(cases, ask(asked), strict=True):
        assert "error" not in data, data
        game = pw.Game(graph, rules)
        accepted = [None if game.over else game.play([pw.Move(*move) for move in turn]) for turn in moves]
        assert data["accepted"] == accepted, graph.name
        replay = Replay.from_dict(data["replay"])
        assert replay == Replay.of(
            graph, rules, ("player 1", "player 2"), 0, rules.max_turns, replay.moves, replay.forfeit
        )
        played += len(replay.moves)
    assert played > 4000


def wrong_graphs() -> list[Any]:
    """Graphs that break R1, each in one way, and data that is no graph."""
    right = pw.load_graph("rings").to_dict()

    def changed(what: str, place: int, **fields: Any) -> dict[str, Any]:
        rows = [dict(row) for row in right[what]]
        rows[place] |= fields
        return {**right, what: rows}

    planet, edge = right["planets"][0], right["edges"][0]
    without = {key: value for key, value in planet.items() if key != "size"}
    wrong: list[Any] = [
        None, [], 7, "graph", {}, {"planets": [], "edges": None}, {**right, "planets": []}, {**right, "edges": {}},
        {**right, "planets": [planet]}, {**right, "planets": [without, *right["planets"][1:]]},
        {**right, "planets": [[1, 2], *right["planets"]]}, {**right, "planets": right["planets"] * 300},
        {**right, "edges": [*right["edges"], edge]}, {**right, "edges": [*right["edges"], None]},
        changed("planets", 2, id=-1), changed("planets", 2, id=planet["id"]), changed("planets", 2, id=2**31),
        changed("planets", 2, id="seven"), changed("planets", 2, id=True), changed("planets", 2, habitability=1001),
        changed("planets", 2, size=0), changed("planets", 2, size=2.5), changed("planets", 2, x="0"),
        changed("planets", 2, base=3), changed("planets", 2, base=1), changed("planets", 2, colour="it's red"),
        changed("planets", 0, base=0), changed("planets", 2, size=50_000_000),
        changed("edges", 1, weight=0), changed("edges", 1, weight=1001), changed("edges", 1, a=edge["b"], b=edge["b"]),
        changed("edges", 1, a=999_999), changed("edges", 1, b=None), changed("edges", 1, weight=[1, {"a": None}]),
    ]  # fmt: skip
    return wrong


def test_a_graph_that_breaks_the_rules_is_refused_with_the_sentence_of_python(ask: Ask) -> None:
    wrong = wrong_graphs()
    for data, answer in zip(wrong, ask([{"do": "graph", "data": data} for data in wrong]), strict=True):
        with pytest.raises(GraphError) as fault:
            Graph.from_dict(data)
        assert (like_json(answer["error"]), answer["kind"]) == (like_json(fault.value), "GraphError")


def test_a_graph_is_numbered_as_in_python(ask: Ask) -> None:
    graphs = [*islice(pw.load_pool("test"), 10), pw.load_graph("rings")]
    shuffled = []
    for graph in graphs:
        data = graph.to_dict()
        edges = [{"a": e["b"], "b": e["a"], "weight": e["weight"]} for e in data["edges"]]
        shuffled.append({"planets": data["planets"][::-1], "edges": random.Random(1).sample(edges, len(edges))})
    for graph, answer in zip(graphs, ask([{"do": "graph", "data": data} for data in shuffled]), strict=True):
        assert {key: answer[key] for key in ("planets", "edges")} == json.loads(json.dumps(graph.to_dict()))


def test_a_graph_with_people_beyond_32_bits_is_refused(ask: Ask) -> None:
    planets = [{"id": i, "habitability": 3, "size": 100_000, "base": i} for i in (1, 2)]
    edge = {"a": 1, "b": 2, "weight": 887}
    data = {"planets": planets, "edges": [edge]}
    largest, beyond = ask(
        [{"do": "graph", "data": data}, {"do": "graph", "data": {**data, "edges": [{**edge, "weight": 888}]}}]
    )
    assert "error" not in largest
    assert beyond["error"] == (
        "the sizes of all planets add up to 200,000; with flights of 888 turns the page counts at most 199,862: play this "
        "graph with the program (planetwars play --terminal)"
    )


def test_a_graph_with_too_many_shuttles_is_refused(ask: Ask) -> None:
    planets = [{"id": i, "habitability": 3, "size": 10, "base": i if i < 3 else 0} for i in range(1, 301)]
    edges = [{"a": a, "b": b, "weight": 1000} for a in range(1, 60) for b in range(a + 1, 301)]
    (answer,) = ask([{"do": "graph", "data": {"planets": planets, "edges": edges}}])
    assert answer["error"] == (
        "its game needs 124 MiB of memory; the page has 64: play this graph with the program (planetwars play --terminal)"
    )


def test_nothing_that_is_mutated_reaches_a_kernel_unchecked(ask: Ask) -> None:
    """Setups and moves of any kind are played or refused with a sentence; the module never traps."""
    rng, asked = random.Random(35), []
    graph = pw.load_graph("k4")
    for _ in range(3000):
        setup = {**setup_of(graph, rng.choice([*PRESETS.values()]), ("you", "ai3"), 5, 40), "moves": [[[1, 2, 1]], []]}
        question = {"setup": setup, "moves": [[1, 2, 1], [1, 3, 2]]}
        for _ in range(rng.randint(1, 3)):
            question = mutated(question, rng) if isinstance(question, dict) else question
        asked.append({"do": "try", **(question if isinstance(question, dict) else {"setup": question, "moves": []})})
    refused = [answer for answer in ask(asked) if isinstance(answer, dict) and "error" in answer]
    assert not [one for one in refused if one["kind"] not in ("Error", "GraphError", "ReplayError")]
    assert 500 < len(refused) < 2900
    assert all(len(one["error"]) > 10 for one in refused)


def test_the_rules_in_the_page_are_those_of_python() -> None:
    manifest = json.loads((PACKAGE / "render" / "planetwars.wasm.json").read_text())
    assert manifest["rules"] == {name: asdict(rules) for name, rules in PRESETS.items()}
