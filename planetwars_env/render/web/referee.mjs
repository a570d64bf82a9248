// The referee of a game in the page: it holds the true game, shows each player its view, takes moves, and lets bots and
// agents play. The same seed is the same game as in Python (`pw.play_match`).
//
// A session needs these members only, and awaits what they return. The referee of a game at the server has the same
// (remote_referee.mjs).
//
//   setup      {graph, rules, players, seed, max_turns}: what no fog hides. A person among the players is "you".
//              here: for both players, whether a person at this page plays it; names: of both.
//   status()   {turn, player, over, winner, cut_off, gave_up, stopped, viewers}. gave_up: the person (1, 2) who did,
//              else 0; viewers: whose views may be asked for, the persons; all and 0 once no person plays any more.
//              said: how the game stands, where the rules do not tell; fault, note: a line on a strategy's last fault,
//              and on players who are away or strategies that were edited; held: whether notes are held back from a
//              person; seconds: of both players' last turns.
//   notes      what strategies told, turn by turn (TurnNotes in Python), as far as it may be shown.
//   view(n)    what player n sees, in the form of `View.to_dict`; 0: everything.
//   play(moves)  the turn of the person to move: [[source, destination, people], ...] are carried out in order, and the
//              turn ends. The account of the turn.
//   advance()  the turn of the bot or agent to move. The account of the turn.
//   accounts(viewers)  of all turns so far; by default for all viewers.
//   account(turn)  of one of them.
//   giveUp(n)  person n loses the game; 0: a game that nobody plays is stopped.
//   takeBack() the only person's last turn, and what followed, never were.
//   replay(names)  the game in the form of `Replay.to_dict`, once no person plays any more.
//
// The account of a turn is {player, views}: who moved, and for each viewer {view, moves, accepted, before, now}. view:
// as the turn began; moves: as they were submitted, and accepted: which of them were legal, both null where it is not
// the viewer's turn; before: the viewer's view with its moves carried out; now: of the turn that begins.
//
// Whatever is not possible throws an Error with a sentence for the user.
import { Position } from "./engine.mjs";
import { areRules, checkFits, checkedGraph, isMove, show } from "./graph.mjs";
import { makePlayer } from "./players.mjs";

export const PERSON = "you";

export class Referee {
  // ``setup``: graph (data), rules (a name, or an object like the presets), players (two names), seed, max_turns (null:
  // the rules' own), moves of earlier turns, which are played again, and who gave up after them (0: nobody, it was
  // stopped; null: it goes on); ``agents``: as of makePlayer.
  constructor(engine, setup, agents = {}) {
    const { graph, rules = "PLANETWARS", players, seed = 0, max_turns = null, moves = [] } = Object(setup);
    const { gave_up = null } = Object(setup);
    const { limits, rules: presets } = engine.manifest;
    const chosen = Object.hasOwn(presets, rules) ? presets[rules] : checkedRules(rules, presets, limits);
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new Error(`seed must be a whole number from 0 on, not ${show(seed)}`);
    }
    if (max_turns !== null && !(Number.isInteger(max_turns) && max_turns >= 1 && max_turns <= limits.MAX_TURNS)) {
      throw new Error(`max_turns must be a number of turns from 1 to ${limits.MAX_TURNS}, not ${show(max_turns)}`);
    }
    if (!Array.isArray(players) || players.length !== 2) throw new Error("players must be 2 names");
    if (![null, 0, 1, 2].includes(gave_up)) throw new Error(`gave_up must be 1, 2, 0 or null, not ${show(gave_up)}`);
    const checked = checkedGraph(graph, limits);
    checkFits(checked, chosen, limits);
    const maxTurns = max_turns ?? chosen.max_turns;
    const here = players.map((name) => name === PERSON);
    const called = (name) => (name === PERSON ? "human" : name);
    const names = here.every(Boolean) ? ["player 1", "player 2"] : players.map(called);
    this.setup = { graph: checked, rules: chosen, players: [...players], here, names, seed, max_turns: maxTurns };
    this.notes = [];
    this._game = { engine, graph: checked, rules: chosen, maxTurns, agents };
    this._begin(checkedTurns(moves));
    if (gave_up !== null && !this.over) this.giveUp(gave_up);
  }

  // What the constructor takes, to go on from here.
  saved() {
    const { graph, rules, players, seed, max_turns } = this.setup;
    const gave_up = this._stopped ? this._gaveUp : null;
    const preset = this._game.engine.manifest.rules[rules.name] === rules;
    return { graph, rules: preset ? rules.name : rules, players, seed, max_turns, moves: this._moves, gave_up };
  }

  // The game from its start, with the moves of earlier turns. Players are shown what they saw then, and their answers
  // are dropped, so that the same seed is the same game.
  _begin(moves) {
    this._position = newGame(this._game);
    this._moves = [];
    this._gaveUp = 0;
    this._stopped = false;
    const { players, seed } = this.setup;
    this._players = players.map((name, side) => (name === PERSON ? null : makePlayer(name, this._game, seed + side)));
    for (const turn of moves) {
      const { turn: last, player } = this._position;
      if (this.over) throw new Error(`the game is over on turn ${last}, but it has ${moves.length} turns of moves`);
      this._players[player - 1]?.moves(this._position.view(player));
      this._carryOut(turn);
    }
  }

  get over() {
    return this._position.over || this._stopped;
  }

  // Whether the game waits for a person.
  get personToMove() {
    return !this.over && this._players[this._position.player - 1] === null;
  }

  status() {
    const { turn, player, winner, cutOff } = this._position;
    const ends = { winner: this._gaveUp ? 3 - this._gaveUp : winner, cut_off: cutOff, gave_up: this._gaveUp };
    return { turn, player, over: this.over, ...ends, stopped: this._stopped, viewers: this._viewers() };
  }

  // Whose views may be shown: all once no person plays any more.
  _viewers() {
    const persons = [1, 2].filter((player) => this._players[player - 1] === null);
    return this.over || !persons.length ? [0, 1, 2] : persons;
  }

  view(player) {
    if (![0, 1, 2].includes(player)) throw new Error(`a view is of player 1 or 2, or 0 for all, not ${show(player)}`);
    if (!this._viewers().includes(player)) {
      throw new Error("the game is not over, and this view would show what the fog hides");
    }
    return this._position.view(player);
  }

  play(moves) {
    if (!this.personToMove) throw new Error("no person is to move");
    return this._carryOut(checkedMoves(moves));
  }

  advance() {
    if (this.over) throw new Error(`the game is over since turn ${this._position.turn}`);
    if (this.personToMove) throw new Error("a person is to move");
    const { player } = this._position;
    return this._carryOut(this._players[player - 1].moves(this._position.view(player)));
  }

  accounts(viewers = this._viewers()) {
    return accountsOf(this._game, this._moves, viewers);
  }

  account(turn) {
    return accountOf(this._game, this._moves, turn, this._viewers());
  }

  giveUp(player) {
    if (this.over) throw new Error("the game is over");
    const persons = this._players.map((one) => one === null);
    if (player ? !persons[player - 1] : persons.includes(true)) throw new Error("only a person can give up");
    this._gaveUp = player;
    this._stopped = true;
  }

  takeBack() {
    const side = this._players.indexOf(null);
    if (side < 0 || side !== this._players.lastIndexOf(null)) {
      throw new Error("a turn is taken back in games of one person against a strategy only");
    }
    const last = this._moves.findLastIndex((_, turn) => turn % 2 === side);
    if (last < 0) throw new Error("there is no turn to take back");
    this._begin(this._moves.slice(0, last));
  }

  async replay(names = this.setup.players) {
    if (!this._viewers().includes(0)) {
      throw new Error("the game is not over, and its replay would show what the fog hides");
    }
    const { graph, rules, seed, max_turns } = this.setup;
    const { turn: turns, winner, cut_off } = this.status();
    const position = newGame(this._game);
    const digests = [await digest(position)];
    for (const moves of this._moves) {
      playTurn(position, moves, []);
      digests.push(await digest(position));
    }
    const { schema, version } = this._game.engine.manifest.replay;
    const ends = { winner, turns, cut_off, digests, ...(this._gaveUp ? { forfeit: [this._gaveUp, "gave up"] } : {}) };
    return { schema, package: version, graph, rules, players: names, seed, max_turns, moves: this._moves, ...ends };
  }

  _carryOut(moves) {
    this._moves.push(moves);
    return playTurn(this._position, moves, this._viewers());
  }
}

// The position on the first turn of a game, {engine, graph, rules, maxTurns}.
export function newGame({ engine, graph, rules, maxTurns }) {
  const position = new Position(engine, graph, rules, maxTurns);
  position.endTurn();
  return position;
}

// The accounts of a game's turns, for these viewers.
export function accountsOf(game, moves, viewers) {
  const position = newGame(game);
  return moves.map((turn) => playTurn(position, turn, viewers));
}

export function accountOf(game, moves, turn, viewers) {
  const position = newGame(game);
  for (const earlier of moves.slice(0, turn - 1)) playTurn(position, earlier, []);
  return playTurn(position, moves[turn - 1], viewers);
}

// Carry out the moves, end the turn, and return its account.
export function playTurn(position, moves, viewers) {
  const { player } = position;
  const isOwn = (viewer) => viewer === 0 || viewer === player;
  const views = Object.fromEntries(viewers.map((viewer) => [viewer, { view: position.view(viewer) }]));
  const accepted = moves.map((move) => position.send(move));
  for (const viewer of viewers) {
    const account = views[viewer];
    Object.assign(account, isOwn(viewer) ? { moves, accepted } : { moves: null, accepted: null });
    account.before = isOwn(viewer) ? position.view(viewer) : account.view;
  }
  position.endTurn();
  for (const viewer of viewers) views[viewer].now = position.view(viewer);
  return { player, views };
}

function checkedRules(rules, presets, limits) {
  const known = Object.keys(presets).join(", ");
  if (!areRules(rules, limits)) throw new Error(`unknown rules ${show(rules)}: choose from ${known}`);
  const { name, coexistence, turns_per_weight, max_turns } = rules;
  return { name, coexistence, turns_per_weight, max_turns };
}

/** @returns {any[]} The moves of one turn, three whole numbers each. */
export function checkedMoves(moves) {
  if (!Array.isArray(moves)) throw new Error(`the moves must be a list, not ${show(moves)}`);
  const wrong = moves.find((move) => !isMove(move));
  if (wrong !== undefined) {
    throw new Error(`a move is (source, destination, people) in whole numbers, not ${show(wrong)}`);
  }
  return moves.map((move) => [...move]);
}

function checkedTurns(turns) {
  if (!Array.isArray(turns)) throw new Error(`the moves of a game must be a list of turns, not ${show(turns)}`);
  return turns.map(checkedMoves);
}

// A fingerprint of a position, as `position_digest` in Python makes it of its text.
async function digest(position) {
  const tuples = (rows) => `[${rows.map((row) => `(${row.join(", ")})`).join(", ")}]`;
  const { turn, over, winner } = position;
  const parts = [turn, over ? "True" : "False", winner, tuples(position.people()), tuples(position.shuttles())];
  const text = `(${parts.join(", ")})`;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes.subarray(0, 6), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
