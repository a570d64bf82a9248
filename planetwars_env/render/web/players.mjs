// Players that run in the page: built-in bots, planner, and agents with a graph network. They see their views and
// nothing else.
import { Position } from "./engine.mjs";
import { show } from "./graph.mjs";

// A player of one game: ``moves(view)`` are its moves, [source, destination, people], in the order of directed edges.
// ``agents``: by name {weights, fractions}, the bytes of weights.safetensors and a list of config.yaml.
export function makePlayer(name, { engine, graph, rules, maxTurns, agents = {} }, seed) {
  const { bots } = engine.manifest;
  if (!runsInPage(name, engine, agents)) {
    const known = [...Object.keys(bots), PLANNER, ...Object.keys(agents)].join(", ");
    throw new Error(`the page has no player ${show(name)}: choose from ${known}`);
  }
  const position = new Position(engine, graph, rules, maxTurns);
  position.seed(seed);
  const play = turnOf(name, position, agents);
  return {
    moves(view) {
      position.suppose(view);
      play(view.player);
      return position.launched();
    },
  };
}

// The function that carries out a turn of a player on its position.
function turnOf(name, position, agents) {
  const { bots } = position.engine.manifest;
  if (Object.hasOwn(bots, name)) return () => position.playBot(bots[name]);
  return isPlanner(name) ? plannerTurn(position, name) : agentTurn(position, agents[name]);
}

const PLANNER = "planner";

// Whether it is planner, with its usual budget or, as in planner:900, with another one.
function isPlanner(name) {
  return /^planner(:[1-9][0-9]{0,8})?$/.test(name);
}

export function runsInPage(name, { manifest }, agents) {
  return Object.hasOwn(manifest.bots, name) || Object.hasOwn(agents, name) || isPlanner(name);
}

// A function that carries out planner's turn on the position, and remembers what it has seen before.
function plannerTurn(position, name) {
  const { kernels, sizes, rules, engine } = position;
  const { budget, horizon, size, habitability } = engine.manifest.planner;
  const arrays = { ...position.arrays };
  for (const group of ["supposed", "known", "memory", "trial"]) {
    arrays[group] = kernels.group(group, sizes, "play_planner");
  }
  for (const notepad of ["plans", "own"]) {
    const shape = engine.manifest.shapes[notepad].map((length) => sizes[length] ?? length);
    arrays[notepad] = kernels.array("int32", shape);
  }
  const { SIZE, HABITABILITY } = position.columns;
  const land = arrays.known.planets.view;
  land.fill(size, SIZE * sizes.P, (SIZE + 1) * sizes.P);
  land.fill(habitability, HABITABILITY * sizes.P, (HABITABILITY + 1) * sizes.P);
  const play = kernels.bind("play_planner", arrays);
  const turns = Number(name.split(":")[1] ?? budget);
  return (player) => play(0, player - 1, turns, horizon * rules.turns_per_weight);
}

// A function that carries out an agent's turn on the position, as one kernel.
function agentTurn(position, { weights, fractions }) {
  const { kernels, sizes, rules, engine } = position;
  const network = readNetwork(weights, fractions.length, engine.manifest.network);
  const degrees = position.graph.planets.map(({ id }) => position.edges.filter(({ source }) => source === id).length);
  const { PLANET_SLOTS, EDGE_SLOTS, DEGREE, FRACTION_COUNT, HORIZON, SENDS } = engine.manifest.columns;
  const codec = new BigInt64Array(engine.manifest.shapes["codec.sizes"][0]);
  codec[PLANET_SLOTS] = BigInt(sizes.P);
  codec[EDGE_SLOTS] = BigInt(sizes.E);
  codec[DEGREE] = BigInt(Math.max(1, ...degrees));
  codec[FRACTION_COUNT] = BigInt(fractions.length);
  codec[HORIZON] = BigInt(network.horizon);
  codec[SENDS] = BigInt(network.sends);
  const arrays = {
    ...position.arrays,
    codec: {
      sizes: kernels.array("int64", [codec.length], codec),
      fractions: kernels.array("float64", [fractions.length], fractions),
    },
    weights: kernels.array("float32", [network.weights.length], network.weights),
    actions: kernels.array("int32", [1, network.sends * sizes.P]),
    top: kernels.array("int32", [1]),
    arena: kernels.array("int8", [0]),
  };
  const numbers = [rules.turns_per_weight, network.width, network.rounds];
  const needed = kernels.bind("play_agent", arrays)(0, 0, ...numbers);
  const play = kernels.bind("play_agent", { ...arrays, arena: kernels.array("int8", [needed]) });
  return (player) => play(0, player - 1, ...numbers);
}

// The network in the bytes of a weights.safetensors, its numbers in the order of `GraphNetwork` in Python.
function readNetwork(bytes, fractions, { lanes, edge_features, planet_features, features_per_turn }) {
  const tensors = readTensors(bytes);
  const width = tensors.get("head")?.shape[1];
  const features = tensors.get("embed.weight")?.shape[1];
  const horizon = (features - planet_features) / features_per_turn;
  let rounds = 0;
  while (tensors.has(`rounds.${rounds}.edge`)) rounds++;
  if (!width || width % lanes || !Number.isInteger(horizon) || horizon < 1 || tensors.has("logits.weight")) {
    throw new Error("the page plays agents with a graph network without a memory, which act turn by turn");
  }
  const weights = [];
  const add = (name, shape, turned = false) => {
    const found = tensors.get(name);
    if (String(found?.shape) !== String(shape)) {
      throw new Error(`${name} of the agent has the shape ${found?.shape}, not ${shape}`);
    }
    const [rows, columns] = shape;
    if (!turned) weights.push(...found.numbers);
    else for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) weights.push(found.numbers[r * columns + c]);
  };
  const ends = (prefix) => {
    add(`${prefix}ends.weight`, [2 * width, width], true);
    add(`${prefix}ends.bias`, [2 * width]);
    add(`${prefix}edge`, [edge_features, width]);
  };
  add("embed.weight", [width, features], true);
  add("embed.bias", [width]);
  for (let round = 0; round < rounds; round++) {
    ends(`rounds.${round}.`);
    add(`rounds.${round}.planet.weight`, [width, width], true);
    add(`rounds.${round}.planet.bias`, [width]);
    add(`rounds.${round}.messages.weight`, [width, 2 * width], true);
    add(`rounds.${round}.graph.weight`, [width, 2 * width], true);
  }
  ends("");
  const sends = tensors.get("wait.bias")?.shape[0];
  add("head", [sends * fractions, width]);
  add("wait.weight", [sends, width]);
  add("wait.bias", [sends]);
  return { weights, width, rounds, horizon, sends };
}

// The arrays of a safetensors file by name, {shape, numbers}.
function readTensors(bytes) {
  const damaged = new Error("the agent's weights.safetensors is damaged");
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begin = bytes.byteLength < 8 ? Infinity : 8 + Number(data.getBigUint64(0, true));
  if (begin > bytes.byteLength) throw damaged;
  let header;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, begin)));
  } catch {
    throw damaged;
  }
  const tensors = new Map();
  for (const [name, entry] of Object.entries(header ?? {})) {
    if (name === "__metadata__") continue;
    const [from, to] = entry?.data_offsets ?? [];
    const size = entry?.shape?.reduce?.((a, b) => a * b, 1);
    const fits = Number.isInteger(from) && from >= 0 && begin + to <= bytes.byteLength && to - from === 4 * size;
    if (entry?.dtype !== "F32" || !fits) throw damaged;
    const numbers = Array.from({ length: size }, (_, i) => data.getFloat32(begin + from + 4 * i, true));
    if (!numbers.every(Number.isFinite)) throw damaged;
    tensors.set(name, { shape: entry.shape, numbers });
  }
  return tensors;
}
