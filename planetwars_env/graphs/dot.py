"""Graphs as text: the dialect of Graphviz's DOT language that the original game used.

    graph g { 1 [ habit = 3, size = 100, x = 1, y = 1, base = 1 ]  1 -- 2 [ weight = 5, label = 5 ] }

Planets need ``habit`` and ``size``; ``x``, ``y`` and ``base`` default to 0. Edges need ``weight`` and may come before
their planets. Other attributes, and defaults such as ``node [shape = circle]``, are passed over. A file may hold
several graphs, one after the other. Every fault is one DotError that names the file, the line and what is wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NoReturn, TypeVar

from planetwars_env.files import read_file, write_atomically
from planetwars_env.graphs.graph import MAX_PLANETS, Edge, Graph, GraphError, Planet, show

T = TypeVar("T", int, float)

# The largest valid graph, 1,000 planets with all 499,500 edges, stays below this.
MAX_FILE_SIZE = 32 * 2**20
MAX_GRAPHS = 10_000  # in one file
MAX_TOKENS = 2_000_000  # read one by one, which takes far longer than lines as write_dot writes them
MAX_COORDINATE = 400  # characters; ample, and it keeps float() from reading megabytes


class DotError(GraphError):
    """A fault in a .dot text: ``source`` (the file), ``line`` (from 1) and ``fault`` (what is wrong)."""

    def __init__(self, source: str, line: int, fault: str) -> None:
        super().__init__(f"{source}, line {line}: {fault}")
        self.source, self.line, self.fault = source, line, fault

    def __reduce__(self) -> tuple[type[DotError], tuple[str, int, str]]:
        return DotError, (self.source, self.line, self.fault)


def read_dots(path: str | os.PathLike[str]) -> list[Graph]:
    """All graphs of a .dot file, in order; one without a name is called after the file. Raises DotError or OSError."""
    data, source = b"", os.fspath(path)
    try:
        data = read_file(path, MAX_FILE_SIZE)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fault = f"byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise DotError(source, data.count(b"\n", 0, error.start) + 1, fault) from None
    except ValueError as fault:
        right = f"a .dot file is one, and has at most {MAX_FILE_SIZE // 2**20} MiB"
        raise DotError(source, 1, f"{fault}; {right}") from None
    return parse_dots(text, source, Path(path).stem)


def parse_dots(text: str, source: str = "text", name: str = "") -> list[Graph]:
    """All graphs of a text, at least one. ``source`` stands in errors; ``name`` is given to a nameless graph."""
    if len(text) > MAX_FILE_SIZE:
        raise DotError(source, 1, f"the text is too long; a .dot file may have at most {MAX_FILE_SIZE // 2**20} MiB")
    parser = _Parser(text, source)
    graphs = [parser.graph(name)]
    while parser.kind != "end":
        if len(graphs) == MAX_GRAPHS:
            parser.refuse(f"the text has more than {MAX_GRAPHS:,} graphs")
        graphs.append(parser.graph(name))
    return graphs


def write_dot(graph: Graph) -> str:
    """The canonical text of a graph: sorted, one planet or edge a line. Reading it gives the same graph back."""
    escaped = graph.name.replace("\\", "\\\\").replace('"', '\\"')
    lines = [f'graph "{escaped}" {{']
    for planet in graph.planets:
        base = f", base = {planet.base}" if planet.base else ""
        place = f"x = {_number(planet.x)}, y = {_number(planet.y)}"
        lines.append(f"  {planet.id} [ habit = {planet.habitability}, size = {planet.size}, {place}{base} ]")
    for edge in graph.edges:
        lines.append(f"  {edge.a} -- {edge.b} [ weight = {edge.weight}, label = {edge.weight} ]")
    return "\n".join([*lines, "}", ""])


def save_dot(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Writes a graph to a file in one step: the file is the old one or the new one, never half of it."""
    write_atomically(path, write_dot(graph).encode())


def _number(value: float) -> str:
    text = repr(value).removesuffix(".0")
    return f'"{text}"' if "e" in text else text  # DOT knows exponents only in quotes


# What lies between the tokens. Possessive repeats (*+) keep every pattern linear, whatever the input.
_GAP = r"(?:[\s\ufeff]++|//[^\n]*+|\#[^\n]*+|/\*(?s:.*?)\*/)*+"
_TOKEN = re.compile(
    _GAP
    + r"""(?:
    (?P<quoted>"(?:[^"\\]|\\.)*+")
  | (?P<number>-?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)(?![\w.])
  | (?P<word>[^\W\d]\w*+)
  | (?P<mark>--|->|[][{}=,;])
  | (?P<end>\Z)
  | (?P<stray>.)
    )""",
    re.VERBOSE | re.DOTALL,
)

# What write_dot writes, one statement a match: several times as fast as token by token. The text that follows must
# begin another statement or end the graph, or the general way is taken.
_CANONICAL = re.compile(
    r"""\s*+ (?: ([0-9]{1,10})\ --\ ([0-9]{1,10})\ \[\ weight\ =\ ([0-9]{1,9}),\ label\ =\ [0-9]{1,9}\ \]
  | ([0-9]{1,10})\ \[\ habit\ =\ ([0-9]{1,9}),\ size\ =\ ([0-9]{1,9}),
    \ x\ =\ (-?[0-9]{1,20}(?:\.[0-9]{1,20})?),\ y\ =\ (-?[0-9]{1,20}(?:\.[0-9]{1,20})?)(?:,\ base\ =\ ([0-9]))?\ \]
    ) (?=\s*+[0-9}])""",
    re.VERBOSE,
)


class _Parser:
    """Reads graphs one after the other. ``kind``, ``text`` and ``start``: of the next token; planets, edges: with their start."""

    planets: list[tuple[int, Planet]]
    edges: list[tuple[int, Edge]]

    def __init__(self, text: str, source: str) -> None:
        self.all, self.source, self.tokens = text, source, 0
        self.go_to(0)

    def go_to(self, position: int) -> None:
        match = _TOKEN.match(self.all, position)
        assert match is not None and match.lastgroup is not None  # the pattern matches at every position
        self.kind, self.text = match.lastgroup, match[match.lastgroup]
        self.start, self.after = match.span(match.lastgroup)
        self.tokens += 1
        if self.tokens > MAX_TOKENS:
            self.refuse(f"the text has more than {MAX_TOKENS:,} words and marks; one that save_dot wrote may be longer")
        if self.kind == "stray":
            if self.text == '"' or self.all.startswith("/*", self.start):
                kind = "quote" if self.text == '"' else "comment"
                self.refuse(f"a {kind} is opened and never closed")
            word = re.compile(r"\S{1,40}").match(self.all, self.start)
            self.refuse(f"syntax error at {show(word[0] if word else self.text)}")

    def refuse(self, fault: str, position: int | None = None) -> NoReturn:
        """Raises the DotError for a fault at this position of the text, by default at the next token."""
        line = self.all.count("\n", 0, self.start if position is None else position) + 1
        raise DotError(self.source, line, fault) from None

    def expected(self, what: str) -> NoReturn:
        self.refuse(f"expected {what}, found {'the end of the text' if self.kind == 'end' else show(self.text)}")

    def next_is(self, mark: str) -> bool:
        return self.kind == "mark" and self.text == mark

    def skip(self, mark: str) -> bool:
        """Passes over the next token if it is this mark."""
        if not self.next_is(mark):
            return False
        self.go_to(self.after)
        return True

    def keyword(self, *words: str) -> str:
        """Passes over the next token if it is one of these words, in any case, and says which; else says ''."""
        if self.kind != "word" or self.text.lower() not in words:
            return ""
        word = self.text.lower()
        self.go_to(self.after)
        return word

    def name(self, what: str) -> str:
        """Passes over an identifier: a word, a number or a quoted text; returns it without quotes."""
        if self.kind not in ("word", "number", "quoted"):
            self.expected(what)
        text = self.text
        if self.kind == "quoted":
            text = re.sub(r'\\(["\\])', r"\1", text[1:-1])
        self.go_to(self.after)
        return text

    def graph(self, name: str) -> Graph:
        """One whole graph: ``[strict] graph [name] { statements }``."""
        start = self.start
        self.keyword("strict")
        if not self.keyword("graph"):
            self.expected("'graph'")
        if not self.next_is("{"):
            name = self.name("the graph's name or '{'")
        if not self.next_is("{"):
            self.expected("'{'")
        self.planets, self.edges = [], []
        self.go_to(self.after_canonical(self.after))
        while not self.skip("}"):
            self.statement()
            if len(self.planets) > MAX_PLANETS:
                self.refuse(f"the graph has more than {MAX_PLANETS} planets", self.planets[MAX_PLANETS][0])
            position = self.after_canonical(self.start)
            if position != self.start:
                self.go_to(position)
        try:
            return Graph(name, (planet for _, planet in self.planets), (edge for _, edge in self.edges))
        except GraphError as error:
            known = {"planet": self.planets, "edge": self.edges, "graph": [(start, None)]}
            self.refuse(str(error), known[error.subject][error.position][0])

    def statement(self) -> None:
        """One planet, edge or chain of edges; or something that is passed over."""
        start = self.start
        if self.skip(";"):
            return
        if self.keyword("node", "edge", "graph"):
            self.attributes()
            return
        if (self.kind == "word" and self.text.lower() == "subgraph") or self.next_is("{"):
            self.refuse("subgraphs are not part of this dialect; list planets and edges directly")
        first = self.name("a planet, an edge or '}'")
        if self.skip("="):
            self.name("a value")
            return
        ids = [self.whole("a planet's id", first, start)]
        while self.skip("--"):
            end = self.start
            ids.append(self.whole("a planet's id", self.name("a planet"), end))
        if self.next_is("->"):
            self.refuse("'->' is a directed edge; edges are written with '--'")
        attributes = self.attributes()
        if len(ids) == 1:
            self.planets.append((start, self.planet(ids[0], attributes, start)))
        for a, b in pairwise(ids):
            if "weight" not in attributes:
                self.refuse(f"edge {a} -- {b} has no weight; write {a} -- {b} [ weight = 5 ]", start)
            weight = self.whole(f"edge {a} -- {b}: weight", *attributes["weight"])
            self.edges.append((start, Edge(a, b, weight)))

    def attributes(self) -> dict[str, tuple[str, int]]:
        """Any number of lists ``[ key = value, ... ]``: lower-case key -> value and its position."""
        values: dict[str, tuple[str, int]] = {}
        while self.skip("["):
            while not self.skip("]"):
                key = self.name("an attribute or ']'").lower()
                if not self.skip("="):
                    self.expected(f"'=' after {show(key)}")
                start = self.start
                values[key] = self.name(f"a value for {show(key)}"), start
                if not self.skip(","):
                    self.skip(";")
        return values

    def planet(self, planet: int, attributes: dict[str, tuple[str, int]], start: int) -> Planet:
        for key in ("habit", "size"):
            if key not in attributes:
                right = f"it needs habit and size, as in {planet} [ habit = 3, size = 100 ]"
                self.refuse(f"planet {planet} has no {key}; {right}", start)

        def value(key: str, read: Callable[[str, str, int], T]) -> T:
            return read(f"planet {planet}: {key}", *attributes.get(key, ("0", start)))

        habitability, size, base = (value(key, self.whole) for key in ("habit", "size", "base"))
        return Planet(planet, habitability, size, value("x", self.real), value("y", self.real), base)

    def whole(self, what: str, text: str, start: int) -> int:
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            self.refuse(f"{what} is {show(text)}; it must be a whole number", start)
        if len(text) > 18:  # far beyond every limit of R1, and int() refuses texts of thousands of digits
            self.refuse(f"{what} is {show(text)}, {len(text)} characters long; that is far out of range", start)
        return int(text)

    def real(self, what: str, text: str, start: int) -> float:
        try:
            return float(text if len(text) <= MAX_COORDINATE else "too long")
        except ValueError:
            self.refuse(f"{what} is {show(text)}; it must be a number of at most {MAX_COORDINATE} characters", start)

    def after_canonical(self, position: int) -> int:
        """Reads the canonical statements that begin here; returns where the first other one begins."""
        while len(self.planets) <= MAX_PLANETS and (match := _CANONICAL.match(self.all, position)):
            position = match.end()
            a, b, weight, planet, habitability, size, x, y, base = match.groups()
            if planet is None:
                self.edges.append((match.start(1), Edge(int(a), int(b), int(weight))))
            else:
                values = Planet(int(planet), int(habitability), int(size), float(x), float(y), int(base or 0))
                self.planets.append((match.start(4), values))
        return position
