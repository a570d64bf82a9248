// The page to play on. It shows what the server sends, which is what its player may see, and sends what its player does.
"use strict";

const SPEEDS = [1, 2, 4, 8, 16, 60];
// How the server ends a connection when all its tables are taken, having said so.
const TOO_MANY = 1013;

class PlayPage {
  constructor({ choices, first }) {
    this.game = null;
    this.now = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.hand = new Hand(() => this._showHand());
    this.news = new News();
    this.setup = new SetupDialog(choices, first, (message) => this.say(message));
    this._prepare();
    this._connect();
  }

  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this._fault("There is no connection to the server.");
  }

  act(what, more = {}) {
    if (this.now) this.say({ do: what, turn: this.now.turn, ...more });
  }

  _connect() {
    const key = remembered();
    this.socket = new WebSocket(`ws://${location.host}/play?key=${encodeURIComponent(key)}`);
    this.socket.addEventListener("message", (event) => this._hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", ({ code }) => {
      if (code === TOO_MANY) return;
      this._fault("The connection is lost. If the server has ended, start it again: planetwars play");
      setTimeout(() => this._connect(), 2000);
    });
  }

  _hear(message) {
    if (message.kind === "key") this._seat(message.key);
    else if (message.kind === "game") this._begin(message);
    else if (message.kind === "state") this._show(message);
    else this._fault(message.text);
  }

  _seat(key) {
    remember(key);
    this._fault("");
    element("save-replay").href = `/replays/${key}.json`;
    element("save-page").href = `/replays/${key}.html`;
  }

  _begin(game) {
    this.game = game;
    this.now = null;
    // "human" in a replay is "you" at the table.
    this.names = game.names.map((name, i) => (game.players[i] === "you" && name === "human" ? "you" : name));
    const old = element("board");
    const canvas = old.cloneNode();
    old.replaceWith(canvas);
    this.drawing = new Drawing(canvas, game.board);
    this.drawing.onHover = (planet, x, y) => this._tell(planet, x, y);
    this.drawing.onPick = (planet) => this._pick(planet);
    this.hand.begin(game);
    this.news.begin(game, this.names);
    this.giveUp.takeBack();
    this.names.forEach((name, i) => {
      element(`name-${i + 1}`).textContent = name;
    });
    document.title = `${this.names[0]} against ${this.names[1]} on ${game.board.name || "a board"}, ${game.rules}`;
    element("setup-start").disabled = false;
    this.setup.close();
    canvas.focus();
  }

  _show(now) {
    const before = this.now;
    const another = !before || before.turn !== now.turn;
    this.now = now;
    this._fault(now.trouble);
    if (another) this.news.note(before, now);
    this._showCurtain(now, !before);
    if (now.state) this._draw(now);
    else this._blank();
    this.hand.hold(now.state, now.yours ? now.player : 0);
    if (another && now.yours) this.hand.clear();
    this._tellTurn(now);
    this._tellControls(now);
    this._tellLog();
    if (this.hovered) this._tell(...this.hovered);
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
    this.news.clear();
    canvas.getContext("2d").reset();
    showDetails(element("details"), "", 0, 0);
    [1, 2].forEach((player) => {
      element(`totals-${player}`).textContent = "";
    });
  }

  // ``fresh``: the game has just begun, and the board has the focus.
  _showCurtain({ curtain }, fresh) {
    const box = element("curtain");
    const rises = fresh || box.hidden === Boolean(curtain);
    box.hidden = !curtain;
    box.className = `curtain ${curtain === 2 ? "two" : "one"}`;
    element("curtain-text").textContent = curtain ? `It is ${this.names[curtain - 1]}'s turn.` : "";
    if (rises && curtain) element("ready").focus();
  }

  _tellTurn(now) {
    element("turn").textContent = `turn ${now.turn} of ${this.game.max_turns}`;
    element("standing").textContent = now.yours && !this._two() ? "your turn" : this._standing();
    document.body.className = `${now.yours ? "yours" : ""} ${now.viewer === 2 ? "two-plays" : ""}`;
    if (!now.state) return;
    [1, 2].forEach((player) => {
      element(`totals-${player}`).textContent = describeSide(now.state, player, now.viewer);
    });
  }

  _tellControls(now) {
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

  _tellLog() {
    const { now, hand } = this;
    if (!now) return;
    const warning = now.yours && hand.target !== null ? this._warning() : "";
    let text = this.news.text();
    if (now.over) text = `The game is over: ${this._standing()}. The fog is gone; save the game to see it again.`;
    else if (now.yours && hand.target !== null) text = `${warning}To ${this._sentence(hand.target)}`;
    else if (now.orders.length) {
      const said = now.orders.map(([source, target, people]) => `${people} from ${source} to ${target}`);
      text = [`this turn: ${said.join(", ")}`, ...this._left(now)].join("; ");
    } else if (now.yours && hand.source !== null) {
      text = `From ${this._sentence(hand.source)}. Choose where to.`;
    } else if (now.yours && !text) text = "Choose a planet of yours, then one beside it; end the turn when you are done.";
    element("log").textContent = text;
    element("log").classList.toggle("warning", Boolean(warning));
  }

  // Whoever sends everybody away gives the planet away (R8): said before it is done.
  _warning() {
    const { source, player } = this.hand;
    const owner = this.hand.ownerAfter();
    if (owner === null || owner === player || this.now.state.planets[source].owner !== player) return "";
    return `Sending ${this.hand.people} makes ${this.game.board.planets[source][0]} ${this._whose(owner)}. `;
  }

  // The planets that this turn's orders give away.
  _left({ orders, state }) {
    const sources = new Set(orders.map(([source]) => source));
    return state.planets.flatMap(({ owner }, i) => {
      const [id] = this.game.board.planets[i];
      return sources.has(id) && owner === 0 ? [`${id} will be ${this._whose(0)}`] : [];
    });
  }

  _whose(owner) {
    return owner ? `${this.names[owner - 1]}'s` : "nobody's";
  }

  _sentence(planet) {
    const said = describePlanet(this.game.board, this.now.state, planet, this.names).split("\n");
    return said.filter((line) => !line.startsWith("edges")).join("; ").replaceAll(" of you", " of yours");
  }

  _showHand() {
    if (!this.drawing || !this.now) return;
    const { hand } = this;
    if (this.now.state) this.drawing.emphasise(hand.source, hand.targets());
    const move = hand.move();
    // It keeps its place while somebody plays: the board must not jump under the pointer.
    element("hand").hidden = !this.game.players.includes("you") || this.now.over;
    element("hand").classList.toggle("empty", !move);
    if (move) {
      const turns = hand.turns();
      element("way").textContent = `${move[0]} → ${move[1]}, ${turns} ${turns === 1 ? "turn" : "turns"}`;
      element("slider").hidden = hand.blind;
      element("slider").max = hand.limit();
      element("slider").value = hand.people;
      if (document.activeElement !== element("number")) element("number").value = hand.people;
      element("number").max = hand.limit();
      element("shares").hidden = hand.blind;
      element("send").textContent = `send ${hand.people.toLocaleString("en")}`;
    }
    this._tellLog();
  }

  _pick(planet) {
    if (!this.now?.yours) return this._tellPlanet(planet);
    const said = this.hand.pick(planet);
    if (said === "send") this._send();
    else this._fault(said ?? "");
  }

  // Fingers do not hover: a tap tells about the planet instead.
  _tellPlanet(planet) {
    if (planet === null) return this._tell(null, 0, 0);
    const { x, y } = this.drawing.placeOf(planet);
    this._tell(planet, x, y);
  }

  _send() {
    const move = this.hand.move();
    if (!move) return;
    this.act("order", { move });
    this.hand.sent();
  }

  _tell(planet, x, y) {
    this.hovered = planet === null ? null : [planet, x, y];
    const shown = planet !== null && this.now?.state;
    const text = shown ? describePlanet(this.game.board, this.now.state, planet, this.names) : "";
    showDetails(element("details"), text, x, y);
  }

  _fault(text) {
    clearTimeout(this.fading);
    if (element("setup").open && text) return this.setup.tell(text);
    element("fault").textContent = text;
    element("fault").hidden = !text;
    if (text && text.length < 200) this.fading = setTimeout(() => this._fault(""), 6000);
  }

  _standing() {
    return this.now.standing.replace(/^human has/, "you have");
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
    on("pause", "click", () => this.say({ do: "pause", on: !this.now?.paused }));
    on("step", "click", () => this._step());
    on("speed", "change", (event) => this.say({ do: "speed", turns: Number(event.target.value) }));
    for (const button of element("fog").children) {
      button.addEventListener("click", () => this.say({ do: "fog", viewer: Number(button.dataset.viewer) }));
    }
    for (const button of element("shares").children) {
      button.addEventListener("click", () => this.hand.setShare(Number(button.dataset.share)));
    }
    on("slider", "input", (event) => this.hand.setPeople(Number(event.target.value)));
    on("number", "input", (event) => this.hand.setPeople(Number(event.target.value)));
    on("send", "click", () => this._send());
    this.giveUp = new AskTwice(element("give-up"), "really give up?", () => this.say({ do: "give up" }));
    on("fault", "click", () => this._fault(""));
    on("new", "click", () => this.setup.open());
    watchTheme(element("theme"), () => this.drawing?.recolour());
    document.addEventListener("keydown", (event) => this._key(event));
    document.addEventListener("click", (event) => this._leaveButton(event));
  }

  _step() {
    if (!this.now.paused) this.say({ do: "pause", on: true });
    this.say({ do: "step" });
  }

  // A button that was clicked by a pointer does not keep the keys: Enter on the board would press it once more.
  _leaveButton(event) {
    if (event.detail && event.target.closest(".hand button, .controls button")) this.drawing?.canvas.focus();
  }

  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.now || element("setup").open) return;
    const { tagName, type } = event.target;
    const typing = tagName === "SELECT" || (tagName === "INPUT" && type === "number");
    const sliding = tagName === "INPUT" && event.key.startsWith("Arrow");
    const pressing = (tagName === "BUTTON" || tagName === "A") && (event.key === " " || event.key === "Enter");
    if (pressing || sliding || (typing && event.key !== "Enter" && event.key !== "Escape")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // A key held down moves on the board, but ends no turn after turn.
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
    const { hand } = this;
    const more = (people) => hand.move() && hand.setPeople(hand.people + people);
    return {
      ArrowLeft: () => hand.nextSource(-1),
      ArrowRight: () => hand.nextSource(1),
      ArrowUp: () => hand.nextTarget(-1),
      ArrowDown: () => hand.nextTarget(1),
      1: () => hand.setShare(0.25),
      2: () => hand.setShare(0.5),
      3: () => hand.setShare(0.75),
      4: () => hand.setShare(1),
      "+": () => more(1),
      "-": () => more(-1),
      Enter: () => this._send(),
      Escape: () => hand.clear(),
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
      f: () => !element("fog").hidden && this.say({ do: "fog", viewer: (this.now.viewer + 1) % 3 }),
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

// The table's key outlives a page that is loaded anew, not its tab.
function remember(key) {
  try {
    sessionStorage.setItem("table", key);
  } catch {
    // Without a memory every page gets a new table.
  }
}

function remembered() {
  try {
    return sessionStorage.getItem("table") ?? "";
  } catch {
    return "";
  }
}

function element(id) {
  return document.getElementById(id);
}

const page = new PlayPage(JSON.parse(element("data").textContent));
