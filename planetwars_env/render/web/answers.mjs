// Answers to what the board editor asks about its board, which is the JSON of `Graph.from_dict` with a name; and on a
// site of files to what pages ask a server (ask.js): a game or a replay is opened by the address of its page.
import { parseDot, writeDot } from "./dot.mjs";
import { GraphError, checkedGraph } from "./graph.mjs";
import { layOut } from "./layout.mjs";
import { addressOf, packed } from "./packing.mjs";
import { readReplay } from "./replay_file.mjs";

const INSTALL = "That needs the program: pip install planetwars-env, then planetwars play";

export class Answers {
  // What the page has: ``manifest``: of the module; and on a site ``graphs``: by name; ``turn_limits``: by rules.
  constructor({ manifest, graphs, turn_limits }) {
    this.manifest = manifest;
    this.graphs = graphs;
    this.turnLimits = turn_limits;
  }

  // ``path``: with its query; ``body``: a file, or what becomes JSON. {error} for what is wrong or not possible here.
  async answer(path, body) {
    const [name, query] = path.split("?");
    const asked = new URLSearchParams(query);
    const answers = {
      "/editor/load": () => this._load(asked.get("graph")),
      "/game": () => this._game(body),
      "/watch": () => this._watch(body),
    };
    try {
      return Object.hasOwn(answers, name) ? await answers[name]() : { error: INSTALL };
    } catch (fault) {
      return { error: fault.message };
    }
  }

  _graph(board) {
    const { name, ...data } = board;
    return checkedGraph(data, this.manifest.limits, String(name).replaceAll(/\p{C}/gu, "?").slice(0, 200));
  }

  // The board as .dot, or its first fault and the planet or edge at fault, by its place in the lists.
  check(board) {
    try {
      return { fault: null, dot: writeDot(this._graph(board)) };
    } catch (fault) {
      if (!(fault instanceof GraphError)) throw fault;
      const { subject, position, message: text } = fault;
      return { fault: { subject, position, text }, dot: "" };
    }
  }

  // The places of a board's planets as pages draw them, in the order of the board.
  spread(board) {
    const places = new Map(layOut(this._graph(board)).planets.map(([id, x, y]) => [id, [x, y]]));
    return { places: board.planets.map(({ id }) => places.get(id)) };
  }

  // The board in the text of a .dot file.
  read(text, file) {
    return this._board(parseDot(text, file.replace(/\.[^.]*$/, ""), this.manifest.limits));
  }

  _load(name) {
    if (!Object.hasOwn(this.graphs, name)) return { error: `this page has no graph ${name}. ${INSTALL}` };
    return this._board(checkedGraph(this.graphs[name], this.manifest.limits, name));
  }

  _board({ name, planets, edges }) {
    return { board: { name, planets, edges } };
  }

  // The address of a new game on a board of one's own (kept_game.mjs).
  _game({ players, rules, from }) {
    const graph = this._graph(from.graph);
    const seed = Math.floor(Math.random() * 2 ** 31);
    const game = { players, graph, rules, seed, max_turns: this.turnLimits[rules] };
    return { go: `play.html#game=${addressOf(game)}` };
  }

  // The address of a replay, from a file or as data.
  async _watch(replay) {
    const bytes =
      replay instanceof Blob
        ? new Uint8Array(await replay.arrayBuffer())
        : new TextEncoder().encode(JSON.stringify(replay));
    await readReplay(bytes, this.manifest);
    return { go: `watch.html#replay=${await packed(bytes)}` };
  }
}
