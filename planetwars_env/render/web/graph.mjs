// Graphs, checked before any of their numbers reaches the engine (R1), with the sentences of planetwars_env/graphs.

const FIELDS = { planet: ["id", "habitability", "size", "x", "y", "base"], edge: ["a", "b", "weight"] };
const OPTIONAL = ["x", "y", "base"];
const MOST_BYTES = 64 * 2 ** 20;

// ``subject``: planet, edge or graph; ``position``: of the planet or edge in its list.
export class GraphError extends Error {
  constructor(text, subject = "graph", position = 0) {
    super(text);
    this.subject = subject;
    this.position = position;
  }
}

// The graph {name, planets, edges} of plain data, sorted as the engine numbers it; GraphError for one that breaks R1.
// ``limits``: those of the manifest; ``name``: where the data has none.
export function checkedGraph(data, limits, name = data?.name ?? "") {
  const [places, pairs] = [rows(data, "planets"), rows(data, "edges")];
  const planets = places.map((row, i) => checkedPlanet(fieldsOf("planet", i, row), i, limits));
  checkTogether(planets, limits);
  const known = new Set(planets.map(({ id }) => id));
  const edges = new Map();
  pairs.forEach((row, i) => {
    const edge = checkedEdge(fieldsOf("edge", i, row), i, known, limits);
    if (edges.has(`${edge.a} ${edge.b}`)) {
      const fault = `edge ${edge.a} -- ${edge.b} is defined twice; at most one edge joins two planets`;
      throw new GraphError(fault, "edge", i);
    }
    edges.set(`${edge.a} ${edge.b}`, edge);
  });
  planets.sort((one, other) => one.id - other.id);
  const ways = [...edges.values()].sort((one, other) => one.a - other.a || one.b - other.b);
  return { name: String(name), planets, edges: ways };
}

// GraphError for a graph that the page cannot hold: people beyond the 32 bits of a number, or too many shuttles.
export function checkFits(graph, rules, limits) {
  const flight = rules.turns_per_weight * Math.max(1, ...graph.edges.map(({ weight }) => weight));
  const total = graph.planets.reduce((sum, { size }) => sum + size, 0);
  const instead = "play this graph with the program (planetwars play --terminal)";
  if (flight * total > limits.flight_by_size) {
    const [found, most] = [total, Math.floor(limits.flight_by_size / flight)].map(withCommas);
    const bound = `with flights of ${flight} turns the page counts at most ${most}`;
    throw new GraphError(`the sizes of all planets add up to ${found}; ${bound}: ${instead}`);
  }
  const bytes = 8 * flight * (graph.edges.length + graph.planets.length);
  if (bytes > MOST_BYTES) {
    const [found, most] = [bytes, MOST_BYTES].map((number) => withCommas(Math.ceil(number / 2 ** 20)));
    throw new GraphError(`its game needs ${found} MiB of memory; the page has ${most}: ${instead}`);
  }
}

// Whether this may be a set of rules.
export function areRules(rules, { MAX_TURNS, MAX_WEIGHT }) {
  const { name, coexistence, turns_per_weight, max_turns } = Object(rules);
  const isUpTo = (most, value) => Number.isInteger(value) && value >= 1 && value <= most;
  const isLast = max_turns === null || isUpTo(MAX_TURNS, max_turns);
  const isWhole = Object.keys(Object(rules)).length === 4 && typeof name === "string";
  return isWhole && typeof coexistence === "boolean" && isUpTo(MAX_WEIGHT, turns_per_weight) && isLast;
}

export function isMove(move) {
  return Array.isArray(move) && move.length === 3 && move.every(Number.isSafeInteger);
}

export function withCommas(number) {
  return number.toLocaleString("en-US");
}

function rows(data, key) {
  const found = isPlain(data) ? data[key] : null;
  if (!Array.isArray(found)) throw new GraphError(`a graph's dict needs a list under '${key}', not ${show(found)}`);
  return found;
}

function fieldsOf(subject, position, row) {
  const refuse = (fault) => {
    throw new GraphError(`${subject} number ${position + 1} ${fault}`, subject, position);
  };
  const known = FIELDS[subject];
  const needed = known.filter((field) => !OPTIONAL.includes(field));
  if (!isPlain(row)) refuse(`must be a dict with ${known.join(", ")}, not ${show(row)}`);
  for (const key of Object.keys(row)) {
    if (!known.includes(key)) refuse(`has an unknown key ${show(key)}; known: ${known.join(", ")}`);
  }
  for (const key of needed) {
    if (!Object.hasOwn(row, key)) refuse(`has no '${key}'; needed: ${needed.join(", ")}`);
  }
  return row;
}

function checkedPlanet({ id, habitability, size, x = 0, y = 0, base = 0 }, position, limits) {
  const refuse = (what, value, right) => {
    throw new GraphError(`planet ${show(id)}: ${what} is ${show(value)}; ${right}`, "planet", position);
  };
  whole(id, "the id", 0, limits.MAX_ID, refuse);
  whole(habitability, "habitability", 0, limits.MAX_HABITABILITY, refuse);
  whole(size, "size", 1, limits.MAX_TOTAL_SIZE, refuse);
  for (const [name, value] of Object.entries({ x, y })) {
    if (!Number.isFinite(value)) refuse(name, value, "it must be a finite number");
  }
  whole(base, "base", 0, 2, refuse);
  return { id, habitability, size, x, y, base };
}

function checkTogether(planets, limits) {
  const { MIN_PLANETS, MAX_PLANETS, MAX_TOTAL_SIZE } = limits;
  if (planets.length < MIN_PLANETS || planets.length > MAX_PLANETS) {
    throw new GraphError(`the graph has ${planets.length} planets; ${MIN_PLANETS} to ${MAX_PLANETS} are allowed`);
  }
  const seen = new Set();
  const bases = new Map();
  planets.forEach(({ id, base }, i) => {
    if (seen.has(id)) throw new GraphError(`planet ${id} is defined twice; every id must be unique`, "planet", i);
    seen.add(id);
    if (bases.has(base)) {
      const fault = `planet ${id}: player ${base} already has its base on planet ${bases.get(base)}`;
      throw new GraphError(`${fault}; each player has exactly one`, "planet", i);
    }
    if (base) bases.set(base, id);
  });
  for (const player of [1, 2]) {
    const right = `exactly one planet needs base = ${player}`;
    if (!bases.has(player)) throw new GraphError(`player ${player} has no base; ${right}`);
  }
  const total = planets.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_TOTAL_SIZE) {
    const [found, most] = [total, MAX_TOTAL_SIZE].map(withCommas);
    throw new GraphError(`the sizes of all planets add up to ${found}; at most ${most} is allowed`);
  }
}

function checkedEdge({ a, b, weight }, position, known, limits) {
  const fail = (fault) => {
    throw new GraphError(fault, "edge", position);
  };
  const refuse = (what, value, right) => fail(`edge ${show(a)} -- ${show(b)}: ${what} is ${show(value)}; ${right}`);
  for (const end of [a, b]) whole(end, "one end", 0, limits.MAX_ID, refuse);
  for (const end of [a, b]) {
    if (!known.has(end)) fail(`edge ${a} -- ${b}: there is no planet ${end}; define it first`);
  }
  if (a === b) fail(`edge ${a} -- ${b} joins a planet to itself; it needs two different ends`);
  whole(weight, "weight", 1, limits.MAX_WEIGHT, refuse);
  return a < b ? { a, b, weight } : { a: b, b: a, weight };
}

function whole(value, what, low, high, refuse) {
  if (!Number.isInteger(value) || value < low || value > high) {
    refuse(what, value, `it must be a whole number from ${low} to ${high}`);
  }
}

export function isPlain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// A short text of any value of JSON.
export function show(value, longest = 40) {
  const text = JSON.stringify(value ?? null);
  return text.length <= longest ? text : `${text.slice(0, longest)}...`;
}
