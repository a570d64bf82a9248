// The connection of the play page to a game in the page itself: a session and a referee answer the messages that
// planetwars_env/play/messages.py lists. It needs no server.
import { Engine } from "./engine.mjs";
import { PERSON, Referee } from "./referee.mjs";
import { Session } from "./session.mjs";

const HOW = "needs the program: pip install planetwars-env, then planetwars play";

export class Connection {
  // ``onMessage``: called with every message; ``data``: of the page, with what it plays on in ``local``: {wasm,
  // manifest, graphs, layouts, turn_limits, agents}, files in base64.
  constructor(onMessage, onError, data = JSON.parse(document.getElementById("data").textContent)) {
    this._onMessage = onMessage;
    this._local = data.local;
    this._speed = data.first.speed;
    this._paused = false;
    this._timer = null;
    // Messages are handled one by one.
    this._last = this._load(data.first).catch((fault) => onError(fault.message));
  }

  send(message) {
    this._last = this._last.then(() => this._handle(message)).catch((fault) => {
      this._onMessage({ kind: "error", text: fault.message });
    });
  }

  async _load({ players, graph, rules }) {
    const { wasm, manifest, agents } = this._local;
    this._engine = await Engine.load(fromBase64(wasm), manifest);
    this._agents = {};
    for (const [name, agent] of Object.entries(agents)) {
      this._agents[name] = { ...agent, weights: fromBase64(agent.weights) };
    }
    await this._new({ players, graph, rules, seed: null, max_turns: null, start: null });
    await this._show();
  }

  async _handle(message) {
    const { turn } = message;
    if (turn !== undefined) this._checkTurn(message);
    const s = this._session;
    const actions = {
      new: () => this._new(message),
      order: () => s.order(message.moves),
      "keep sending": () => s.order(message.moves, true),
      "stop sending": () => s.stopSending(message.order),
      undo: () => s.undo(message.order),
      end: () => s.endTurn(),
      ready: () => s.ready(),
      "give up": () => s.giveUp(),
      "take back": () => s.takeBack(),
      pause: () => (this._paused = message.on),
      step: () => (s.status.over || s.personToMove ? null : s.advance()),
      speed: () => (this._speed = message.turns),
      viewer: () => (s.chosenViewer = message.viewer),
      console: () => {},
      aim: () => this._onMessage({ kind: "aim", move: message.move, outcome: s.aim(message.move) }),
      hint: () => this._onMessage({ kind: "hint", turn, by: message.by, moves: s.hint(message.by) }),
      look: async () => {
        const { viewer } = s;
        this._onMessage({ kind: "past", viewer, turn: message.at, state: await s.past(message.at, viewer) });
      },
    };
    if (!Object.hasOwn(actions, message.do)) throw new Error(`the page cannot do ${message.do}`);
    await actions[message.do]();
    if (!["aim", "hint", "look"].includes(message.do)) await this._show();
  }

  // A page that shows an older turn, or waits for the handover, cannot mean this one.
  _checkTurn(message) {
    const { status, names, handover } = this._session;
    if (message.turn !== status.turn) throw new Error(`this is turn ${status.turn}, not ${message.turn}`);
    const takesOver = message.do === "ready" || message.do === "aim";
    if (handover && !takesOver) throw new Error(`${names[handover - 1]} has not yet taken over`);
  }

  async _new({ players, graph, rules, seed, max_turns, start }) {
    const { graphs, turn_limits, layouts } = this._local;
    const known = [PERSON, ...Object.keys(this._engine.manifest.bots), ...Object.keys(this._agents)];
    const unknown = players.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`this page has no player ${unknown}: a strategy from a file ${HOW}`);
    let setup = { players, seed: seed ?? Math.floor(Math.random() * 2 ** 31) };
    if (start === null) {
      const name = this._graphName(graph, setup.seed);
      if (!Object.hasOwn(graphs, name)) throw new Error(`this page has no graph ${graph}: a .dot file ${HOW}`);
      this._layout = layouts[name];
      setup = { ...setup, graph: { name, ...graphs[name] }, rules, max_turns: max_turns ?? turn_limits[rules] };
    } else {
      const { setup: old } = this._session;
      const kept = { graph: old.graph, rules: old.rules.name, max_turns: old.max_turns };
      setup = { ...setup, ...kept, moves: await this._session.movesBefore(start) };
    }
    const referee = new Referee(this._engine, setup, this._agents);
    this._session = await Session.open(this._engine, referee, this._agents);
    this._paused = false;
    const { names, setup: begun } = this._session;
    const { name, coexistence, turns_per_weight } = begun.rules;
    this._onMessage({
      kind: "game",
      graph: this._layout,
      ...{ players, names, rules: name, coexistence, turns_per_weight, max_turns: begun.max_turns },
      start: 1 + (setup.moves?.length ?? 0),
      you: 0,
    });

  }

  // A pool's name draws one of its graphs.
  _graphName(name, seed) {
    const ofPool = Object.keys(this._local.graphs).filter((one) => one.startsWith(`${name}/`));
    return ofPool.length ? ofPool[seed % ofPool.length] : name;
  }

  async _show() {
    const message = this._session.message();
    const clock = { paused: this._paused, speed: this._speed };
    const noStrategies = { fault: "", console: [], console_held: false, seconds: [0, 0] };
    this._onMessage({ ...message, ...clock, ...noStrategies });
    if (message.over) await this._offerReplay();
    this._goOn();
  }

  // Bots and agents move one turn at a time, at the speed that the page asks for.
  _goOn() {
    clearTimeout(this._timer);
    const { status, personToMove } = this._session;
    if (status.over || personToMove || this._paused) return;
    this._timer = setTimeout(() => this.send({ do: "step" }), 1000 / this._speed);
  }

  async _offerReplay() {
    const link = globalThis.document?.getElementById("save-replay");
    if (!link) return;
    const { names, referee } = this._session;
    const text = `${JSON.stringify(await referee.replay(names))}\n`;
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = `${names.join("-against-")}.json`;
  }
}

// The key of a session at a server, of which there is none.
export function remember() {}

// What pages ask a server besides.
export async function ask() {
  return { error: `this ${HOW}` };
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
