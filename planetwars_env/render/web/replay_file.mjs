// Replays from files and addresses, checked before any of their numbers reaches the engine, as `Replay.from_dict` does.
import { GraphError, checkedGraph, show } from "./graph.mjs";
import { unzipped } from "./packing.mjs";

const MOST = { bytes: 64 * 2 ** 20, turns: 100_000, moves: 500_000, turnsPerWeight: 10, name: 200 };
const KINDS = {
  package: isText,
  graph: isPlain,
  rules: isPlain,
  players: Array.isArray,
  seed: Number.isInteger,
  max_turns: (value) => value === null || isFrom(1, value),
  moves: Array.isArray,
  winner: Number.isInteger,
  turns: Number.isInteger,
  cut_off: isFlag,
  digests: Array.isArray,
};
const RULES = {
  name: isText,
  coexistence: isFlag,
  turns_per_weight: Number.isInteger,
  max_turns: (value) => value === null || isFrom(1, value),
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
  const missing = Object.keys(KINDS).filter((key) => !Object.hasOwn(data, key));
  if (missing.length) throw new ReplayError(`the replay lacks ${missing.join(", ")}`);
  for (const [key, fits] of Object.entries(KINDS)) {
    if (!fits(data[key])) throw new ReplayError(`${key} cannot be ${show(data[key])}`);
  }
  const { rules, players, moves } = data;
  if (players.length !== 2) throw new ReplayError("players must be two names");
  const wrong = Object.keys(RULES).filter((key) => !Object.hasOwn(rules, key) || !RULES[key](rules[key]));
  if (wrong.length) throw new ReplayError(`the rules must be ${Object.keys(RULES).join(", ")}, not ${show(rules, 80)}`);
  if (rules.turns_per_weight < 1 || rules.turns_per_weight > MOST.turnsPerWeight) {
    throw new ReplayError(`turns_per_weight must be from 1 to ${MOST.turnsPerWeight}, not ${rules.turns_per_weight}`);
  }
  let graph;
  try {
    graph = checkedGraph(data.graph, limits);
  } catch (fault) {
    if (fault instanceof GraphError) throw new ReplayError(`graph: ${fault.message}`);
    throw fault;
  }
  for (const name of [...players, graph.name, rules.name]) {
    if (!isText(name) || name.length > MOST.name || /\p{Cc}/u.test(name)) {
      throw new ReplayError(`names must be printable and at most ${MOST.name} long, not ${show(name)}`);
    }
  }
  if (moves.length > MOST.turns)
    throw new ReplayError(`the game has ${moves.length} turns; at most ${MOST.turns} are allowed`);
  moves.forEach((turn, i) => {
    if (!Array.isArray(turn) || !turn.every(isMove)) {
      const right = "a list of [source, destination, people] in whole numbers";
      throw new ReplayError(`the moves of turn ${i + 1} must be ${right}`);
    }
  });
  if (moves.flat().length > MOST.moves) throw new ReplayError(`the game has more than ${MOST.moves} moves`);
  return { ...data, graph, forfeit: checkedForfeit(data.forfeit), console: checkedNotes(data.console ?? []) };
}

function checkedForfeit(forfeit = null) {
  if (forfeit === null) return null;
  if (!Array.isArray(forfeit) || forfeit.length !== 2 || ![0, 1, 2].includes(forfeit[0]) || !isText(forfeit[1])) {
    throw new ReplayError(`forfeit must be a player (1, 2; 0: both) and a reason, not ${show(forfeit)}`);
  }
  return forfeit;
}

// Notes of strategies (bots/notes.py, TurnNotes), as objects.
function checkedNotes(rows) {
  const kinds = [isNumber, isNumber, isTexts, isMarks, isText, isText, isNumber, isNumber];
  if (!Array.isArray(rows)) throw new ReplayError("console: the notes must be a list");
  return rows.map((row) => {
    if (!Array.isArray(row) || !kinds.every((fits, i) => fits(row[i]))) {
      const fields = "turn, player, said, marks, printed, fault, seconds, dropped";
      throw new ReplayError(`console: the notes of a turn must be ${fields}, not ${show(row, 80)}`);
    }
    const [turn, player, said, marks, printed, fault, seconds, dropped] = row;
    return { turn, player: player === 2 ? 2 : 1, said, marks, printed, fault, seconds, dropped };
  });
}

function isPlain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value) {
  return typeof value === "string";
}

function isFlag(value) {
  return typeof value === "boolean";
}

function isNumber(value) {
  return typeof value === "number";
}

function isTexts(value) {
  return Array.isArray(value) && value.every(isText);
}

function isMarks(value) {
  return Array.isArray(value) && value.every((mark) => Array.isArray(mark) && isNumber(mark[0]) && isText(mark[1]));
}

function isFrom(least, value) {
  return Number.isInteger(value) && value >= least && value < 2 ** 31 - 1;
}

function isMove(move) {
  return Array.isArray(move) && move.length === 3 && move.every(Number.isSafeInteger);
}
