// Play page: shows the states of its connection, which hold what its player may see, and does its player's actions.

const SPEEDS = [1, 2, 4, 8, 16, 60];
// Milliseconds.
const FLASH = 1200;

class PlayPage {
  constructor(data) {
    const { choices, first } = data;
    this.choices = choices;
    this.game = null;
    this.now = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.input = new MoveInput(() => this._showMove());
    this.amount = new MovePanel(this.input);
    this.look = new LookBack((turn) => this.connection.past(turn), () => this._refresh());
    // Hidden planets show what was seen of them last.
    this.remembers = stored("memory") !== "off";
    this.box = new PlanetBox((planet) => {
      return this.shown ? describePlanet(this.game.graph, this.shown, planet, this.names) : "";
    });
    this.line = new TurnLine(this);
    this.list = new PlanetList();
    this.untilNews = new UntilNews(this);
    this.legend = new Legend(() => this.guide.show());
    this.guide = new Guide(this);
    this.series = new Series();
    this.setup = new SetupDialog(choices, first, (message, best) => {
      this.series.want(best, message.players);
      this.connection.begin(message);
    });
    this.result = new ResultPanel(this);
    this.actions = new Actions(playActions(this), element("keys"));
    this._prepare(choices, first);
    const [receive, tell] = [(message) => this._receive(message), (text) => this.showError(text)];
    this.connection = new Connection(receive, tell, data, ENGINE, ask);
  }

  // ``action``: on this turn, with the session.
  act(action) {
    if (this.now) this.connection.act(action, this.now.turn);
  }

  undo(order) {
    this.act((session) => session.undo(order));
  }

  end() {
    this.act((session) => session.endTurn());
  }

  see(viewer) {
    this.connection.act((session) => (session.chosenViewer = viewer));
  }

  pause(on) {
    this.connection.act((session) => (session.paused = on));
  }

  step() {
    if (!this.now.paused) this.pause(true);
    this.connection.act((session) => session.step());
  }

  sendMove() {
    this._order(this.input.moves());
  }

  // On every turn from now on. Where many send to one of their own, nothing goes on leaving it.
  keepSending() {
    const { percent, sources, target } = this.input;
    const gathers = sources.includes(target) ? this.game.graph.planets[target][0] : null;
    const old = this.now.standing.findIndex(([source]) => source === gathers);
    if (old >= 0) this._stopSending(old);
    if (!this.input.blind) this._order(this.input.moves().map(([source, target]) => [source, target, percent]), true);
  }

  _stopSending(order) {
    this.act((session) => session.stopSending(order));
  }

  _order(moves, everyTurn = false) {
    if (!moves.length) return;
    this.act((session) => session.order(moves, everyTurn));
    this.input.sent();
    this.box.show(null);
  }

  _receive(message) {
    if (message.kind === "game") this._begin(message);
    else if (message.kind === "state") this._show(message);
    else {
      this.line.begin();
      this.line.show();
      this.untilNews.stop("");
      this.series.wanted = undefined;
      this.showError(message.text);
    }
  }

  // A turn of this game is played once more, beside the ``moves`` that were made on it.
  playFrom(turn, moves) {
    this.again = moves;
    this.newGame(this.game.players, { start: turn });
  }

  // On the graph of this game and by its rules, unless ``more`` says otherwise.
  newGame(players, more) {
    this.connection.begin({ players, graph: "", rules: "", seed: null, max_turns: null, start: null, ...more });
  }

  // The game as a file, or as a page that plays it, which the server makes.
  async save(asPage) {
    try {
      const replay = await this.connection.replay(element("keep-console").checked);
      const name = fileName(`${replay.players.join(" against ")} on ${replay.graph.name || "graph"}`);
      if (!asPage) return download(`${name}.json`, `${JSON.stringify(replay)}\n`, "application/json");
      const { page, error } = await ask("/watch", replay);
      if (error) this.showError(error);
      else download(`${name}.html`, page, "text/html");
    } catch (fault) {
      this.showError(fault.message);
    }
  }

  _begin(game) {
    this.game = game;
    this.now = this.drawn = this.asked = null;
    this.guide.begin(game);
    // "human" in a replay is "you" on the page, and who waits in the first game has no name.
    const called = { you: { human: "you" }, noop: { noop: this.guide.on ? "opponent" : "noop" } };
    this.names = game.names.map((name, i) => called[game.players[i]]?.[name] ?? name);
    document.documentElement.classList.toggle("watched", !game.players.includes("you"));
    if (this.drawing) {
      this.drawing.gestures.forget();
      this.drawing.change(game.graph, null);
    } else this._listenTo((this.drawing = new Drawing(element("canvas"), game.graph)).gestures);
    this.drawing.gestures.showAll();
    this.selectMore(false);
    this.input.begin(game);
    this.look.begin();
    this.series.begin();
    markAgents(element("hint-by"), this.choices.agents, game.rules);
    element("result").hidden = true;
    this.line.begin();
    this.legend.show(game);
    element("legend-guide").hidden = Boolean(game.you);
    this.names.forEach((name, i) => {
      element(`name-${i + 1}`).textContent = i + 1 === game.you && name !== "you" ? `you, ${name}` : name;
    });
    document.title = `${this.names[0]} against ${this.names[1]} on ${game.graph.name || "a graph"}, ${game.rules}`;
    element("setup-start").disabled = false;
    this.setup.close();
    this.drawing.canvas.focus();
  }

  _listenTo(gestures) {
    gestures.onHover = (planet, x, y) => this.box.show(planet, x, y);
    gestures.onPick = (planet, touch, more) => this._pick(planet, touch, more);
    gestures.onBox = (planets) => {
      if (this.now?.yours && !this.look.past) this.input.select(planets);
      this.selectMore(false);
    };
    gestures.mayDrag = (planet) => Boolean(this.now?.yours) && this.input.maySend(planet);
    gestures.onDrag = (from, over) => this.input.drag(from, over);
    gestures.onDrop = (from, over, shift) => {
      if (this.now?.yours && this.input.drop(from, over) && shift) this.sendMove();
    };
    gestures.onZoom = () => this.now && this.actions.show();
  }

  _show(now) {
    const before = this.now;
    const another = !before || before.turn !== now.turn;
    this.now = now;
    // Planets that will fall are marked like those that strategies mark.
    const lost = now.falls.map(([planet, turns]) => ({ planet, text: `⚠ lost in ${turns}`, player: 3 - now.player }));
    now.state?.marks.push(...lost);
    // A fault is told when it happens; its text stands in the console.
    if (now.fault && now.fault !== before?.fault) this.showError(now.fault);
    else if (another) this.showError("");
    const dialog = element("handover");
    dialog.className = ["", "one", "two"][now.handover];
    if (!now.handover) dialog.close();
    else if (!dialog.open) dialog.showModal();
    element("handover-text").textContent = now.handover ? `It is ${this.names[now.handover - 1]}'s turn.` : "";
    this.look.hold(now);
    this.input.hold(now.state, now.yours ? now.player : 0);
    if (another || now.over) this.line.begin();
    if (another && now.yours) this.input.clear();
    this.untilNews.hold(now);
    this._refresh();
    if (now.yours && this.again) this.line.askHint(this.again);
    this.again = null;
  }

  // Everything, as the game stands now or stood on the turn that is looked at.
  _refresh() {
    const { now } = this;
    this._remember(now);
    if (now.state) this._draw(now);
    else this._blank();
    this._showTurn(now);
    this._showControls(now);
    this.line.show();
    this.listOrders("orders", now.orders, describeOrder, now.yours && ((order) => this.undo(order)));
    const standing = ([source, target, percent]) => [`${percent} % from #${source} to #${target}`];
    this.listOrders("standing", now.standing, standing, now.yours && ((order) => this._stopSending(order)));
    if (now.front) {
      const row = made("li", "", "all behind the front, to the front");
      const end = () => this.act((session) => session.sendToFront(false));
      if (now.yours) row.append(madeButton("×", "no longer to the front", end));
      element("standing").append(row);
      element("standing-box").hidden = false;
    }
    this.untilNews.show();
    const news = ([turn, said]) =>
      made("li", "", made("b", "", `turn ${turn}`), ` ${said.map(inSecondPerson).join("; ")}`);
    fillList(element("events"), now.events, () => now.events.map(news));
    element("note").textContent = now.note;
    this._showConsole(now);
    this.result.show(now, this.status);
    this.guide.show();
    this.actions.show();
    this.box.refresh();
  }

  // Adds ``last`` to the hidden planets of a state, for drawing.js and details.js.
  _remember({ state, memory }) {
    press(element("memory"), this.remembers);
    state?.planets.forEach((planet) => delete planet.last);
    if (state && this.remembers) for (const seen of memory) state.planets[seen.planet].last = seen;
  }

  // A list of orders by ids beside the board; those that land first come first. ``describe`` puts one in words, and
  // perhaps in a second text what comes of it; ``onUndo``: called with an order's place, null while nothing can be
  // taken back. The edge of one that is pointed at lights up.
  listOrders(id, orders, describe, onUndo = null) {
    const { edges } = this.game.graph;
    if (id !== "orders") element(`${id}-box`).hidden = !orders.length;
    const rows = orders.map((order, i) => {
      const [said, comes = ""] = describe(order);
      const row = made("li", "", said, made("span", "soft", comes));
      const edge = this._edgeOf(order);
      const light = (one) => this.drawing.emphasise(this.input.sources, this.input.targets(), one);
      row.addEventListener("pointerenter", () => light(edge));
      row.addEventListener("pointerleave", () => light(null));
      if (onUndo) row.append(madeButton("×", `take back: ${said}`, () => onUndo(i)));
      return { row, turns: edges[edge][2] };
    });
    element(id).replaceChildren(...rows.sort((one, other) => one.turns - other.turns).map(({ row }) => row));
  }

  // The forecast of the move in the hand (session.mjs), null where the fog hides it.
  get outcome() {
    const { turn, orders, yours } = this.now;
    const move = yours ? this.input.move() : null;
    const question = JSON.stringify([turn, orders, move]);
    if (question !== this.asked) this.answer = move && this.connection.session.aim(move);
    this.asked = question;
    return this.answer;
  }

  get shown() {
    return this.look.past ? this.look.past.state : this.now?.state;
  }

  _edgeOf([source, target]) {
    const ends = [this.indexOf(source), this.indexOf(target)];
    return this.game.graph.edges.findIndex(([a, b]) => ends.includes(a) && ends.includes(b));
  }

  // While a strategy has its turn, shuttles fly on until the next state comes.
  _draw(now) {
    this._fight(now);
    const moving = !now.yours && !now.over && !now.paused && !this.calm && !this.look.past;
    const standing = this.look.past ? [] : now.standing;
    this.drawing.standing = standing.map(([from, to]) => [this.indexOf(from), this.indexOf(to), now.viewer]);
    this.drawing.show(this.shown, 0);
    this.list.show(this.game.graph, this.shown, this.names);
    const shown = (this.moving = {});
    if (moving) animate(1000 / now.speed, (flown) => this.moving === shown && this.drawing.show(now.state, flown));
  }

  indexOf(id) {
    return this.game.graph.planets.findIndex(([planet]) => planet === id);
  }

  // Battles of the turn that has begun flash once.
  _fight(now) {
    const { drawn, game, names } = this;
    const { state } = now;
    if (this.look.past || state.turn === drawn?.turn) return;
    this.drawn = state;
    if (now.over) state.winner = now.winner;
    if (drawn?.turn !== state.turn - 1 || this.calm || now.handover) return;
    const replay = { players: names, rules: { coexistence: game.coexistence } };
    const shown = { graph: game.graph, planets: state.planets.map(({ base }) => [0, 0, base]), replay };
    state.changed = state.planets.flatMap((_, planet) => planetEvents(shown, drawn, state, planet, now.viewer));
    if (!state.changed.length) return;
    animate(FLASH, (faded) => {
      this.drawing.faded = faded;
      if (faded === 1) state.changed = [];
      this.drawing.draw();
      return this.shown === state;
    });
  }

  // Nothing of what the other player saw stays on the screen, or in the page.
  _blank() {
    this.moving = null;
    this.drawing.show(null);
    this.list.show(this.game.graph, null, this.names);
    this.box.show(null);
    for (const player of [1, 2]) element(`totals-${player}`).textContent = "";
  }

  _showTurn(now) {
    const { past } = this.look;
    element("turn").textContent = `turn ${past ? past.turn : now.turn} of ${this.game.max_turns}`;
    // Who has won, and why, stands in the panel of the result.
    const said = now.yours && (this.game.you || !this._two()) ? "your turn" : now.over ? "game over" : this.status;
    element("status").textContent = past ? `looking back; now: turn ${now.turn}` : said;
    document.body.classList.toggle("two-plays", now.viewer === 2);
    document.body.classList.toggle("over", now.over);
    if (this.shown) showTotals(this.shown, now.viewer);
  }

  _showConsole({ console, console_held, seconds }) {
    element("console-box").hidden = !console.length && !console_held;
    element("console-ask").hidden = !console_held;
    showConsole(element("console"), console, this.names);
    const said = seconds.map((time, i) => (time ? `${this.names[i]} ${describeSeconds(time)}` : "")).filter(Boolean);
    element("seconds").textContent = said.length ? `(last turn: ${said.join(", ")})` : "";
    element("with-console").hidden = !console.length;
  }

  // What there is depends on the game: an element is shown when all words of its data-when hold.
  _showControls(now) {
    const [plays, two, shared] = [this.game.players.includes("you"), this._two(), Boolean(this.game.you)];
    const running = !now.over;
    const holds = { plays, running, watched: !plays, single: !two, alone: !two || shared, seen: !now.handover };
    Object.assign(holds, { open: !plays || !running, free: !shared || !running, told: plays || !running });
    holds.early = now.turn <= LAST_ADVICE;
    for (const one of document.querySelectorAll("[data-when]")) {
      one.hidden = !one.dataset.when.split(" ").every((word) => holds[word]);
    }
    press(element("to-front"), now.front);
    element("pause").textContent = now.paused ? "go on" : "pause";
    press(element("pause"), now.paused);
    offerSpeed(now.speed);
    element("speed").value = now.speed;
    showFog(now.viewer, this.names);
  }

  _showMove() {
    if (!this.drawing || !this.now) return;
    const { input } = this;
    if (this.now.state) this.drawing.emphasise(input.sources, input.targets());
    // It keeps its place while somebody plays: the graph must not jump under the pointer.
    element("move").hidden = !this.game.players.includes("you") || this.now.over;
    this.amount.show();
    this.guide.show();
    this.line.show();
    this.actions.show();
  }

  // Fingers do not hover: a tap tells about the planet as well.
  _pick(planet, touch, more) {
    const yours = this.now?.yours && !this.look.past;
    const aiming = this.input.sources.length > 0;
    if (touch || !yours) this.box.pick(this.drawing, planet, touch);
    if (!yours) return;
    const said = this.input.pick(planet, more);
    // The line below the board tells about a destination.
    if (this.input.target !== null) this.box.show(null);
    if (said === "send") this.sendMove();
    // A tap on a planet that cannot send asks about it; only one that was to be a destination is an error.
    else this.showError(said && (aiming || !touch) ? said : "");
  }

  // While it is on, taps add planets to those that send, as clicks with shift do.
  selectMore(on) {
    this.drawing.gestures.selecting = on;
    press(element("several"), on);
  }

  showError(text) {
    clearTimeout(this.fading);
    if (element("setup").open && text) return this.setup.showError(text);
    element("error").textContent = text;
    element("error").hidden = !text;
    if (text && text.length < 200) this.fading = setTimeout(() => this.showError(""), 6000);
  }

  get status() {
    return inSecondPerson(this.now.status);
  }

  _two() {
    return this.game.players.every((player) => player === "you");
  }

  _prepare({ hints }, first) {
    SPEEDS.forEach(offerSpeed);
    on("speed", "change", (event) => this.connection.act((session) => (session.speed = Number(event.target.value))));
    for (const name of hints) element("hint-by").add(new Option(name, name));
    if (hints.includes(stored("hint"))) element("hint-by").value = stored("hint");
    on("hint-by", "change", (event) => store("hint", event.target.value));
    on("memory", "click", () => {
      this.remembers = !this.remembers;
      store("memory", this.remembers ? "on" : "off");
      this._refresh();
    });
    // The menu closes after a choice; a button that asks once more is none.
    on("menu", "click", ({ target }) => target.closest("button:not([popovertarget])") && element("menu").hidePopover());
    on("handover", "close", () => this.now.handover && this.connection.act((session) => session.ready()));
    on("error", "click", () => this.showError(""));
    // A replay from a file is watched on a page of its own.
    takeFiles(element("open-replay"), async (file) => {
      const { page, error } = await ask("/watch", file);
      if (error) return this.showError(`${file.name}: ${error}`);
      location.href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    });
    // Other pages are reached neither from a saved page nor from inside a notebook.
    const alone = pageData.alone || pageData.token;
    for (const link of document.querySelectorAll("a[href]")) link.hidden = Boolean(alone);
    element("save-page").hidden = Boolean(pageData.alone);
    // The link of a shared game works once: its token is of no use to anybody who reads the address later.
    if (first.shared) history.replaceState(null, "", "/");
    document.addEventListener("keydown", (event) => {
      if (!this.now || document.querySelector("dialog[open]")) return;
      this.actions.press(event);
      this.actions.show();
    });
    // A button that was clicked by a pointer does not keep the keys: Enter on the graph would press it once more.
    document.addEventListener("click", (/** @type {any} */ { detail, target }) => {
      if (detail && target.closest("button") && !target.closest("dialog")) this.drawing?.canvas.focus();
    });
  }
}

// "human" in the game is the reader.
function inSecondPerson(text) {
  return text.replace(/^human has/, "you have").replace(/^human attacks/, "you attack");
}

const page = new PlayPage(pageData);
