// The referee of a game at the server, with the interface of referee.mjs. It is asked over a WebSocket and hears of
// every turn there: of all moves where no person plays any more, else of what its player's view shows.
import { accountOf, accountsOf, newGame, playTurn } from "./referee.mjs";

export class RemoteReferee {
  // ``server``: a Server; ``game``: its message on the game (planetwars_env/playing/session.py, game_message).
  constructor(engine, server, game) {
    this._engine = engine;
    this._server = server;
    this.restart(game);
  }

  restart({ setup, view, turns, moves, notes, status }) {
    this.setup = setup;
    this.notes = notes;
    this._status = status;
    this._coming = []; // [account, status] of turns that the session has not heard of
    this._moves = null; // of all turns, where everything may be seen
    if (moves) return this._open(setup.graph, moves);
    this._view = this._whole(view);
    this._accounts = turns.map((turn) => this._account(turn));
  }

  _open(graph, moves) {
    const { rules, max_turns: maxTurns } = this.setup;
    this.setup.graph = graph;
    this._game = { engine: this._engine, graph, rules, maxTurns };
    this._moves = moves;
    this._position = newGame(this._game);
    for (const turn of moves) playTurn(this._position, turn, []);
  }

  // A message of the server on this game.
  hear({ kind, notes, status, turn }) {
    if (kind === "notes") this.notes = notes;
    else this.notes.push(...(notes ?? []));
    if (kind === "turn") this._coming.push([this._account(turn), status]);
    else if (this._coming.length) this._coming.at(-1)[1] = status;
    else this._status = status;
  }

  // Whether a turn was played that the session has not heard of.
  get pending() {
    return this._coming.length > 0;
  }

  // Edges are always the same, and a view is the one that the turn before led to, unless something was sent.
  _account({ player, moves, accepted, before, now }) {
    if (this._moves) {
      this._moves.push(moves);
      return playTurn(this._position, moves, [0, 1, 2]);
    }
    const view = this._view;
    this._view = this._whole(now);
    const account = { view, moves, accepted, before: before ? this._whole(before) : view, now: this._view };
    return { player, views: { [this._viewer]: account } };
  }

  _whole(view) {
    return { ...view, edges: this.setup.graph.edges };
  }

  get _viewer() {
    return 1 + this.setup.here.indexOf(true);
  }

  status() {
    return this._status;
  }

  view(player) {
    return this._moves ? this._position.view(player) : this._view;
  }

  async play(moves) {
    await this._server.ask({ do: "play", turn: this._status.turn, moves });
    return this.advance();
  }

  advance() {
    if (!this.pending) throw new Error("the server has not played this turn yet");
    const [account, status] = this._coming.shift();
    this._status = status;
    return account;
  }

  async accounts(viewers = this._status.viewers) {
    if (this._status.viewers.includes(0) && !this._moves) {
      const { graph, moves, notes } = await this._server.ask({ do: "whole" });
      this.notes = notes;
      this._open(graph, moves);
    }
    return this._moves ? accountsOf(this._game, this._moves, viewers) : this._accounts;
  }

  account(turn) {
    return accountOf(this._game, this._moves, turn, this._status.viewers);
  }

  giveUp() {
    return this._server.ask({ do: "give up" });
  }

  // The server begins the game anew, with a message of its own before the answer.
  async takeBack() {
    this.takingBack = true;
    try {
      await this._server.ask({ do: "take back" });
    } finally {
      this.takingBack = false;
    }
  }

  replay(_, notes = false) {
    return this._server.ask({ do: "replay", notes });
  }
}

const NO_SERVER = "There is no connection to the server.";
const LOST = "The connection is lost. If the server has ended, start it again: planetwars play";
const ANOTHER = "The server was started again, and knows this page no more: open the new link that it printed.";
// Close code of a connection for which the server has no room, after its message.
const TOO_MANY = 1013;
const AGAIN = 2000;

// A connection to a game at the server; one that is lost is made again.
export class Server {
  // ``key``: of the game, empty for the server's first one; ``token``: of a page without a cookie, else empty;
  // ``onMessage``: called with what nobody asked for; ``onLost``: with a sentence.
  constructor(key, token, onMessage, onLost) {
    this.key = key;
    this._token = token;
    this._onMessage = onMessage;
    this._onLost = onLost;
    this._asked = new Map();
    this._last = 0;
    this._closed = false;
    this._connect();
  }

  // The answer of the server, or its Error.
  ask(message) {
    if (this._socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error(NO_SERVER));
    const id = ++this._last;
    this._socket.send(JSON.stringify({ id, ...message }));
    return new Promise((resolve, reject) => this._asked.set(id, [resolve, reject]));
  }

  close() {
    this._closed = true;
    this._socket.close();
  }

  _connect() {
    const asked = new URLSearchParams({ key: this.key, token: this._token });
    this._socket = new WebSocket(`ws://${location.host}/play?${asked}`);
    this._socket.addEventListener("message", ({ data }) => this._hear(JSON.parse(data)));
    this._socket.addEventListener("close", ({ code }) => this._end(code));
  }

  _hear(message) {
    const [resolve, reject] = this._asked.get(message.id) ?? [];
    this._asked.delete(message.id);
    if (message.kind === "game") this.key = message.session;
    if (!resolve) this._onMessage(message);
    else if (message.error) reject(new Error(message.error));
    else resolve(message.answer);
  }

  async _end(code) {
    for (const [, reject] of this._asked.values()) reject(new Error(NO_SERVER));
    this._asked.clear();
    if (this._closed || code === TOO_MANY) return;
    // A server that answers and refuses is another one than that which made this page.
    const page = `/?${new URLSearchParams({ token: this._token })}`;
    const refused = await fetch(page, { method: "HEAD" }).then(({ status }) => status === 403, () => false);
    this._onLost(refused ? ANOTHER : LOST);
    setTimeout(() => this._closed || this._connect(), AGAIN);
  }
}
