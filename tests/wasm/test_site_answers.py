"""The board editor: in node it reads, checks, spreads and writes boards as Python does."""

import json
import random
from itertools import islice
from typing import Any

import pytest

import planetwars_env as pw
from graphs.test_dot import FAULTS, parse_dot
from planetwars_env.graphs.dot import DotError, write_dot
from planetwars_env.graphs.graph import Graph, GraphError
from support.page_games import Ask, like_json, mutated


def board_of(graph: Graph) -> dict[str, Any]:
    return {"name": graph.name, **json.loads(json.dumps(graph.to_dict()))}


def test_files_are_read_and_written_as_in_python(ask: Ask) -> None:
    graphs = [*islice(pw.load_pool("test"), 20), *islice(pw.load_pool("fair"), 5), pw.load_graph("rings")]
    texts = [write_dot(graph) for graph in graphs]
    ends = "2 [habit=1 size=2 base=2]"
    texts += [
        f'strict graph {{ node [shape=circle]; 1 [HABIT=1 size=2 base=1 x="1e-7" y=-.5]; {ends}/* */ }}',
        f"\ufeffgraph a_b {{ rankdir = LR 1[habit=1 size=2][base=1] 5[habit=1 size=1] {ends} 1--5--2 [weight=4] // e\n}}",
    ]
    read = ask([{"do": "editor", "what": "read", "text": text} for text in texts])
    graphs = [parse_dot(text.removeprefix("\ufeff"), "mine") for text in texts]
    assert [answer["board"] for answer in read] == [board_of(graph) for graph in graphs]
    checked = ask([{"do": "editor", "what": "check", "board": board_of(graph)} for graph in graphs])
    for answer, graph in zip(checked, graphs, strict=True):
        assert answer["fault"] is None and parse_dot(answer["dot"]) == graph


def test_faults_of_files_are_those_of_python(ask: Ask) -> None:
    cases = [(text, fault) for text, _, fault in FAULTS if "inf;" not in fault and "nan;" not in fault]
    answers = ask([{"do": "editor", "what": "read", "text": text} for text, _ in cases])
    for (text, _), answer in zip(cases, answers, strict=True):
        with pytest.raises(DotError) as refused:
            parse_dot(text, "mine")
        assert like_json(answer["error"]) == like_json(refused.value)


def fault_of(board: dict[str, Any]) -> GraphError | None:
    try:
        Graph.from_dict({key: value for key, value in board.items() if key != "name"}, "x")
    except GraphError as fault:
        return fault
    return None


def test_faults_of_boards_name_the_planet_or_edge_as_in_python(ask: Ask) -> None:
    rng, boards = random.Random(3), []
    for _ in range(400):
        wrong = mutated({key: value for key, value in board_of(pw.load_graph("k4")).items() if key != "name"}, rng)
        boards.append(
            {**wrong, "name": "x"} if isinstance(wrong, dict) else {"name": "x", "planets": wrong, "edges": []}
        )
    answers = ask([{"do": "editor", "what": "check", "board": board} for board in boards])
    faulty = 0
    for board, answer in zip(boards, answers, strict=True):
        fault = fault_of(board)
        faulty += fault is not None
        found = answer["fault"] and (answer["fault"]["subject"], answer["fault"]["position"])
        assert found == (fault and (fault.subject, fault.position))
    assert faulty > 100


def test_a_board_is_spread_and_what_a_site_cannot_do_is_said(ask: Ask) -> None:
    graph = pw.load_graph("rings")
    spread, save, load = ask(
        [
            {"do": "editor", "what": "spread", "board": board_of(graph)},
            {"do": "editor", "path": "/editor/save", "board": {}},
            {"do": "editor", "path": "/editor/load?graph=moon", "board": None},
        ]
    )
    assert len(spread["places"]) == len(graph.planets)
    assert "pip install planetwars-env" in save["error"] and "no graph moon" in load["error"]
