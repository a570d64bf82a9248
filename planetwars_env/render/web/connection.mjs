// The connection of the play page to its game: a session in the page, and a referee, in the page too where all players
// run there, else at the server. What the page is told has a "kind": game, state, error.
import { Engine, ownerOf } from "./engine.mjs";
import { keep, kept, unreadable } from "./kept_game.mjs";
import { unpacked } from "./packing.mjs";
import { runsInPage } from "./players.mjs";
import { PERSON, Referee } from "./referee.mjs";
import { RemoteReferee } from "./remote_referee.mjs";
import { Session } from "./session.mjs";
import { nextSteps } from "./ways.mjs";

// For the input of moves.
export const shortestWays = nextSteps;
export const ownerOfPeople = ownerOf;
const INSTALL = "needs the program: pip install planetwars-env, then planetwars play";

export class Connection {
  // ``onMessage``: called with every message, ``onError`` with a sentence; ``data``: of the page (playing/pages.py),
  // with what it plays on in ``local``: {graphs, turn_limits, agents}, files in base64; ``engine``: {wasm, manifest,
  // chances}, the module packed; ``ask``: asks the server for anything else.
  constructor(onMessage, onError, data, engine, ask) {
    this._onMessage = onMessage;
    this._onError = onError;
    this._fail = ({ message }) => onMessage({ kind: "error", text: message });
    this._ask = ask;
    this._data = data;
    this._local = data.local;
    this._referee = null;
    this.session = null;
    this._shown = null; // the game that the page knows
    this._changed = false; // whether the page does not know yet how it stands
    // What the page does is done one by one.
    this._last = this._load(engine).catch((fault) => onError(fault.message));
  }

  // Do something with the session; ``turn``: that it is meant for, if any.
  act(action, turn = null) {
    this._next(async () => {
      const { session } = this;
      if (!session?.game) throw new Error("there is no game yet");
      // A page that shows an older turn, or waits for the handover, cannot mean this one.
      const { status, names, handover } = session;
      if (turn !== null && turn !== status.turn) throw new Error(`this is turn ${status.turn}, not ${turn}`);
      if (turn !== null && handover) throw new Error(`${names[handover - 1]} has not yet taken over`);
      await action(session);
      this._stopClock(); // so that another speed counts at once
      this._show();
    });
  }

  // Ask the referee (referee.mjs): give up, take back, console.
  ask(message) {
    this.act(() => this._referee.ask(message));
  }

  // A new game; ``asked``: {players, graph (its name, or the graph), rules, seed, max_turns, start}.
  begin(asked) {
    this._next(async () => {
      await this._new(asked);
      this._show();
    });
  }

  _next(action) {
    this._last = this._last.then(action).catch(this._fail);
  }

  async _load({ wasm, manifest, chances }) {
    this._engine = await Engine.load(await unpacked(wasm), manifest, chances);
    this._agents = this._local.agents;
    const { first } = this._data;
    const game = first.shared ? null : kept();
    let fault = unreadable() ? "The address holds no whole game: here is another one" : "";
    try {
      if (game) return game.session ? this._join(game.session) : this._goOn(game);
    } catch ({ message }) {
      fault = `The game in the address cannot go on: ${message}`;
    }
    if (first.game) this._goOn(first.game);
    else this._join("");
    if (fault) this._next(() => this._onError(fault));
  }

  // ---- the game ----

  // A game in the page. ``game``: what a Referee takes, or the name of a graph of the page in place of the graph; and
  // what else `_show` keeps of a game.
  _goOn({ own, search: _search, pathname: _pathname, hashes: _hashes, ...game }) {
    const { graph: name } = game;
    const named = Object.hasOwn(this._local.graphs, name);
    const setup = named ? { ...game, graph: { name, ...this._local.graphs[name] } } : game;
    const referee = new Referee(this._engine, setup, this._agents, (message) => this._hear(referee, message));
    this._sit(referee, { id: referee.id, own });
    this._named = named ? name : null;
    referee.begin();
  }

  // A game at the server.
  _join(key) {
    const hear = (message) => {
      try {
        this._hear(referee, message);
      } catch (fault) {
        this._fail(fault);
      }
    };
    const referee = new RemoteReferee(key, this._data.token ?? "", hear);
    this._sit(referee, kept());
    this._named = null;
  }

  // ``had``: what this page had of the game before it was loaded again (session.mjs), or null.
  _sit(referee, had) {
    this._stopClock();
    this._referee?.close();
    this._referee = referee;
    const speed = this.session?.speed ?? this._data.first.speed;
    this.session = new Session(this._engine, (message) => referee.ask(message), this._agents, had, speed);
  }

  _hear(referee, message) {
    if (referee !== this._referee) return;
    if (message.kind === "lost") return this._onError(message.text);
    if (message.kind === "error") return this._onMessage(message);
    this.session.receive(message);
    this._changed = true;
    this._next(() => this._changed && this._show());
  }

  // An earlier turn, as the viewer sees it.
  past(turn) {
    const { viewer } = this.session;
    return { turn, viewer, state: this.session.past(turn, viewer) };
  }

  // The moves of another player in place of the person to move, and what they lead to (session.mjs).
  hint(by) {
    const moves = this.session.hint(by);
    return { moves, foreseen: this.session.foresee(moves) };
  }

  // The game's replay, in the form of `Replay.to_dict`; ``notes``: with what strategies told.
  replay(notes) {
    return this._referee.ask({ do: "replay", notes });
  }

  // A new game: in the page if all players run here, else the server begins it.
  async _new(asked) {
    const { graphs, turn_limits } = this._local;
    const { players, graph, rules, seed, max_turns, start } = asked;
    const { first } = this._data;
    const key = this._referee?.key ?? null;
    const here = !first.shared && players.every((name) => this._plays(name));
    const drawn = seed ?? Math.floor(Math.random() * 2 ** 31);
    const board = typeof graph === "string" ? this._graphName(graph, drawn) : graph;
    let game = null;
    if (start === null && here && (typeof board === "object" || Object.hasOwn(graphs, board))) {
      game = { players, seed: drawn, graph: board, rules, max_turns: max_turns ?? turn_limits[rules] };
    } else if (start !== null && key === null) {
      const { graph: played, rules: chosen, max_turns: limit } = this.session.setup;
      const moves = this.session.record.replay.moves.slice(0, start - 1);
      const place = here ? (this._named ?? played) : played;
      game = { players, seed: drawn, graph: place, rules: chosen, max_turns: limit, moves };
    }
    if (!game || !here) {
      const session = key ?? "";
      if (!this._data.server) throw new Error(`this page has no ${this._missing(asked)}: that ${INSTALL}`);
      const from = start !== null ? game : null;
      const found = await this._ask("/game", { ...asked, from, session });
      if (found.error) throw new Error(found.error);
      if (found.session === session && session) return;
      if (found.session) return this._join(found.session);
      game = found;
    }
    this._goOn(game);
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

  _show() {
    const { session } = this;
    const { game } = session;
    if (!game) return;
    this._changed = false;
    if (game !== this._shown) {
      const { graph: _graph, rules, names, players, max_turns } = session.setup;
      const { name, coexistence, turns_per_weight } = rules;
      const told = { players, names, rules: name, coexistence, turns_per_weight, max_turns, you: game.you };
      const again = this._shown?.id === game.id; // an earlier turn of it
      this._before = again ? Math.min(this._before, game.before) : game.before;
      this._onMessage({ kind: "game", graph: session.drawn, ...told, start: 1 + this._before });
      this._shown = game;
    }
    this._onMessage(session.message());
    // So that the game outlives a reload of the page.
    const referee = this._referee;
    const graph = this._named ? { graph: this._named } : {};
    keep(() => ({ ...referee.saved(), ...graph, id: game.id, own: session.own() }), referee.key === null);
    // Bots and strategies move one turn at a time, while a page shows their game.
    if (!session.waits || session.paused) return this._stopClock();
    const step = () => {
      this._timer = null;
      session.step().catch(this._fail);
    };
    this._timer ??= setTimeout(step, 1000 / session.speed);
  }

  _stopClock() {
    clearTimeout(this._timer);
    this._timer = null;
  }
}
