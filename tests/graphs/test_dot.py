"""The .dot dialect: what is read, what is written, and how a faulty file is answered."""

import pickle
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.dot import DotError, parse_dots, read_dots, save_dot, write_dot
from planetwars_env.graphs.graph import Edge, Graph, GraphError, Planet
from support.hypothesis_strategies import boards

TWO = "1 [habit=3, size=100, base=1] 2 [habit=3, size=100, base=2]"
PAIR = Graph("g", [Planet(1, 3, 100, 1.0, 1.0, 1), Planet(2, 0, 9, 4.5, -1.0, 2)], [Edge(1, 2, 5)])
COORDINATES = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    board = draw(boards())
    for planet in board["planets"]:
        planet |= {"x": draw(COORDINATES), "y": draw(COORDINATES)}
    for edge in board["edges"]:
        edge["weight"] = draw(st.integers(1, 1000))
    return Graph.from_dict(board, draw(st.text()))


def parse_dot(text: str, name: str = "text") -> Graph:
    """The one graph of a text."""
    (graph,) = parse_dots(text, name, name)
    return graph


@given(graphs())
def test_what_is_written_is_read_back_exactly(graph: Graph) -> None:
    twin = parse_dot(write_dot(graph))
    assert twin.name == graph.name
    assert repr(twin.to_dict()) == repr(graph.to_dict())


@given(graphs())
def test_the_fast_way_and_the_general_way_read_the_same(graph: Graph) -> None:
    body = write_dot(Graph("g", graph.planets, graph.edges))
    assert parse_dot(body.replace(" [ ", "[/**/").replace(",", " ")) == graph


@pytest.mark.parametrize(
    "text",
    [
        "graph g { 1 [ habit = 3, size = 100, x = 1, y = 1, base = 1 ]  1 -- 2 [ weight = 5, label = 5 ]\n"  # the original's
        "2 [ habit = 0, size = 9, x = 4.5, y = -1, base = 2 ] }",
        "graph g { 1--2[weight=5]; 2[y=-1 x=4.5;base=2 size=9,habit=0] 1[base=1,habit=3,y=1,x=1,size=100,]; }",
        'STRICT GRAPH "g" { "1" -- "2" [Weight="5"] 1 [HABIT="3" SIZE=100 X="1.0" Y=1e0 Base=1]'
        " 2 [habit=0 size=9 x=45e-1 y=-1. base=2] }",
        "# a board\n// of /* two\ngraph { /* planets\n */ 1 [ habit = 3, // growth\n"
        " size = 100, x = 1, y = 1, base = 1 ]\n"
        "# 3 [\n 2 [habit=00, size=9, x=4.5, y=-1, base=2] 1 -- 2 [weight=5] }\n# the end",
        "\ufeffgraph { node [shape=circle]; edge [color=red, style=bold]; graph [pad=1]; rankdir = LR;"
        'label = "two\\"";;'
        '1 [color=blue, habit=3, size=100, x=1, y=1][base=1] 2 [habit=0, size=9, x=4.5, y=-1, base=2, pos="1,2!"]'
        "2 -- 1 [label=17, weight=5, len=3.5] }",
    ],
)
def test_all_these_spellings_mean_the_same_board(text: str) -> None:
    assert parse_dot(text) == PAIR


def test_places_and_bases_may_be_left_out_and_a_chain_is_read_as_its_edges() -> None:
    graph = parse_dot(f"graph {{ {TWO} 5 [habit=1 size=1] 1 -- 5 -- 2 [weight=4] }}")
    assert graph.planets[2] == Planet(5, 1, 1, 0.0, 0.0, 0)
    assert graph.edges == (Edge(1, 5, 4), Edge(2, 5, 4))


def test_a_text_may_hold_several_graphs(tmp_path: Path) -> None:
    text = f"graph a {{ {TWO} }} graph {{ {TWO} }} // end"
    assert [graph.name for graph in parse_dots(text, name="nameless")] == ["a", "nameless"]
    (tmp_path / "two.dot").write_text(text)
    with pytest.raises(GraphError, match="holds 2 graphs where one is wanted"):
        load_graph(tmp_path / "two.dot")


def test_saving_and_reading_files(tmp_path: Path) -> None:
    path = tmp_path / "pair.dot"
    save_dot(PAIR, path)
    assert load_graph(path) == PAIR and read_dots(str(path)) == [PAIR]
    assert [file.name for file in tmp_path.iterdir()] == ["pair.dot"]
    path.write_text(f"graph {{ {TWO} }}")
    assert load_graph(path).name == "pair"


@pytest.mark.parametrize("name", ["\ud800", "\x1b[2J", "\u202e", "x" * 1_000, "two\nlines"])
def test_the_name_of_a_graph_is_one_printable_line(name: str, tmp_path: Path) -> None:
    graph = Graph(name, PAIR.planets, PAIR.edges)
    assert graph.name.isprintable() and len(graph.name) <= 200
    save_dot(graph, tmp_path / "pair.dot")
    assert load_graph(tmp_path / "pair.dot").name == graph.name


FAULTS = [
    ("", 1, "expected 'graph', found the end of the text"),
    ("digraph g {}", 1, "expected 'graph', found 'digraph'"),
    ("graph g\n\n(", 3, "syntax error at '('"),
    ("graph g 1 {}", 1, "expected '{', found '1'"),
    ("graph {\n1 [habit=3", 2, "expected an attribute or ']', found the end of the text"),
    ("graph {\n1 [habit 3]}", 2, "expected '=' after 'habit', found '3'"),
    ("graph {\n1 [habit=]}", 2, "expected a value for 'habit', found ']'"),
    ("graph {\n1 -- \n}", 3, "expected a planet, found '}'"),
    ("graph {\n ]}", 2, "expected a planet, an edge or '}', found ']'"),
    ("graph {\n 12abc [size=1]}", 2, "syntax error at '12abc'"),
    ('graph {\n\n 1 [label="a\nb]}', 3, "a quote is opened and never closed"),
    ("graph {\n /* 1 [size=1] }", 2, "a comment is opened and never closed"),
    ("graph {\n 1 -> 2 [weight=1] }", 2, "'->' is a directed edge"),
    ("graph {\n subgraph a { } }", 2, "subgraphs are not part of this dialect"),
    ("graph {\n a [habit=1, size=1] }", 2, "a planet's id is 'a'; it must be a whole number"),
    ("graph {\n -1 [habit=1, size=1] }", 2, "planet -1: the id is -1; it must be a whole number from 0"),
    ("graph {\n 1.5 [habit=1, size=1] }", 2, "a planet's id is '1.5'"),
    ("graph {\n 1 [size=1] }", 2, "planet 1 has no habit"),
    ("graph {\n 1;}", 2, "planet 1 has no habit"),
    ("graph {\n 1 [habit=1] }", 2, "planet 1 has no size"),
    ("graph {\n 1 [habit=1,\n size=1e400] }", 3, "planet 1: size is '1e400'; it must be a whole number"),
    (f"graph {{\n 1 [habit=1, size={'9' * 1_000_000}] }}", 2, "1000000 characters long; that is far out of range"),
    (f"graph {{\n 1 [habit=1, size=1, x={'9' * 1_000_000}] }}", 2, "it must be a number"),
    ("graph {\n 1 [habit=1, size=1, x=1e400] }", 2, "planet 1: x is inf; it must be a finite number"),
    ("graph {\n 1 [habit=1, size=1, x=left] }", 2, "planet 1: x is 'left'; it must be a number"),
    (f"graph {{\n {TWO}\n 1 -- 2 [ weight = 0, label = 0 ]\n}}", 3, "edge 1 -- 2: weight is 0"),
    (f"graph {{\n {TWO}\n 1 -- 2}}", 3, "edge 1 -- 2 has no weight"),
    (f"graph {{\n {TWO}\n\n 1 -- 3 [weight=1]\n}}", 4, "edge 1 -- 3: there is no planet 3"),
    (f"graph {{\n {TWO}\n 1 -- 2 [weight=1]\n 2 -- 1 [weight=2]\n}}", 4, "edge 1 -- 2 is defined twice"),
    (
        f"graph {{\n {TWO}\n 3 [ habit = 1, size = 1, x = 0, y = 0, base = 2 ]\n}}",
        3,
        "already has its base on planet 2",
    ),
    ("\ngraph {\n 1 [habit=1, size=1, base=1]; 2 [habit=1, size=1] }", 2, "player 2 has no base"),
    (f"graph {{ {TWO} }}\n graph {{ 1 [habit=1, size=1] }}", 2, "the graph has 1 planets"),
    (f"graph {{ {TWO} }}\n }}", 2, "expected 'graph', found '}'"),
]


@pytest.mark.parametrize(("text", "line", "fault"), FAULTS, ids=[fault for _, _, fault in FAULTS])
def test_a_fault_is_told_with_file_line_and_reason(tmp_path: Path, text: str, line: int, fault: str) -> None:
    path = tmp_path / "bad.dot"
    path.write_text(text)
    with pytest.raises(DotError) as refusal:
        load_graph(path)
    error = refusal.value
    assert (error.source, error.line) == (str(path), line)
    assert str(error).startswith(f"{path}, line {line}: ") and fault in error.fault
    assert "\n" not in str(error) and len(error.fault) < 200
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


NONSENSE = {
    "nothing but stars": b"*",
    "zeros": b"\0",
    "open quotes": b'graph "',
    "open comments": b"/* ",
    "planets": b"graph { 1 [ habit = 3, size = 100, x = 1, y = 1 ] ",
    "blanks": b" \n",
}


@pytest.mark.parametrize("piece", NONSENSE.values(), ids=NONSENSE)
def test_many_megabytes_of_nonsense_are_answered_within_a_second(tmp_path: Path, piece: bytes) -> None:
    path = tmp_path / "nonsense.dot"
    path.write_bytes(piece * (20 * 2**20 // len(piece)))
    start = time.process_time()
    with pytest.raises(DotError, match="line"):
        load_graph(path)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"graph {\n// caf\xe9\n}", "line 2: byte 0xe9 is not UTF-8 text"), (bytes(33 * 2**20), "at most 32 MiB")],
)
def test_bytes_that_are_no_text_or_too_many_are_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "bad.dot").write_bytes(data)
    with pytest.raises(DotError, match=said):
        load_graph(tmp_path / "bad.dot")


def test_a_graph_of_too_many_planets_is_refused_before_all_are_read() -> None:
    text = "graph {\n" + "\n".join(f"{i} [ habit = 3, size = 100, x = 1, y = 1 ]" for i in range(100_000)) + "}"
    with pytest.raises(DotError, match="line 1002: the graph has more than 1000 planets"):
        parse_dot(text)


WORDS = ["graph", "strict", "node", "1", "2", "5", "0", "--", "[", "]", "{", "}", "=", ",", ";", "habit", "size"]
WORDS += ["weight", "base", '"', "/*", "*/", "//", "#", "\n", "\\", "-", ".", "x", "é"]


@given(st.lists(st.sampled_from(WORDS)).map(" ".join) | st.text())
def test_any_text_at_all_is_a_graph_or_a_dot_error(text: str) -> None:
    for candidate in (text, "graph {" + text, f"graph {{ {TWO} {text} }}"):
        with suppress(DotError):
            assert parse_dots(candidate)
