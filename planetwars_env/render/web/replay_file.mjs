// Replays from files and addresses, checked before any of their numbers reaches the engine, as `Replay.from_dict` does.
import { GraphError, areRules, checkedGraph, isMove, isPlain, show } from "./graph.mjs";
import { unzipped } from "./packing.mjs";

const MOST = { bytes: 64 * 2 ** 20, turns: 100_000, moves: 500_000, turnsPerWeight: 10, name: 200 };
const GAME = ["graph", "rules", "players", "max_turns", "moves"];
const isText = (value) => typeof value === "string";
const isNumber = (value) => typeof value === "number";
const isTexts = (value) => Array.isArray(value) && value.every(isText);
const isMark = (mark) => Array.isArray(mark) && isNumber(mark[0]) && isText(mark[1]);
const isMarks = (value) => Array.isArray(value) && value.every(isMark);
/** @type {Record<string, [(value: any) => boolean, string]>} What a replay has besides its game, and must be. */
const RESULT = {
  package: [isText, "a text"],
  seed: [Number.isInteger, "a whole number"],
  winner: [(value) => [0, 1, 2].includes(value), "1, 2 or 0"],
  turns: [Number.isInteger, "a whole number"],
  cut_off: [(value) => typeof value === "boolean", "true or false"],
  digests: [Array.isArray, "a list"],
};
// Of strategies (bots/notes.py, TurnNotes).
const NOTES = {
  turn: isNumber,
  player: isNumber,
  said: isTexts,
  marks: isMarks,
  printed: isText,
  fault: isText,
  seconds: isNumber,
  dropped: isNumber,
};

export class ReplayError extends Error {}

// The replay in the bytes of a file, compressed or not, checked.
export async function readReplay(bytes, manifest) {
  if (bytes.length > MOST.bytes) throw new ReplayError(`a replay has at most ${MOST.bytes / 2 ** 20} MiB`);
  let data;
  try {
    data = JSON.parse(new TextDecoder().decode(await unzipped(bytes)));
  } catch {
    throw new ReplayError("the file holds no replay: a replay is a .json or .json.gz file that planetwars saved");
  }
  return checkedReplay(data, manifest);
}

// The replay with its graph as the engine numbers it; ReplayError says what is missing or wrong.
export function checkedReplay(data, { limits, replay: { schema } }) {
  if (!isPlain(data) || data.schema !== schema) {
    const right = `"schema" must be ${schema}`;
    throw new ReplayError(`this is not a replay of this version of planetwars-env: ${right}`);
  }
  const missing = [...GAME, ...Object.keys(RESULT)].filter((key) => !Object.hasOwn(data, key));
  if (missing.length) throw new ReplayError(`the replay lacks ${missing.join(", ")}`);
  for (const [key, [fits, right]] of Object.entries(RESULT)) {
    if (!fits(data[key])) throw new ReplayError(`${key} must be ${right}, not ${show(data[key])}`);
  }
  const game = checkedGame(data, limits);
  const { rules, players, moves, graph } = game;
  const { turns_per_weight: slow } = rules;
  if (slow > MOST.turnsPerWeight) {
    throw new ReplayError(`turns_per_weight must be from 1 to ${MOST.turnsPerWeight}, not ${slow}`);
  }
  for (const name of [...players, graph.name, rules.name]) {
    if (name.length > MOST.name || /\p{Cc}/u.test(name)) {
      throw new ReplayError(`names must be printable and at most ${MOST.name} long, not ${show(name)}`);
    }
  }
  if (moves.length > MOST.turns)
    throw new ReplayError(`the game has ${moves.length} turns; at most ${MOST.turns} are allowed`);
  if (moves.flat().length > MOST.moves) throw new ReplayError(`the game has more than ${MOST.moves} moves`);
  return { ...data, ...game, forfeit: checkedForfeit(data.forfeit), console: checkedNotes(data.console ?? []) };
}

// What every game has, whether it goes on or is over: its graph as the engine numbers it, and its moves of every turn.
export function checkedGame({ graph: data, rules, players, max_turns, moves }, limits) {
  if (!areRules(rules, limits)) {
    const right = "name, coexistence, turns_per_weight, max_turns";
    throw new ReplayError(`the rules must be ${right}, not ${show(rules, 80)}`);
  }
  if (!isTexts(players) || players.length !== 2) throw new ReplayError("players must be two names");
  const last = limits.MAX_TURNS;
  if (max_turns !== null && !(Number.isInteger(max_turns) && max_turns >= 1 && max_turns <= last)) {
    throw new ReplayError(`max_turns must be a number of turns from 1 to ${last}, not ${show(max_turns)}`);
  }
  let graph;
  try {
    graph = checkedGraph(data, limits);
  } catch (fault) {
    if (fault instanceof GraphError) throw new ReplayError(`graph: ${fault.message}`);
    throw fault;
  }
  if (!Array.isArray(moves)) throw new ReplayError(`moves must be a list of turns, not ${show(moves)}`);
  const wrong = moves.findIndex((turn) => !Array.isArray(turn) || !turn.every(isMove));
  if (wrong >= 0) {
    const right = "a list of [source, destination, people] in whole numbers";
    throw new ReplayError(`the moves of turn ${wrong + 1} must be ${right}`);
  }
  return { graph, rules, players, max_turns, moves };
}

function checkedForfeit(forfeit = null) {
  if (forfeit === null) return null;
  if (!Array.isArray(forfeit) || forfeit.length !== 2 || ![0, 1, 2].includes(forfeit[0]) || !isText(forfeit[1])) {
    throw new ReplayError(`forfeit must be a player (1, 2; 0: both) and a reason, not ${show(forfeit)}`);
  }
  return forfeit;
}

// As objects.
function checkedNotes(rows) {
  if (!Array.isArray(rows)) throw new ReplayError("console: the notes must be a list");
  const fields = Object.entries(NOTES);
  return rows.map((row) => {
    if (!Array.isArray(row) || !fields.every(([, fits], i) => fits(row[i]))) {
      const right = Object.keys(NOTES).join(", ");
      throw new ReplayError(`console: the notes of a turn must be ${right}, not ${show(row, 80)}`);
    }
    const notes = Object.fromEntries(fields.map(([name], i) => [name, row[i]]));
    return { ...notes, player: notes.player === 2 ? 2 : 1 };
  });
}
