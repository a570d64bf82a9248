// Graphs as text, in the dialect of graphs/dot.py and with its sentences: one graph of a .dot file is read or written.
import { GraphError, checkedGraph, show, withCommas } from "./graph.mjs";

const MOST = { bytes: 32 * 2 ** 20, tokens: 2_000_000, coordinate: 400 };
const GAP = String.raw`(?:[\s\ufeff]+|//[^\n]*|#[^\n]*|/\*[^]*?\*/)*`;
const KINDS = {
  quoted: String.raw`"(?:[^"\\]|\\[^])*"`,
  number: String.raw`-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\p{L}\p{N}_.])`,
  word: String.raw`[\p{L}_][\p{L}\p{N}_]*`,
  mark: String.raw`--|->|[\]\[\{\}=,;]`,
  end: "$",
  stray: "[^]",
};
const PATTERNS = Object.entries(KINDS).map(([kind, pattern]) => `(?<${kind}>${pattern})`);
const TOKEN = new RegExp(`${GAP}(?:${PATTERNS.join("|")})`, "yu");
const REAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

export class DotError extends GraphError {}

// The one graph of a text, checked; ``name``: of a graph that has none, and in errors.
export function parseDot(text, name, limits) {
  const most = `a .dot file may have at most ${MOST.bytes / 2 ** 20} MiB`;
  if (text.length > MOST.bytes) throw new DotError(`${name}, line 1: the text is too long; ${most}`);
  const parser = new Parser(text.replace(/^\ufeff/, ""), name || "text", limits);
  const graph = parser.graph(name);
  if (parser.kind !== "end") {
    let count = 1;
    for (; parser.kind !== "end"; count++) parser.graph(name);
    throw new GraphError(`${name || "text"} holds ${count} graphs where one is wanted; read_dots reads them all`);
  }
  return graph;
}

// The canonical text of a checked graph: reading it gives the same graph back.
export function writeDot({ name, planets, edges }) {
  const lines = [`graph "${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}" {`];
  for (const { id, habitability, size, x, y, base } of planets) {
    const place = `x = ${written(x)}, y = ${written(y)}`;
    lines.push(`  ${id} [ habit = ${habitability}, size = ${size}, ${place}${base ? `, base = ${base}` : ""} ]`);
  }
  for (const { a, b, weight } of edges) lines.push(`  ${a} -- ${b} [ weight = ${weight}, label = ${weight} ]`);
  return [...lines, "}", ""].join("\n");
}

// DOT knows exponents only in quotes.
function written(number) {
  const text = String(number);
  return text.includes("e") ? `"${text}"` : text;
}

// Reads graphs one after the other. ``kind``, ``text`` and ``start`` describe the token that comes next.
class Parser {
  constructor(text, source, limits) {
    this.all = text;
    this.source = source;
    this.limits = limits;
    this.tokens = 0;
    this._goTo(0);
  }

  _goTo(position) {
    TOKEN.lastIndex = position;
    const { groups } = TOKEN.exec(this.all);
    this.kind = Object.keys(KINDS).find((kind) => groups[kind] !== undefined);
    this.text = groups[this.kind];
    this.after = TOKEN.lastIndex;
    this.start = this.after - this.text.length;
    this.tokens++;
    if (this.tokens > MOST.tokens) this.refuse(`the text has more than ${withCommas(MOST.tokens)} words and marks`);
    if (this.kind !== "stray") return;
    if (this.text === '"' || this.all.startsWith("/*", this.start)) {
      this.refuse(`a ${this.text === '"' ? "quote" : "comment"} is opened and never closed`);
    }
    this.refuse(`syntax error at ${show(/^\S{1,40}/u.exec(this.all.slice(this.start))?.[0] ?? this.text)}`);
  }

  // The fault at this position of the text, by default at the next token.
  refuse(fault, position = this.start) {
    const line = this.all.slice(0, position).split("\n").length;
    throw new DotError(`${this.source}, line ${line}: ${fault}`);
  }

  _expected(what) {
    this.refuse(`expected ${what}, found ${this.kind === "end" ? "the end of the text" : show(this.text)}`);
  }

  _nextIs(mark) {
    return this.kind === "mark" && this.text === mark;
  }

  _skip(mark) {
    const found = this._nextIs(mark);
    if (found) this._goTo(this.after);
    return found;
  }

  // Passes over the next token if it is one of these words, in any case.
  _keyword(...words) {
    const found = this.kind === "word" && words.includes(this.text.toLowerCase());
    if (found) this._goTo(this.after);
    return found;
  }

  // An identifier: a word, a number or a quoted text, without its quotes.
  _name(what) {
    if (!["word", "number", "quoted"].includes(this.kind)) this._expected(what);
    const text = this.kind === "quoted" ? this.text.slice(1, -1).replace(/\\(["\\])/g, "$1") : this.text;
    this._goTo(this.after);
    return text;
  }

  /** @returns {any} One whole graph: [strict] graph [name] { statements }. */
  graph(nameless) {
    const { start } = this;
    let name = nameless;
    this._keyword("strict");
    if (!this._keyword("graph")) this._expected("'graph'");
    if (!this._nextIs("{")) name = this._name("the graph's name or '{'");
    if (!this._skip("{")) this._expected("'{'");
    const board = { planets: [], edges: [], starts: { planet: [], edge: [], graph: [start] } };
    while (!this._skip("}")) {
      this._statement(board);
      if (board.planets.length > this.limits.MAX_PLANETS) {
        this.refuse(`the graph has more than ${this.limits.MAX_PLANETS} planets`, board.starts.planet.at(-1));
      }
    }
    try {
      return checkedGraph({ planets: board.planets, edges: board.edges }, this.limits, name);
    } catch (fault) {
      if (!(fault instanceof GraphError)) throw fault;
      return this.refuse(fault.message, board.starts[fault.subject][fault.position]);
    }
  }

  // One planet, edge or chain of edges; or something that is passed over.
  _statement({ planets, edges, starts }) {
    const { start } = this;
    if (this._skip(";")) return;
    if (this._keyword("node", "edge", "graph")) {
      this._attributes();
      return;
    }
    if ((this.kind === "word" && this.text.toLowerCase() === "subgraph") || this._nextIs("{")) {
      this.refuse("subgraphs are not part of this dialect; list planets and edges directly");
    }
    const first = this._name("a planet, an edge or '}'");
    if (this._skip("=")) {
      this._name("a value");
      return;
    }
    const ids = [this._whole("a planet's id", first, start)];
    while (this._skip("--")) {
      const { start: end } = this;
      ids.push(this._whole("a planet's id", this._name("a planet"), end));
    }
    if (this._nextIs("->")) this.refuse("'->' is a directed edge; edges are written with '--'");
    const attributes = this._attributes();
    if (ids.length === 1) {
      starts.planet.push(start);
      planets.push(this._planet(ids[0], attributes, start));
    }
    for (let i = 1; i < ids.length; i++) {
      starts.edge.push(start);
      edges.push(this._edge(ids[i - 1], ids[i], attributes, start));
    }
  }

  // Any number of lists [ key = value, ... ]: by lower-case key the value and its position.
  _attributes() {
    const found = new Map();
    while (this._skip("[")) {
      while (!this._skip("]")) {
        const key = this._name("an attribute or ']'").toLowerCase();
        if (!this._skip("=")) this._expected(`'=' after ${show(key)}`);
        const { start } = this;
        found.set(key, [this._name(`a value for ${show(key)}`), start]);
        if (!this._skip(",")) this._skip(";");
      }
    }
    return found;
  }

  _planet(id, attributes, start) {
    for (const key of ["habit", "size"]) {
      if (!attributes.has(key)) {
        const right = `it needs habit and size, as in ${id} [ habit = 3, size = 100 ]`;
        this.refuse(`planet ${id} has no ${key}; ${right}`, start);
      }
    }
    const value = (key, read) => read.call(this, `planet ${id}: ${key}`, ...(attributes.get(key) ?? ["0", start]));
    const [habitability, size, base] = ["habit", "size", "base"].map((key) => value(key, this._whole));
    const [x, y] = ["x", "y"].map((key) => value(key, this._real));
    return { id, habitability, size, x, y, base };
  }

  _edge(a, b, attributes, start) {
    if (!attributes.has("weight")) {
      this.refuse(`edge ${a} -- ${b} has no weight; write ${a} -- ${b} [ weight = 5 ]`, start);
    }
    return { a, b, weight: this._whole(`edge ${a} -- ${b}: weight`, ...attributes.get("weight")) };
  }

  _whole(what, text, start) {
    if (!/^[+-]?[0-9]+$/.test(text)) this.refuse(`${what} is ${show(text)}; it must be a whole number`, start);
    if (text.length > 18) {
      this.refuse(`${what} is ${show(text)}, ${text.length} characters long; that is far out of range`, start);
    }
    return Number(text);
  }

  _real(what, text, start) {
    if (text.length > MOST.coordinate || !REAL.test(text)) {
      this.refuse(`${what} is ${show(text)}; it must be a number of at most ${MOST.coordinate} characters`, start);
    }
    return Number(text);
  }
}
