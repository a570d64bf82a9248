// The engine: the kernels of planetwars.wasm over arrays in its memory, and the position of one game.
//
// Kernels check no bounds. `Position` takes graphs from `checkedGraph` only; edges and people are checked here before a
// kernel sees them. Nothing here knows a number of the engine: types, shapes, columns and limits stand in the
// manifest, planetwars.wasm.json.

const ARRAYS = {
  int8: Int8Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
};
const PAGE = 65536;

// The compiled module. Every position has an instance of its own, so that it is gone with its position.
export class Engine {
  // ``chances``: win_probability.json.
  static async load(bytes, manifest, chances = {}) {
    return new Engine(await WebAssembly.compile(bytes), manifest, chances);
  }

  constructor(module, manifest, chances) {
    this.module = module;
    this.manifest = manifest;
    this.chances = chances;
  }

  kernels() {
    const imports = { env: { log1pf: Math.log1p, expf: Math.exp } };
    return new Kernels(new WebAssembly.Instance(this.module, imports), this.manifest);
  }
}

// One instance: arrays are put into its memory one behind the other, and kernels are bound to them.
class Kernels {
  constructor(instance, manifest) {
    this.manifest = manifest;
    this.exports = instance.exports;
    this._top = Number(instance.exports.__heap_base.value);
  }

  // An array of zeros; ``view`` are its numbers, for now: they move when the memory grows.
  array(kind, shape, numbers = null) {
    const size = shape.reduce((a, b) => a * b, 1);
    const at = (this._top + 63) & ~63;
    const { memory } = this.exports;
    this._top = at + Math.max(1, size) * ARRAYS[kind].BYTES_PER_ELEMENT;
    const missing = this._top - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    const array = {
      at,
      kind,
      shape,
      get view() {
        return new ARRAYS[kind](memory.buffer, at, size);
      },
    };
    if (numbers) array.view.set(numbers);
    return array;
  }

  // The arrays of a group of parameters, such as "state", by their names; ``sizes``: the lengths of the axes.
  group(name, sizes, kernel) {
    const found = {};
    for (const [path, kind] of this.manifest.kernels[kernel]) {
      const [group, field] = path.split(".");
      const shape = this.manifest.shapes[path];
      if (group === name) found[field] = this.array(kind, shape.map((length) => sizes[length] ?? length));
    }
    return found;
  }

  // The kernel ``name`` as a function of its numbers; ``arrays``: by the names of its parameters, in the same groups.
  bind(name, arrays) {
    const slots = [];
    const numbers = [];
    for (const [path, kind, axes] of this.manifest.kernels[name]) {
      if (axes) {
        const array = path.split(".").reduce((group, key) => group[key], arrays);
        if (array?.kind !== kind || array.shape.length !== axes) throw new Error(`${name}: ${path} must be ${kind}`);
        slots.push(array.at, ...array.shape);
      } else {
        numbers.push(slots.length);
        slots.push(0);
      }
    }
    const block = this.array("int32", [slots.length], slots);
    return (...given) => {
      const { view } = block;
      numbers.forEach((slot, i) => (view[slot] = given[i]));
      return this.exports[name](block.at);
    };
  }
}

// The position of one game on a graph: board, state, and what the rules do to them. Players are 1 and 2, planets ids.
export class Position {
  constructor(engine, graph, rules, maxTurns) {
    this.engine = engine;
    this.graph = graph;
    this.rules = rules;
    this.maxTurns = maxTurns;
    this.columns = engine.manifest.columns;
    this.kernels = engine.kernels();
    this.index = new Map(graph.planets.map(({ id }, p) => [id, p]));
    this.edges = directedEdges(graph, this.index, rules.turns_per_weight);
    this._edge = new Map(this.edges.map((edge, e) => [`${edge.source} ${edge.destination}`, e]));
    const P = graph.planets.length;
    const E = this.edges.length;
    const T = Math.max(1, ...this.edges.map((edge) => edge.turns));
    this.sizes = { P, E, T, "P + 1": P + 1, "max(P, E)": Math.max(P, E) };
    const scratch = this.kernels.manifest.shapes.scratch.map((length) => this.sizes[length] ?? length);
    this.arrays = {
      state: this.kernels.group("state", this.sizes, "place"),
      board: this.kernels.group("board", this.sizes, "place"),
      scratch: this.kernels.array("int32", scratch),
      visible: this.kernels.array("int8", [P]),
      people: this.kernels.array("int32", [E]),
    };
    this._writeBoard();
    const bound = (name) => this.kernels.bind(name, this.arrays);
    this._place = bound("place");
    this._send = bound("send");
    this._putInFlight = bound("put_in_flight");
    this._endTurn = bound("end_turn");
    this._look = bound("look");
    this._listLaunched = bound("list_launched");
    this._playBot = bound("play_bot");
    this.begin();
  }

  _writeBoard() {
    const { board } = this.arrays;
    const { P, E } = this.sizes;
    const { SIZE, HABITABILITY, SOURCE, TARGET, TURNS, WEIGHT, REVERSE, PLANETS, EDGES, BASE_1, BASE_2 } = this.columns;
    const views = Object.fromEntries(Object.entries(board).map(([name, array]) => [name, array.view]));
    const { info, planets, growth, edges, edge_offsets: offsets } = views;
    this.graph.planets.forEach(({ size, habitability, base }, p) => {
      planets[SIZE * P + p] = size;
      planets[HABITABILITY * P + p] = habitability;
      growth[p] = 1 + habitability / 100;
      if (base) info[base === 1 ? BASE_1 : BASE_2] = p;
    });
    this.edges.forEach((edge, e) => {
      edges[SOURCE * E + e] = this.index.get(edge.source);
      edges[TARGET * E + e] = this.index.get(edge.destination);
      edges[TURNS * E + e] = edge.turns;
      edges[WEIGHT * E + e] = edge.weight;
      edges[REVERSE * E + e] = this._edge.get(`${edge.destination} ${edge.source}`);
      for (let p = this.index.get(edge.source) + 1; p <= P; p++) offsets[p] = e + 1;
    });
    info[PLANETS] = P;
    info[EDGES] = E;
  }

  // R2: everything as it was before turn 1, but for the generator of random numbers.
  begin() {
    this._place(0, 0, Number(this.rules.coexistence), this.maxTurns ?? this.columns.NO_LIMIT);
  }

  // Random numbers for a seed, by splitmix64 as in engine/random.py.
  seed(seed) {
    const cut = (word) => BigInt.asUintN(64, word);
    let word = cut((BigInt(seed) + 1n) * 0x9e3779b97f4a7c15n);
    word = cut((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
    word = cut((word ^ (word >> 27n)) * 0x94d049bb133111ebn);
    this.arrays.state.random.view[0] = word ^ (word >> 31n) || 0x9e3779b97f4a7c15n;
  }

  _status(column) {
    return this.arrays.state.status.view[this.columns[column]];
  }

  get turn() {
    return this._status("TURN");
  }

  // The player to move: 1 on odd turns, 2 on even ones.
  get player() {
    return this.turn % 2 ? 1 : 2;
  }

  get over() {
    return this._status("PHASE") !== this.columns.RUNNING;
  }

  get cutOff() {
    return this._status("PHASE") === this.columns.CUT_OFF;
  }

  get winner() {
    return this._status("WINNER");
  }

  // People of player 1 and of player 2 on every planet.
  people() {
    const { P } = this.sizes;
    const people = this.arrays.state.people.view;
    return this.graph.planets.map((_, p) => [people[p], people[P + p]]);
  }

  // Everything in flight, sorted: [source, destination, player, people, turns to go].
  shuttles() {
    const { E, T } = this.sizes;
    const flights = this.arrays.state.flights.view;
    const found = [];
    for (let togo = 1; togo <= T; togo++) {
      const slot = ((this.turn + togo) % T) * E;
      this.edges.forEach(({ source, destination, turns }, e) => {
        const launched = this.turn + togo - turns;
        if (flights[slot + e]) found.push([source, destination, launched % 2 ? 1 : 2, flights[slot + e], togo]);
      });
    }
    return found.sort(compareShuttles);
  }

  // R9: for every planet whether ``player`` sees it.
  visible(player) {
    this._look(0, player - 1);
    return Array.from(this.arrays.visible.view, Boolean);
  }

  // What ``player`` sees, in the form of `View.to_dict` in Python; 0: everything.
  view(player) {
    const seen = player ? this.visible(player) : this.graph.planets.map(() => true);
    const people = this.people();
    const planets = this.graph.planets.map(({ id, x, y, size, habitability, base }, p) => {
      const owner = ownerOf(people[p]);
      const known = { id, x, y, visible: true, owner, people: people[p], size, habitability, base };
      return seen[p] ? known : hidden(id, x, y);
    });
    const shuttles = this.shuttles().filter(([, destination]) => seen[this.index.get(destination)]);
    return { turn: this.turn, player: player || this.player, planets, edges: this.graph.edges, shuttles };
  }

  // The position becomes the one that a view shows: hidden planets are empty, and nothing else flies.
  suppose(view) {
    this.begin();
    const { status, people } = this.arrays.state;
    const { P, T } = this.sizes;
    status.view[this.columns.TURN] = view.turn;
    people.view.fill(0);
    view.planets.forEach((planet, p) => planet.people?.forEach((number, side) => (people.view[side * P + p] = number)));
    for (const [source, destination, player, number, turns] of view.shuttles) {
      this._putInFlight(0, player - 1, this.edge(source, destination), (view.turn + turns) % T, number);
    }
  }

  // The number of a directed edge, undefined where there is none.
  edge(source, destination) {
    return this._edge.get(`${source} ${destination}`);
  }

  // R8: whether the move was legal; it is carried out now, else nothing happens.
  send([source, destination, people]) {
    const edge = this.edge(source, destination);
    if (edge === undefined || people < 1 || people > this.engine.manifest.limits.people) return false;
    return Boolean(this._send(0, this.player - 1, edge, people));
  }

  // Moves of the player to move, as a bot makes them, are carried out.
  playBot(code) {
    this._playBot(0, this.player - 1, code);
  }

  // The moves of this turn so far: [source, destination, people], one for each directed edge that was used.
  launched() {
    this._listLaunched(0);
    const people = this.arrays.people.view;
    return this.edges.flatMap(({ source, destination }, e) => (people[e] ? [[source, destination, people[e]]] : []));
  }

  // R3, R10: the turn ends, time passes.
  endTurn() {
    this._endTurn(0);
  }
}

// The owner of a planet with so many people of player 1 and of player 2: 1, 2, or 0 for nobody (R5, R6).
export function ownerOf([first, second]) {
  return first > second ? 1 : second > first ? 2 : 0;
}

function hidden(id, x, y) {
  return { id, x, y, visible: false, owner: null, people: null, size: null, habitability: null, base: null };
}

// Both directions of every edge, in the order that numbers them everywhere.
function directedEdges(graph, index, turnsPerWeight) {
  const both = graph.edges.flatMap(({ a, b, weight }) => [[a, b, weight], [b, a, weight]]);
  const place = (edge) => index.get(edge[0]) * graph.planets.length + index.get(edge[1]);
  const sorted = both.sort((one, other) => place(one) - place(other));
  return sorted.map(([source, destination, weight]) => {
    return { source, destination, weight, turns: weight * turnsPerWeight };
  });
}

function compareShuttles(one, other) {
  const at = one.findIndex((number, i) => number !== other[i]);
  return at < 0 ? 0 : one[at] - other[at];
}
