// Replay page: plays a recorded game, whose moves are in the page or in its address, or come in a file. It needs no
// server.

const SPEEDS = [1, 2, 4, 8, 16, 32];
// Milliseconds of a turn of the games to begin with.
const EXAMPLE_TURN = 400;

class ReplayPage {
  // ``game``: a RecordedGame; ``reading``: of an agent, or null; ``clock``: frames of the clock that it shares, 0 for
  // its own.
  // ``rivals``: players that may take over a side where the game is played on; null on pages of earlier versions.
  constructor(game, reading = null, clock = 0, rivals = null) {
    this.game = game;
    this.rivals = rivals;
    this.clock = clock;
    // The last frame of the clock; beside a longer game it goes on after the end of this one.
    this.last = (clock || game.length) - 1;
    this.players = game.replay.players;
    this.at = 0;
    this.viewer = 0;
    this.speed = 4;
    this.playing = false;
    // The planet that the window goes to while it follows what happens.
    this.following = false;
    this.target = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.drawing = new Drawing(element("canvas"), game.graph);
    this.box = new PlanetBox((planet) => describePlanet(game.graph, this.state, planet, this.players));
    this.planets = new PlanetList();
    this.curves = new Curves(element("curves"), (at) => this.seek(at));
    this.reader = new Reader(reading, game.graph, game.length);
    this.figures = null;
    this.list = new EventList(element("events"), (at) => `turn ${game.turn(at)}`, (at) => this.seek(at));
    this.address = new Address((at, viewer) => this._restore(at, viewer));
    this.actions = new Actions(replayActions(this), element("keys"));
    this._prepare();
    this._restore(...this.address.read());
  }

  // Events of the whole game, and its curves, which take longer than the first picture.
  survey() {
    this.figures = new Figures(element("figures"), this.game, this.curves, this.reader);
    this._showEvents();
    performance.mark("complete");
  }

  get events() {
    this._events ??= replayEvents(this.game, this.viewer, this._end());
    return this._events;
  }

  seek(at) {
    this.since = 0;
    this._go(this._within(at));
    this._tell();
  }

  _within(at) {
    return Math.max(0, Math.min(this.last, at));
  }

  play(playing) {
    if (playing && this.at === this.last) this.seek(0);
    this.playing = playing;
    element("play").textContent = playing ? "pause" : "play";
    if (playing) {
      this.since = 0;
      this.before = null;
      requestAnimationFrame((now) => this._tick(now));
    }
  }

  see(viewer) {
    this.viewer = viewer;
    showFog(viewer, this.players);
    this._events = null;
    if (this.figures) this._showEvents();
    this._go(this.at);
  }

  _showEvents() {
    this.list.fill(this.events);
    this.list.show(this.at);
    this.figures.see(this.viewer, this.events.filter(isMarked));
    this.figures.show(Math.min(this.at, this.game.length - 1));
  }

  // To the next marked event, or with -1 to the one before.
  jump(way) {
    const marked = this.events.filter(isMarked).map(({ at }) => at);
    const next = way > 0 ? marked.find((at) => at > this.at) : marked.findLast((at) => at < this.at);
    if (next !== undefined) this.step(next - this.at);
  }

  _restore(at, viewer) {
    this.since = 0;
    this.at = this._within(at);
    this.see(viewer);
    this._tell();
  }

  faster(steps) {
    const place = SPEEDS.indexOf(this.speed) + steps;
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, place))];
    element("speed").value = this.speed;
  }

  _tick(now) {
    if (!this.playing) return;
    this.before ??= now;
    this.since += ((now - this.before) / 1000) * this.speed;
    this.before = now;
    const whole = Math.floor(this.since);
    if (whole) {
      this.since -= whole;
      this._go(Math.min(this.last, this.at + whole));
    } else if (!this.calm) {
      this._approach(0.06);
      this.drawing.show(this.state, this.since);
    }
    this._tell();
    if (this.at === this.last) this.play(false);
    else requestAnimationFrame((next) => this._tick(next));
  }

  // While it plays, the window moves there in many small steps.
  _approach(part) {
    if (!this.following || this.target === null) return;
    this.drawing.view.approach(this.target, part);
    this.drawing.gestures.showFit();
  }

  follow() {
    this.following = !this.following;
    press(element("follow"), this.following);
    if (!this.following) return this.drawing.gestures.showAll();
    this.target ??= this.game.planets.findIndex(([, , base]) => base === (this.viewer || 1));
    this._go(this.at);
  }

  // The game beside this one keeps the same clock (pair.js).
  _tell() {
    if (this.clock) parent.postMessage({ at: this.at, since: this.calm ? 0 : this.since }, "*");
  }

  _follow({ at, since }) {
    if (this.playing) this.play(false);
    if (at !== this.at) this._go(at);
    this.drawing.show(this.state, at < this.game.length - 1 ? since : 0);
  }

  _go(at) {
    this.at = at;
    const shown = Math.min(at, this.game.length - 1);
    this.state = this.game.state(shown, this.viewer);
    this.state.changed = at === shown ? planetEventsAt(this.game, at, this.viewer) : [];
    this.state.winner = at === this.game.length - 1 ? this.game.replay.winner : 0;
    this.target = this.state.changed.findLast(({ kind }) => kind !== "held")?.planet ?? this.target;
    this._approach(this.playing && !this.calm ? 0.06 : 1);
    this.state.influence = this.reader.show(at, this.viewer);
    this._showNotes();
    this.drawing.show(this.state, this.playing && !this.calm ? this.since : 0);
    this.planets.show(this.game.graph, this.state, this.players);
    this.curves.show(at);
    this.figures?.show(shown);
    this.address.write(at, this.viewer);
    element("scrubber").value = at;
    element("turn").textContent = `turn ${this.game.turn(at)} of ${this.game.turns}`;
    const moves = at < this.game.length - 1;
    element("status").textContent = moves ? `${this.players[at % 2]} to move` : this._end().split(": ")[0];
    // Those who are about to leave are still on their planets.
    const shuttles = this.state.shuttles.filter((shuttle) => shuttle.left < shuttle.flight);
    showTotals({ ...this.state, shuttles }, this.viewer);
    element("log").textContent = this._moves();
    this.list.show(at);
    this.box.refresh();
  }

  // What the strategies told on this turn, and the marks of each one's last turn.
  _showNotes() {
    const { console } = this.game;
    if (!console.length) return;
    const turn = this.game.turn(this.at);
    const recent = console.filter((one) => one.turn <= turn && (!this.viewer || one.player === this.viewer));
    showConsole(element("console"), recent.slice(-20).reverse(), this.players);
    this.state.marks = recent
      .filter((one) => one.turn >= turn - 1)
      .flatMap(({ player, marks }) => marks.map(([planet, text]) => ({ planet, text, player })));
  }

  _end() {
    const { winner, cut_off } = this.game.replay;
    if (this.game.forfeit) return this.game.forfeit;
    const drawn = cut_off ? "cut off" : this.game.over ? "a draw" : "not played to its end";
    return winner ? `${this.players[winner - 1]} has won` : drawn;
  }

  _moves() {
    const { game } = this;
    if (this.at >= game.length - 1) return [game.forfeit || game.repetition, ...game.moves].filter(Boolean).join("; ");
    const orders = this.state.shuttles.filter((shuttle) => shuttle.left === shuttle.flight);
    const id = (planet) => this.game.graph.planets[planet][0];
    const said = orders.map((order) => `${order.people} from #${id(order.from)} to #${id(order.to)}`);
    return said.length ? `${this.players[orders[0].player - 1]} sends ${said.join(", ")}` : "";
  }

  _prepare() {
    const { players, game: { graph, replay: { rules } } } = this;
    document.title = `${players[0]} against ${players[1]} on ${graph.name || "a graph"}, ${rules.name}`;
    players.forEach((name, i) => {
      element(`name-${i + 1}`).textContent = name;
    });
    element("scrubber").max = this.last;
    this.curves.longest = this.last + 1;
    document.body.classList.toggle("paired", Boolean(this.clock));
    element("link").hidden = !this.address.own;
    // Neither a page in a notebook nor one that the play server made of a dropped replay can be loaded again.
    element("play-on").hidden = !this.rivals || ["about:", "blob:"].includes(location.protocol);
    on("play-on", "click", ({ target }) => {
      this.address.writeNow(); // on a saved page the next entry of the history is the game's
      target.href = `${target.href.split("#")[0]}#game=${this._goneOn()}`;
    });
    SPEEDS.forEach(offerSpeed);
    element("speed").value = this.speed;
    element("notes").hidden = !this.game.console.length;
    on("scrubber", "input", (event) => this.seek(Number(event.target.value)));
    on("speed", "change", (event) => {
      this.speed = Number(event.target.value);
      event.target.blur();
    });
    // After a click the keys are the page's again; who goes from button to button by Tab stays there.
    document.addEventListener("click", (/** @type {any} */ { detail, target }) => {
      if (detail) target.closest("button")?.blur();
    });
    const { gestures } = this.drawing;
    gestures.onHover = (planet, x, y) => this.box.show(planet, x, y);
    gestures.onPick = (planet, touch) => this.box.pick(this.drawing, planet, touch);
    document.addEventListener("keydown", (event) => this.actions.press(event));
    this.actions.show();
    if (this.clock) addEventListener("message", (event) => event.source === parent && this._follow(event.data));
  }

  step(turns) {
    if (this.playing) this.play(false);
    this.seek(this.at + turns);
  }

  // The game so far, with a person in place of whose view is shown, or of who is to move, and with ai3 in place of an
  // opponent that does not play in pages. A game that is over goes on from its last turn.
  _goneOn() {
    const at = this.game.overAt(this.at) ? this.at - 1 : this.at;
    const you = this.viewer || (at % 2) + 1;
    const seat = (name, i) => (i + 1 === you ? "you" : this.rivals.includes(name) ? name : "ai3");
    return this.game.forAddress(at, this.players.map(seat));
  }

  // Whether rings show what the agent's choices depend on.
  mark(marking) {
    this.reader.marking = marking;
    press(element("influence"), marking);
    this._go(this.at);
  }
}

// As in keys.js.
function replayActions(page) {
  return [
    { id: "play", keys: [" "], said: "play, pause", run: () => page.play(!page.playing) },
    { id: "back", keys: ["ArrowLeft"], run: (_, far) => page.step(far ? -10 : -1) },
    { id: "next", keys: ["ArrowRight"], run: (_, far) => page.step(far ? 10 : 1) },
    { keys: ["ArrowLeft", "ArrowRight"], said: "step, with shift ten" },
    { id: "first", keys: ["Home"], run: () => page.seek(0) },
    { id: "last", keys: ["End"], run: () => page.seek(page.last) },
    { id: "event-back", run: () => page.jump(-1) },
    {
      id: "event-next", keys: ["n"], said: "next event, with shift the one before",
      run: (_, back) => page.jump(back ? -1 : 1),
    },
    { keys: ["+", "-"], said: "speed", run: (key) => page.faster(key === "+" ? 1 : -1) },
    { id: "fit", keys: ["0"], run: () => page.drawing.gestures.showAll() },
    { id: "fog-0", run: () => page.see(0) },
    { id: "fog-1", run: () => page.see(1) },
    { id: "fog-2", keys: ["f"], said: "fog", run: (key) => page.see(key ? (page.viewer + 1) % 3 : 2) },
    { id: "follow", keys: ["a"], said: "follow", run: () => page.follow() },
    { id: "link", keys: ["l"], said: "copy a link", run: () => page.address.copy(element("link")) },
    { id: "influence", run: () => page.mark(!page.reader.marking) },
    { keys: ["t"], said: "light, dark", run: () => element("theme").click() },
  ];
}

// The game that the page shows, from its data or its address; without one it waits for a file.
let page;

async function begin() {
  const { replay, reader, clock, examples, rivals } = JSON.parse(element("data").textContent);
  const opened = Address.replay();
  const player = new Player(ENGINE);
  const tell = (text) => {
    element("open-fault").textContent = text;
    element("open-fault").hidden = !text;
  };
  const open = async (file) => {
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const game = await player.read(bytes);
      game.check();
      const told = `${file.name}: it is too long for an address: planetwars watch FILE --out game.html makes its page`;
      tell(Address.open(await pack(bytes)) ? "" : told);
    } catch (fault) {
      tell(`${file.name}: ${fault.message}`);
    }
  };
  if (!clock && location.protocol !== "about:") takeFiles(element("open-file"), open);
  const wait = () => {
    document.body.classList.add("empty");
    element("waiting").hidden = Boolean(replay);
    return showExamples(player, examples ?? []);
  };
  if (!opened && !replay) return wait();
  try {
    const game = await player.unpack(opened ?? replay);
    page = new ReplayPage(game, opened ? null : reader, clock, rivals);
    performance.mark("ready");
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    page.survey();
  } catch (fault) {
    tell(`The game cannot be shown: ${fault.message}.`);
    await wait();
  }
}

// Games to begin with, each with a picture that plays it. ``examples``: packed, for an address.
async function showExamples(player, examples) {
  element("examples-box").hidden = !examples.length;
  for (const packed of examples) {
    const game = await player.unpack(packed);
    const { players, winner, turns } = game.replay;
    const name = (i) => made("span", `${["one", "two"][i]} ${winner === i + 1 ? "won" : ""}`, players[i]);
    const told = made("small", "", `on ${game.graph.name}, ${turns} turns`);
    const canvas = made("canvas", "");
    const card = made("button", "", canvas, made("span", "", name(0), " against ", name(1), told));
    card.addEventListener("click", () => Address.open(packed));
    element("examples").append(card);
    const drawing = new Drawing(canvas, game.graph);
    drawing.words = false;
    let at = Math.round(game.length * 0.7);
    drawing.show(game.state(at, 0));
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
      setInterval(() => drawing.show(game.state((at = (at + 1) % game.length), 0)), EXAMPLE_TURN);
  }
}

begin();
