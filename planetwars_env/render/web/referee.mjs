// The referee of a game in the page: it holds the true game, shows each player its view, takes moves, and lets bots and
// agents play. The same seed is the same game as in Python (`pw.play_match`).
//
// A session asks it, and hears of what happened, by messages. The server has the same ones for its games
// (planetwars_env/playing/session.py), so that a session does not know which of them it speaks to.
//
// Asked: play {turn, moves: [[source, destination, people], ...]}: the turn of the person to move; step {turn}: that
// turn, of a bot or strategy, which the page asks for by its clock; give up; take back: the only person's last turn
// never was, nor what followed; console {on}; replay {notes}: in the form of `Replay.to_dict`, once no person plays any
// more. Whatever is not possible throws an Error with a sentence for the user.
//
// Told: {kind: "game", id, setup, before, you, views, turns, moves, notes, status} as a game begins, and
// {kind: "turn", turn, notes, status, whole}, {kind: "status", notes, status, whole} or {kind: "notes", notes, status}.
//
//   setup      {graph, rules, players, here, names, seed, max_turns}: what no fog hides. A person among the players is
//              "you". here: for both players, whether a person at this page plays it; names: of both.
//   before     turns that were played before the game began; you: the person at this page (1, 2) in a shared game.
//   views      what the players here saw on the first turn, in the form of `View.to_dict`, by player; none once no
//              person plays: then ``moves`` has those of all turns.
//   turns      all turns so far. A turn is {player, moves, views}: who moved, as submitted (null where that is hidden),
//              and what the players here see on the turn that begins.
//   notes      what strategies told, turn by turn (TurnNotes in Python), as far as it may be shown.
//   status     {turn, player, over, winner, cut_off, gave_up, stopped}. gave_up: the person (1, 2) who did, else 0;
//              said: how the game stands, where the rules do not tell; fault, note: a line on a strategy's last fault,
//              and on players who are away or strategies that were edited; held: whether notes are held back from a
//              person; seconds: of both players' last turns.
//   whole      {graph, moves, notes} of a game that people have played, once it is over, else null.
import { Position } from "./engine.mjs";
import { checkFits, isMove, show } from "./graph.mjs";
import { makePlayer } from "./players.mjs";
import { checkedGame } from "./replay_file.mjs";

export const PERSON = "you";

export class Referee {
  // ``setup``: graph (data), rules (a name, or an object like the presets), players (two names), seed, max_turns (null:
  // the rules' own), moves of earlier turns, which are played again, who gave up after them (0: nobody, it was stopped;
  // null: it goes on), and before; ``agents``: as of makePlayer; ``tell``: hears messages.
  constructor(engine, setup, agents = {}, tell = (_message) => {}) {
    const { limits, rules: presets } = engine.manifest;
    const { rules: name = "PLANETWARS", seed = 0, gave_up = null, before = null } = Object(setup);
    const rules = Object.hasOwn(presets, name) ? presets[name] : name;
    if (typeof rules === "string") {
      throw new Error(`unknown rules ${show(rules)}: choose from ${Object.keys(presets).join(", ")}`);
    }
    const game = { max_turns: null, moves: [], ...Object(setup), rules };
    const { graph, players, moves, max_turns } = checkedGame(game, limits);
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new Error(`seed must be a whole number from 0 on, not ${show(seed)}`);
    }
    if (![null, 0, 1, 2].includes(gave_up)) throw new Error(`gave_up must be 1, 2, 0 or null, not ${show(gave_up)}`);
    checkFits(graph, rules, limits);
    const maxTurns = max_turns ?? rules.max_turns;
    const here = players.map((name) => name === PERSON);
    const called = (name) => (name === PERSON ? "human" : name);
    const names = here.every(Boolean) ? ["player 1", "player 2"] : players.map(called);
    this.setup = { graph, rules, players, here, names, seed, max_turns: maxTurns };
    this.key = null; // by which a server knows its game
    this.id = Math.random().toString(36);
    this._persons = [1, 2].filter((player) => here[player - 1]);
    this._game = { engine, graph, rules, maxTurns, agents };
    this._tell = tell;
    this._begin(moves);
    this._before = Number.isInteger(before) ? before : this._moves.length;
    if (gave_up !== null && !this.over) this._giveUp(gave_up);
  }

  // What the constructor takes, to go on from here.
  saved() {
    const { graph, rules, players, seed, max_turns } = this.setup;
    const gave_up = this._stopped ? this._gaveUp : null;
    const preset = this._game.engine.manifest.rules[rules.name] === rules;
    const game = { graph, rules: preset ? rules.name : rules, players, seed, max_turns, moves: this._moves, gave_up };
    return { ...game, before: this._before };
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
    this._first = this._views();
    this._turns = [];
    for (const turn of moves) {
      const { turn: last, player } = this._position;
      if (this.over) throw new Error(`the game is over on turn ${last}, but it has ${moves.length} turns of moves`);
      this._players[player - 1]?.moves(this._position.view(player));
      this._carryOut(turn);
    }
  }

  // What the persons see now.
  _views() {
    return Object.fromEntries(this._persons.map((player) => [player, this._position.view(player)]));
  }

  _carryOut(moves) {
    const { player } = this._position;
    this._moves.push(moves);
    for (const move of moves) this._position.send(move);
    this._position.endTurn();
    // A game that nobody plays may be seen as a whole.
    const known = !this._persons.length || this._persons.includes(player);
    const turn = { player, moves: known ? moves : null, views: this._views() };
    this._turns.push(turn);
    return turn;
  }

  get over() {
    return this._position.over || this._stopped;
  }

  // Whether the game waits for a person.
  get personToMove() {
    return !this.over && this._players[this._position.player - 1] === null;
  }

  // Whether everything may be seen: when no person plays any more.
  get _open() {
    return this.over || !this._persons.length;
  }

  status() {
    const { turn, player, winner, cutOff } = this._position;
    const ends = { winner: this._gaveUp ? 3 - this._gaveUp : winner, cut_off: cutOff, gave_up: this._gaveUp };
    return { turn, player, over: this.over, ...ends, stopped: this._stopped };
  }

  // The turn of the person to move.
  play(moves) {
    if (!this.personToMove) throw new Error("no person is to move");
    return this._carryOut(checkedMoves(moves));
  }

  // The turn of the bot or agent to move.
  advance() {
    const { player } = this._position;
    return this._carryOut(this._players[player - 1].moves(this._position.view(player)));
  }

  // ``loser``: the person who loses the game; 0: it is stopped.
  _giveUp(loser) {
    const persons = this._persons;
    if (loser ? !persons.includes(loser) : persons.length) throw new Error("only a person can give up");
    this._gaveUp = loser;
    this._stopped = true;
  }

  _takeBack() {
    if (this._persons.length !== 1) {
      throw new Error("a turn is taken back in games of one person against a strategy only");
    }
    const last = this._moves.findLastIndex((_, turn) => turn % 2 === this._persons[0] - 1);
    if (last < 0) throw new Error("there is no turn to take back");
    this._begin(this._moves.slice(0, last));
  }

  async replay() {
    if (!this._open) throw new Error("the game is not over, and its replay would show what the fog hides");
    const { graph, rules, seed, max_turns, names } = this.setup;
    const { turn: turns, winner, cut_off } = this.status();
    const position = newGame(this._game);
    const digests = [await digest(position)];
    for (const moves of this._moves) {
      for (const move of moves) position.send(move);
      position.endTurn();
      digests.push(await digest(position));
    }
    const { schema, version } = this._game.engine.manifest.replay;
    const ends = { winner, turns, cut_off, digests, ...(this._gaveUp ? { forfeit: [this._gaveUp, "gave up"] } : {}) };
    return { schema, package: version, graph, rules, players: names, seed, max_turns, moves: this._moves, ...ends };
  }

  // ---- messages ----

  // Tell of the game.
  begin() {
    const { id, _moves: moves, _first: views, _turns: turns } = this;
    const seen = this._open
      ? { views: {}, turns: [], moves: [...moves] }
      : { views, turns: [...turns], moves: null };
    const setup = { ...this.setup };
    const before = Math.min(this._before, moves.length);
    this._tell({ kind: "game", id, setup, before, you: 0, ...seen, notes: [], status: this.status() });
  }

  /** @param {{ do: string, moves?: any }} message @returns {Promise<any>} Its answer. */
  async ask({ do: what, moves }) {
    let turn;
    switch (what) {
      case "replay":
        return this.replay();
      case "take back":
        this._takeBack();
        return this.begin();
      case "play":
        turn = this.play(moves);
        break;
      case "step":
        if (!this.over && !this.personToMove) turn = this.advance();
        break;
      case "give up":
        if (this.over) throw new Error("the game is over");
        this._giveUp(this._persons.length === 2 ? this._position.player : (this._persons[0] ?? 0));
        break;
      case "console": // bots and agents here tell nothing
        break;
      default:
        throw new Error(`the page cannot do ${what}`);
    }
    const ended = this.over && this._persons.length > 0;
    const whole = ended ? { graph: this.setup.graph, moves: [...this._moves], notes: [] } : null;
    this._tell({ kind: turn ? "turn" : "status", turn, notes: [], status: this.status(), whole });
  }

  // The page plays another game; nothing goes on here by itself.
  close() {}
}

// The position on the first turn of a game, {engine, graph, rules, maxTurns}.
function newGame({ engine, graph, rules, maxTurns }) {
  const position = new Position(engine, graph, rules, maxTurns);
  position.endTurn();
  return position;
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

// A fingerprint of a position, as `position_digest` in Python makes it of its text.
async function digest(position) {
  const tuples = (rows) => `[${rows.map((row) => `(${row.join(", ")})`).join(", ")}]`;
  const { turn, over, winner } = position;
  const parts = [turn, over ? "True" : "False", winner, tuples(position.people()), tuples(position.shuttles())];
  const text = `(${parts.join(", ")})`;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes.subarray(0, 6), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
