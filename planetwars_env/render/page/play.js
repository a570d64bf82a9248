// Play page: shows the states that the server sends, which hold what its player may see, and sends its player's actions.
"use strict";

const SPEEDS = [1, 2, 4, 8, 16, 60];
// Close code of a connection for which the server has no room, after its message.
const TOO_MANY = 1013;

class PlayPage {
  constructor({ choices, first }) {
    this.game = null;
    this.now = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.input = new MoveInput(() => this._showMove());
    this.log = new OwnershipLog();
    this.setup = new SetupDialog(choices, first, (message) => this.send(message));
    this._prepare();
    this._connect();
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this._showError("There is no connection to the server.");
  }

  act(what, more = {}) {
    if (this.now) this.send({ do: what, turn: this.now.turn, ...more });
  }

  _connect() {
    const key = remembered();
    this.socket = new WebSocket(`ws://${location.host}/play?key=${encodeURIComponent(key)}`);
    this.socket.addEventListener("message", (event) => this._receive(JSON.parse(event.data)));
    this.socket.addEventListener("close", ({ code }) => {
      if (code === TOO_MANY) return;
      this._showError("The connection is lost. If the server has ended, start it again: planetwars play");
      setTimeout(() => this._connect(), 2000);
    });
  }

  _receive(message) {
    if (message.kind === "session") this._join(message.session);
    else if (message.kind === "game") this._begin(message);
    else if (message.kind === "state") this._show(message);
    else this._showError(message.text);
  }

  _join(key) {
    remember(key);
    this._showError("");
    element("save-replay").href = `/replays/${key}.json`;
    element("save-page").href = `/replays/${key}.html`;
  }

  _begin(game) {
    this.game = game;
    this.now = null;
    // "human" in a replay is "you" on the page.
    this.names = game.names.map((name, i) => (game.players[i] === "you" && name === "human" ? "you" : name));
    const old = element("canvas");
    const canvas = old.cloneNode();
    old.replaceWith(canvas);
    this.drawing = new Drawing(canvas, game.graph);
    this.drawing.onHover = (planet, x, y) => this._showDetails(planet, x, y);
    this.drawing.onPick = (planet) => this._pick(planet);
    this.input.begin(game);
    this.log.begin(game, this.names);
    this.giveUp.takeBack();
    this.names.forEach((name, i) => {
      element(`name-${i + 1}`).textContent = name;
    });
    document.title = `${this.names[0]} against ${this.names[1]} on ${game.graph.name || "a graph"}, ${game.rules}`;
    element("setup-start").disabled = false;
    this.setup.close();
    canvas.focus();
  }

  _show(now) {
    const before = this.now;
    const another = !before || before.turn !== now.turn;
    this.now = now;
    this._showError(now.fault_text);
    if (another) this.log.note(before, now);
    this._showHandover(now, !before);
    if (now.state) this._draw(now);
    else this._blank();
    this.input.hold(now.state, now.yours ? now.player : 0);
    if (another && now.yours) this.input.clear();
    this._showTurn(now);
    this._showControls(now);
    this._showLog();
    this._showSaid("note", now.note);
    this._showSaid("printed", now.printed);
    if (this.hovered) this._showDetails(...this.hovered);
  }

  // While a strategy has its turn, shuttles fly on until the next state comes.
  _draw(now) {
    const moving = !now.yours && !now.over && !now.paused && !this.calm;
    this.drawing.show(now.state, 0);
    cancelAnimationFrame(this.frame);
    if (!moving) return;
    let start = null;
    const tick = (time) => {
      start ??= time;
      const flown = Math.min(1, ((time - start) / 1000) * now.speed);
      this.drawing.show(now.state, flown);
      if (flown < 1) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  // Nothing of what the other player saw stays on the screen, or in the page.
  _blank() {
    cancelAnimationFrame(this.frame);
    const { canvas } = this.drawing;
    this.drawing.state = null;
    this.hovered = null;
    this.log.clear();
    canvas.getContext("2d").reset();
    showDetails(element("details"), "", 0, 0);
    [1, 2].forEach((player) => {
      element(`totals-${player}`).textContent = "";
    });
  }

  // ``fresh``: the game has just begun, and the graph has the focus.
  _showHandover({ handover }, fresh) {
    const box = element("handover");
    const rises = fresh || box.hidden === Boolean(handover);
    box.hidden = !handover;
    box.className = `handover ${handover === 2 ? "two" : "one"}`;
    element("handover-text").textContent = handover ? `It is ${this.names[handover - 1]}'s turn.` : "";
    if (rises && handover) element("ready").focus();
  }

  _showTurn(now) {
    element("turn").textContent = `turn ${now.turn} of ${this.game.max_turns}`;
    element("status").textContent = now.yours && !this._two() ? "your turn" : this._status();
    document.body.className = `${now.yours ? "yours" : ""} ${now.viewer === 2 ? "two-plays" : ""}`;
    if (!now.state) return;
    [1, 2].forEach((player) => {
      element(`totals-${player}`).textContent = describeSide(now.state, player, now.viewer);
    });
  }

  // What strategies printed, and what there is to know about them.
  _showSaid(id, text) {
    element(id).hidden = !text;
    element(id).textContent = text;
    element(id).scrollTop = element(id).scrollHeight;
  }

  _showControls(now) {
    const plays = this.game.players.includes("you");
    const show = (id, on) => {
      element(id).hidden = !on;
    };
    show("turn-buttons", plays && !now.over);
    show("keys-play", plays && !now.over);
    show("keys-watch", !plays || now.over);
    show("watch-buttons", !this._two() && !now.over);
    show("step", !plays);
    show("speed", !this._two() && !now.over);
    show("fog", !plays && !now.over);
    show("save", !plays || now.over);
    show("give-up", plays && !now.over);
    element("new").className = now.over ? "main" : "";
    element("undo").disabled = !now.yours || !now.orders.length;
    element("end").disabled = !now.yours;
    element("pause").textContent = now.paused ? "go on" : "pause";
    element("pause").setAttribute("aria-pressed", now.paused);
    offerSpeed(now.speed);
    element("speed").value = now.speed;
    for (const button of element("fog").children) {
      button.setAttribute("aria-pressed", Number(button.dataset.viewer) === now.viewer);
    }
  }

  _showLog() {
    const { now, input } = this;
    if (!now) return;
    const warning = now.yours && input.target !== null ? this._warning() : "";
    let text = this.log.text();
    if (now.over) text = `The game is over: ${this._status()}. The fog is gone; save the game to see it again.`;
    else if (now.yours && input.target !== null) text = `${warning}To ${this._sentence(input.target)}`;
    else if (now.orders.length) {
      const said = now.orders.map(([source, target, people]) => `${people} from ${source} to ${target}`);
      text = [`this turn: ${said.join(", ")}`, ...this._left(now)].join("; ");
    } else if (now.yours && input.source !== null) {
      text = `From ${this._sentence(input.source)}. Choose where to.`;
    } else if (now.yours && !text) text = "Choose a planet of yours, then one beside it; end the turn when you are done.";
    element("log").textContent = text;
    element("log").classList.toggle("warning", Boolean(warning));
  }

  // Whoever sends everybody away gives the planet away (R8): said before it is done.
  _warning() {
    const { source, player } = this.input;
    const owner = this.input.ownerAfter();
    if (owner === null || owner === player || this.now.state.planets[source].owner !== player) return "";
    return `Sending ${this.input.people} makes planet ${this.game.graph.planets[source][0]} ${this._ownerText(owner)}. `;
  }

  // The planets that this turn's orders give away.
  _left({ orders, state }) {
    const sources = new Set(orders.map(([source]) => source));
    return state.planets.flatMap(({ owner }, i) => {
      const [id] = this.game.graph.planets[i];
      return sources.has(id) && owner === 0 ? [`planet ${id} will be ${this._ownerText(0)}`] : [];
    });
  }

  _ownerText(owner) {
    return owner ? `${this.names[owner - 1]}'s` : "neutral";
  }

  _sentence(planet) {
    const said = describePlanet(this.game.graph, this.now.state, planet, this.names).split("\n");
    return said.filter((line) => !line.startsWith("edges")).join("; ").replaceAll(" of you", " of yours");
  }

  _showMove() {
    if (!this.drawing || !this.now) return;
    const { input } = this;
    if (this.now.state) this.drawing.emphasise(input.source, input.targets());
    const move = input.move();
    // It keeps its place while somebody plays: the graph must not jump under the pointer.
    element("move").hidden = !this.game.players.includes("you") || this.now.over;
    element("move").classList.toggle("empty", !move);
    if (move) {
      const turns = input.turns();
      element("way").textContent = `${move[0]} → ${move[1]}, ${turns} ${turns === 1 ? "turn" : "turns"}`;
      element("slider").hidden = input.blind;
      element("slider").max = input.limit();
      element("slider").value = input.people;
      if (document.activeElement !== element("number")) element("number").value = input.people;
      element("number").max = input.limit();
      element("fractions").hidden = input.blind;
      element("send").textContent = `send ${input.people.toLocaleString("en")}`;
    }
    this._showLog();
  }

  _pick(planet) {
    if (!this.now?.yours) return this._showPlanet(planet);
    const said = this.input.pick(planet);
    if (said === "send") this._send();
    else this._showError(said ?? "");
  }

  // Fingers do not hover: a tap tells about the planet instead.
  _showPlanet(planet) {
    if (planet === null) return this._showDetails(null, 0, 0);
    const { x, y } = this.drawing.placeOf(planet);
    this._showDetails(planet, x, y);
  }

  _send() {
    const move = this.input.move();
    if (!move) return;
    this.act("order", { move });
    this.input.sent();
  }

  _showDetails(planet, x, y) {
    this.hovered = planet === null ? null : [planet, x, y];
    const shown = planet !== null && this.now?.state;
    const text = shown ? describePlanet(this.game.graph, this.now.state, planet, this.names) : "";
    showDetails(element("details"), text, x, y);
  }

  _showError(text) {
    clearTimeout(this.fading);
    if (element("setup").open && text) return this.setup.showError(text);
    element("error").textContent = text;
    element("error").hidden = !text;
    if (text && text.length < 200) this.fading = setTimeout(() => this._showError(""), 6000);
  }

  _status() {
    return this.now.status.replace(/^human has/, "you have");
  }

  _two() {
    return this.game.players.every((player) => player === "you");
  }

  _prepare() {
    const on = (id, event, action) => element(id).addEventListener(event, action);
    SPEEDS.forEach(offerSpeed);
    on("undo", "click", () => this.act("undo"));
    on("end", "click", () => this.act("end"));
    on("ready", "click", () => this.act("ready"));
    on("pause", "click", () => this.send({ do: "pause", on: !this.now?.paused }));
    on("step", "click", () => this._step());
    on("speed", "change", (event) => this.send({ do: "speed", turns: Number(event.target.value) }));
    for (const button of element("fog").children) {
      button.addEventListener("click", () => this.send({ do: "viewer", viewer: Number(button.dataset.viewer) }));
    }
    for (const button of element("fractions").children) {
      button.addEventListener("click", () => this.input.setFraction(Number(button.dataset.fraction)));
    }
    on("slider", "input", (event) => this.input.setPeople(Number(event.target.value)));
    on("number", "input", (event) => this.input.setPeople(Number(event.target.value)));
    on("send", "click", () => this._send());
    this.giveUp = new ConfirmButton(element("give-up"), "really give up?", () => this.send({ do: "give up" }));
    on("error", "click", () => this._showError(""));
    on("new", "click", () => this.setup.open());
    watchTheme(element("theme"), () => this.drawing?.recolour());
    document.addEventListener("keydown", (event) => this._key(event));
    document.addEventListener("click", (event) => this._leaveButton(event));
  }

  _step() {
    if (!this.now.paused) this.send({ do: "pause", on: true });
    this.send({ do: "step" });
  }

  // A button that was clicked by a pointer does not keep the keys: Enter on the graph would press it once more.
  _leaveButton(event) {
    if (event.detail && event.target.closest(".move button, .controls button")) this.drawing?.canvas.focus();
  }

  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.now || element("setup").open) return;
    const { tagName, type } = event.target;
    const typing = tagName === "SELECT" || (tagName === "INPUT" && type === "number");
    const sliding = tagName === "INPUT" && event.key.startsWith("Arrow");
    const pressing = (tagName === "BUTTON" || tagName === "A") && (event.key === " " || event.key === "Enter");
    if (pressing || sliding || (typing && event.key !== "Enter" && event.key !== "Escape")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // A key held down moves on the graph, but ends no turn after turn.
    if (event.repeat && !event.key.startsWith("Arrow") && !"+-".includes(event.key)) return;
    const action = this._commonKeys()[name] ?? (this.now.yours ? this._playKeys()[name] : this._watchKeys()[name]);
    if (!action) return;
    event.preventDefault();
    action();
  }

  _commonKeys() {
    return {
      n: () => this.setup.open(),
      t: () => element("theme").click(),
      s: () => !element("save").hidden && element("save-replay").click(),
    };
  }

  _playKeys() {
    const { input } = this;
    const more = (people) => input.move() && input.setPeople(input.people + people);
    return {
      ArrowLeft: () => input.nextSource(-1),
      ArrowRight: () => input.nextSource(1),
      ArrowUp: () => input.nextTarget(-1),
      ArrowDown: () => input.nextTarget(1),
      1: () => input.setFraction(0.25),
      2: () => input.setFraction(0.5),
      3: () => input.setFraction(0.75),
      4: () => input.setFraction(1),
      "+": () => more(1),
      "-": () => more(-1),
      Enter: () => this._send(),
      Escape: () => input.clear(),
      u: () => this.act("undo"),
      Backspace: () => this.act("undo"),
      e: () => this.act("end"),
    };
  }

  _watchKeys() {
    const pause = () => !element("watch-buttons").hidden && element("pause").click();
    return {
      " ": pause,
      p: pause,
      ArrowRight: () => !element("step").hidden && this._step(),
      f: () => !element("fog").hidden && this.send({ do: "viewer", viewer: (this.now.viewer + 1) % 3 }),
    };
  }
}

// In order, whatever was chosen elsewhere.
function offerSpeed(speed) {
  const options = [...element("speed").options];
  if (options.some((option) => Number(option.value) === speed)) return;
  const next = options.findIndex((option) => Number(option.value) > speed);
  element("speed").add(new Option(`${speed} turn${speed === 1 ? "" : "s"}/s`, speed), next < 0 ? null : next);
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

function element(id) {
  return document.getElementById(id);
}

const page = new PlayPage(JSON.parse(element("data").textContent));
