// Connection of the play page to its session on the server; a connection that is lost is made again.
"use strict";

// Close code of a connection for which the server has no room, after its message.
const TOO_MANY = 1013;

class Connection {
  // ``onMessage``: called with every message; ``onError``: with a sentence.
  constructor(onMessage, onError) {
    this.onMessage = onMessage;
    this.onError = onError;
    this._connect();
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.onError("There is no connection to the server.");
  }

  _connect() {
    const key = remembered();
    this.socket = new WebSocket(`ws://${location.host}/play?key=${encodeURIComponent(key)}`);
    this.socket.addEventListener("message", (event) => this.onMessage(JSON.parse(event.data)));
    this.socket.addEventListener("close", ({ code }) => {
      if (code === TOO_MANY) return;
      this.onError("The connection is lost. If the server has ended, start it again: planetwars play");
      setTimeout(() => this._connect(), 2000);
    });
  }
}

// The key of the session survives a reload of the page, but not its tab.
function remember(key) {
  try {
    sessionStorage.setItem("session", key);
  } catch {
    // Without storage every page gets a new session.
  }
}

function remembered() {
  try {
    return sessionStorage.getItem("session") ?? "";
  } catch {
    return "";
  }
}

// The server's answer: to ``body`` (a file, or what becomes JSON) if there is one.
async function ask(path, body = null) {
  const sent = body instanceof Blob ? body : JSON.stringify(body);
  try {
    const answer = await fetch(path, body === null ? {} : { method: "POST", body: sent });
    return await answer.json();
  } catch {
    return { error: "The server does not answer. If it has ended, start it again: planetwars play" };
  }
}
