// The connection of the play page to its game: a session in the page, and a referee, in the page too where all players
// run there, else at the server. Both answer the messages that the page sends.
//
// What the page sends is an object with "do": order, keep sending {turn, moves}; stop sending, undo {turn, order}; to
// the front {turn, on}; end, ready {turn}; give up; take back; pause {on}; step; speed {turns}; viewer {viewer};
// console {on}; new {players, graph (its name, or the graph), rules, seed, max_turns, start}. What it is told has a
// "kind": game, state, error.
import { aheadOf } from "./chance.mjs";
import { Engine, ownerOf } from "./engine.mjs";
import { keep, kept } from "./kept_game.mjs";
import { layOut } from "./layout.mjs";
import { unpacked } from "./packing.mjs";
import { runsInPage } from "./players.mjs";
import { Player } from "./recorded_game.mjs";
import { PERSON, Referee } from "./referee.mjs";
import { RemoteReferee, Server } from "./remote_referee.mjs";
import { Session } from "./session.mjs";
import { nextSteps } from "./ways.mjs";

const AT_SERVER = ["pause", "step", "speed", "console"];
// For the input of moves.
export const shortestWays = nextSteps;
export const ownerOfPeople = ownerOf;
const INSTALL = "needs the program: pip install planetwars-env, then planetwars play";

export class Connection {
  // ``onMessage``: called with every message, ``onError`` with a sentence; ``data``: of the page (playing/pages.py),
  // with what it plays on in ``local``: {graphs, turn_limits, agents}, files in base64; ``engine``: {wasm, manifest},
  // the module packed; ``ask``: asks the server for anything else.
  constructor(onMessage, onError, data, engine, ask) {
    this._onMessage = onMessage;
    this._onError = onError;
    this._ask = ask;
    this._data = data;
    this._local = data.local;
    this._packed = engine;
    this._player = null;
    this._clock = { paused: false, speed: data.first.speed };
    this._timer = null;
    this._server = null; // and its RemoteReferee, where the game is at the server
    this._remote = null;
    // Messages are handled one by one.
    this._last = this._load(engine).catch((fault) => onError(fault.message));
  }

  send(message) {
    this._next(() => this._handle(message));
  }

  _next(action) {
    this._last = this._last.then(action).catch((fault) => this._onMessage({ kind: "error", text: fault.message }));
  }

  async _load({ wasm, manifest }) {
    this._engine = await Engine.load(await unpacked(wasm), manifest);
    this._agents = this._local.agents;
    const { first } = this._data;
    const game = first.shared ? null : kept();
    if (game?.session) return this._join(game.session);
    let fault = "";
    try {
      if (game) return await this._goOn(game);
    } catch ({ message }) {
      fault = `The game in the address cannot go on: ${message}`;
    }
    if (first.game) await this._goOn(first.game);
    else this._join("");
    if (fault) this._onError(fault);
  }

  // ---- games in the page ----

  // ``game``: what a Referee takes, or the name of a graph of the page in place of the graph; and what else `_keep`
  // keeps of a game.
  async _goOn({ own, clock, before, search: _search, hashes: _hashes, ...game }) {
    const { graph: name } = game;
    const named = Object.hasOwn(this._local.graphs, name);
    const setup = named ? { ...game, graph: { name, ...this._local.graphs[name] } } : game;
    const referee = new Referee(this._engine, setup, this._agents);
    const session = await Session.open(this._engine, referee, this._agents, own);
    this._leave();
    this._session = session;
    this._named = named ? name : null;
    this._tellGame(before ?? setup.moves?.length ?? 0);
    const { paused, speed } = clock ?? {};
    this._clock = { paused: Boolean(paused), speed: Number.isInteger(speed) && speed > 0 ? speed : this._clock.speed };
    await this._show();
  }

  _tellGame(before, you = 0) {
    const { names, setup } = this._session;
    const { name, coexistence, turns_per_weight } = setup.rules;
    const { players, max_turns } = setup;
    const rules = { rules: name, coexistence, turns_per_weight, max_turns };
    this._onMessage({ kind: "game", graph: layOut(setup.graph), players, names, ...rules, start: 1 + before, you });
    this._before = before;
  }

  // ---- games at the server ----

  _join(key) {
    this._leave();
    const hear = (message) => server === this._server && this._hear(message);
    const server = new Server(key, this._data.token ?? "", hear, (text) => this._onError(text));
    this._server = server;
  }

  _leave() {
    this._server?.ask({ do: "leave" }).catch(() => {});
    this._server?.close();
    this._server = this._remote = null;
    this._gameId = "";
  }

  _hear(message) {
    if (message.kind === "error") this._onMessage(message);
    else if (message.kind !== "game") {
      this._remote.hear(message);
      this._next(() => this._catchUp());
    } else if (this._remote?.takingBack) this._remote.restart(message);
    else {
      const remote = new RemoteReferee(this._engine, this._server, message);
      this._remote = remote;
      this._next(() => this._sit(message, remote));
    }
  }

  // The page takes its seat in a game at the server, with what it had there before.
  async _sit({ session: key, id, before, you }, referee) {
    if (referee !== this._remote) return;
    const had = this._gameId === id ? this._session.own() : kept()?.id === id ? kept().own : null;
    this._session = await Session.open(this._engine, referee, this._agents, had);
    this._gameId = id;
    this._key = key;
    this._tellGame(before, you);
    await this._catchUp();
  }

  // Turns that were played at the server, one after the other.
  async _catchUp() {
    const referee = this._remote;
    if (!referee || referee !== this._session?.referee) return;
    while (referee.pending) await this._session.advance();
    await this._session.refresh();
    await this._show();
  }

  // ---- messages ----

  async _handle(message) {
    const { turn } = message;
    if (!this._session && message.do !== "new") throw new Error("there is no game yet");
    if (turn !== undefined) this._checkTurn(message);
    if (this._server && AT_SERVER.includes(message.do)) return this._server.ask(message);
    const s = this._session;
    const actions = {
      new: () => this._new(message),
      order: () => s.order(message.moves),
      "keep sending": () => s.order(message.moves, true),
      "stop sending": () => s.stopSending(message.order),
      undo: () => s.undo(message.order),
      "to the front": () => s.sendToFront(message.on),
      end: () => s.endTurn(),
      ready: () => s.ready(),
      "give up": () => s.giveUp(),
      "take back": () => this._takeBack(),
      pause: () => (this._clock.paused = message.on),
      step: () => (s.status.over || s.personToMove ? null : s.advance()),
      speed: () => (this._clock.speed = message.turns),
      viewer: () => (s.chosenViewer = message.viewer),
      console: () => {},
    };
    if (!Object.hasOwn(actions, message.do)) throw new Error(`the page cannot do ${message.do}`);
    await actions[message.do]();
    if (this._session) await this._show();
  }

  // A page that shows an older turn, or waits for the handover, cannot mean this one.
  _checkTurn(message) {
    const { status, names, handover } = this._session;
    if (message.turn !== status.turn) throw new Error(`this is turn ${status.turn}, not ${message.turn}`);
    if (handover && message.do !== "ready") throw new Error(`${names[handover - 1]} has not yet taken over`);
  }

  // The forecast of a move (session.mjs).
  aim(move) {
    return this._session.aim(move);
  }

  // An earlier turn, as the viewer sees it.
  async past(turn) {
    const { viewer } = this._session;
    return { turn, viewer, state: await this._session.past(turn, viewer) };
  }

  async _takeBack() {
    await this._session.takeBack();
    this._clock.paused = false;
    this._tellGame(Math.min(this._before, this._session.status.turn - 1), 0);
  }

  // The moves of another player in place of the person to move, and what they lead to (session.mjs).
  hint(by) {
    const moves = this._session.hint(by);
    return { moves, foreseen: this._session.foresee(moves) };
  }

  // A new game: in the page if all players run here, else the server begins it.
  async _new({ do: _do, ...asked }) {
    const { graphs, turn_limits } = this._local;
    const { players, graph, rules, seed, max_turns, start } = asked;
    const { first } = this._data;
    const here = !first.shared && players.every((name) => this._plays(name));
    const drawn = seed ?? Math.floor(Math.random() * 2 ** 31);
    const board = typeof graph === "string" ? this._graphName(graph, drawn) : graph;
    let game = null;
    if (start === null && here && (typeof board === "object" || Object.hasOwn(graphs, board))) {
      game = { players, seed: drawn, graph: board, rules, max_turns: max_turns ?? turn_limits[rules] };
    } else if (start !== null && !this._server) {
      const { graph: played, rules: chosen, max_turns: limit } = this._session.setup;
      const moves = await this._session.movesBefore(start);
      const place = here ? (this._named ?? played) : played;
      game = { players, seed: drawn, graph: place, rules: chosen, max_turns: limit, moves };
    }
    if (!game || !here) {
      const session = this._server ? this._key : "";
      if (!this._data.server) throw new Error(`this page has no ${this._missing(asked)}: that ${INSTALL}`);
      const from = start !== null ? game : null;
      const found = answered(await this._ask("/game", { ...asked, from, session }));
      if (found.session === session && session) return;
      if (found.session) return this._join(found.session);
      game = found;
    }
    await this._goOn(game);
  }

  // A pool's name draws one of its graphs.
  _graphName(name, seed) {
    const ofPool = Object.keys(this._local.graphs).filter((one) => one.startsWith(`${name}/`));
    return ofPool.length ? ofPool[seed % ofPool.length] : name;
  }

  // Whether somebody plays in the page.
  _plays(name) {
    return name === PERSON || runsInPage(name, this._engine, this._agents);
  }

  /** @param {any} asked */
  _missing({ players, graph }) {
    const unknown = players.find((name) => !this._plays(name));
    return unknown === undefined ? `graph ${graph}` : `player ${unknown}`;
  }

  // ---- what the page is told ----

  async _show() {
    if (!this._session) return;
    const { status } = this._session;
    const { paused, speed } = this._server ? status : this._clock;
    const { counts, ...message } = this._session.message();
    const weights = this._packed.chances[this._session.setup.rules.name];
    const ahead = weights ? aheadOf(counts, weights, message.over ? message.winner : 0) : [];
    this._onMessage({ ...message, totals: counts.map(([people]) => people), ahead, paused, speed });
    this._keep();
    this._wait();
  }

  // Bots and agents in the page move one turn at a time, at the speed that was asked for.
  _wait() {
    clearTimeout(this._timer);
    const { status, personToMove } = this._session;
    if (this._server || status.over || personToMove || this._clock.paused) return;
    this._timer = setTimeout(() => this.send({ do: "step" }), 1000 / this._clock.speed);
  }

  // So that the game outlives a reload of the page.
  _keep() {
    const { first } = this._data;
    const session = this._session;
    const { referee } = session;
    if (this._server) return keep(() => ({ session: this._key, id: this._gameId, own: session.own() }), false);
    if (first.shared) return;
    keep(() => {
      const { graph, ...saved } = referee.saved();
      return { ...saved, graph: this._named ?? graph, own: session.own(), clock: this._clock, before: this._before };
    });
  }

  // The game so far as a RecordedGame.
  async recorded() {
    const bytes = new TextEncoder().encode(JSON.stringify(await this.replay(false)));
    this._player ??= new Player(this._packed);
    return this._player.read(bytes);
  }

  // The game's replay, in the form of `Replay.to_dict`; ``notes``: with what strategies told.
  replay(notes) {
    const { referee, names } = this._session;
    return referee.replay(names, notes);
  }
}

function answered(answer) {
  if (answer.error) throw new Error(answer.error);
  return answer;
}
