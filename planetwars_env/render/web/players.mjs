// Players that run in the page: built-in bots, planner, and agents with a graph network. They see their views and
// nothing else.
import { Position } from "./engine.mjs";
import { show } from "./graph.mjs";
import { fromBase64 } from "./packing.mjs";

// A player of one game: ``moves(view)`` are its moves, [source, destination, people], in the order of directed edges.
// ``agents``: by name, as of `agent_data` in Python.
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
function agentTurn(position, { weights, fractions, sends, horizon, width, rounds }) {
  const { kernels, sizes, rules, engine } = position;
  const network = new Float32Array(fromBase64(weights).buffer);
  const degrees = position.graph.planets.map(({ id }) => position.edges.filter(({ source }) => source === id).length);
  const { PLANET_SLOTS, EDGE_SLOTS, DEGREE, FRACTION_COUNT, HORIZON, SENDS } = engine.manifest.columns;
  const codec = new BigInt64Array(engine.manifest.shapes["codec.sizes"][0]);
  codec[PLANET_SLOTS] = BigInt(sizes.P);
  codec[EDGE_SLOTS] = BigInt(sizes.E);
  codec[DEGREE] = BigInt(Math.max(1, ...degrees));
  codec[FRACTION_COUNT] = BigInt(fractions.length);
  codec[HORIZON] = BigInt(horizon);
  codec[SENDS] = BigInt(sends);
  const arrays = {
    ...position.arrays,
    codec: {
      sizes: kernels.array("int64", [codec.length], codec),
      fractions: kernels.array("float64", [fractions.length], fractions),
    },
    weights: kernels.array("float32", [network.length], network),
    actions: kernels.array("int32", [1, sends * sizes.P]),
    top: kernels.array("int32", [1]),
    arena: kernels.array("int8", [0]),
  };
  const numbers = [rules.turns_per_weight, width, rounds];
  const needed = kernels.bind("play_agent", arrays)(0, 0, ...numbers);
  const play = kernels.bind("play_agent", { ...arrays, arena: kernels.array("int8", [needed]) });
  return (player) => play(0, player - 1, ...numbers);
}
