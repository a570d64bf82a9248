// A game at the server: its referee there is asked over a WebSocket, with the messages of referee.mjs.
const NO_SERVER = "There is no connection to the server.";
const LOST = "The connection is lost. If the server has ended, start it again: planetwars play";
const ANOTHER = "The server was started again, and knows this page no more: open the new link that it printed.";
const AGAIN = 2000; // milliseconds
const FULL = 1013; // the code of a server that has no room for another game

// A connection to a game at the server; one that is lost is made again.
export class RemoteReferee {
  // ``key``: of the game, empty for the server's first one; ``token``: of a page without a cookie, else empty;
  // ``tell``: hears messages, and {kind: "lost", text}.
  constructor(key, token, tell) {
    this.key = key;
    this._token = token;
    this._tell = tell;
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

  saved() {
    return { session: this.key };
  }

  // The page plays another game.
  close() {
    this.ask({ do: "leave" }).catch(() => {});
    this._closed = true;
    this._socket.close();
  }

  _connect() {
    const asked = new URLSearchParams({ key: this.key, token: this._token });
    this._socket = new WebSocket(`ws://${location.host}/play?${asked}`);
    this._socket.addEventListener("message", ({ data }) => this._hear(JSON.parse(data)));
    this._socket.addEventListener("close", (event) => this._end(event));
  }

  _hear(message) {
    const [resolve, reject] = this._asked.get(message.id) ?? [];
    this._asked.delete(message.id);
    if (message.kind === "game") this.key = message.session;
    if (!resolve) this._tell(message);
    else if (message.error) reject(new Error(message.error));
    else resolve(message.answer);
  }

  async _end({ code, reason }) {
    for (const [, reject] of this._asked.values()) reject(new Error(NO_SERVER));
    this._asked.clear();
    if (this._closed) return;
    // A server that answers and refuses is another one than that which made this page.
    const page = `/?${new URLSearchParams({ token: this._token })}`;
    const refused = await fetch(page, { method: "HEAD" }).then(({ status }) => status === 403, () => false);
    this._tell({ kind: "lost", text: code === FULL ? reason : refused ? ANOTHER : LOST });
    setTimeout(() => this._closed || this._connect(), AGAIN);
  }
}
