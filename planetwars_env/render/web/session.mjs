// A session: what a person has at the page. Orders, undo, aim and forecasts, standing orders, news and battles, the
// memory of the fog, looking back, hints. It reads nothing but what its referee tells its player (referee.mjs).
import { Position, ownerOf } from "./engine.mjs";
import { makeForecast } from "./forecast.mjs";
import { layOut, radiusOf } from "./layout.mjs";
import { faultIn } from "./legality.mjs";
import { newsOf } from "./news.mjs";
import { makePlayer } from "./players.mjs";
import { RecordedGame } from "./recorded_game.mjs";
import { PERSON, checkedMoves } from "./referee.mjs";
import { nextSteps } from "./ways.mjs";

// Turns with news, and with notes of strategies, that are kept.
const TURNS_OF_NEWS = 40;
const TURNS_OF_NOTES = 20;
const FASTEST = 60; // turns per second

export class Session {
  // ``ask``: sends the referee a message, and gives its answer; ``agents``: by name, for hints, as of makePlayer;
  // ``kept``: {id, own}, what an earlier session of the game ``id`` had (`own`), or null; ``speed``: turns of bots and
  // strategies per second.
  constructor(engine, ask, agents = {}, kept = null, speed = 4) {
    this.engine = engine;
    this.agents = agents;
    this.game = null; // the message with which it began
    this.paused = false;
    this.speed = speed;
    this._ask = ask;
    this._kept = kept;
  }

  // A message of the referee.
  receive(message) {
    if (message.kind === "game") return this._begin(message);
    const { kind, notes, status, turn, whole } = message;
    const wasOver = this.status.over;
    this.notes = kind === "notes" ? notes : [...this.notes, ...notes];
    this.status = status;
    if (turn) this._play(turn);
    if (status.over && !wasOver) this._end(whole);
    if (turn && this.personToMove) this._beginTurn();
  }

  // A game begins, or the same one goes on from an earlier turn.
  _begin(game) {
    const { id, setup, views, turns, moves, notes, status } = game;
    const own = id === this.game?.id ? this.own() : id === this._kept?.id ? this._kept.own : null;
    this.game = game;
    this.setup = setup;
    this.notes = notes;
    this.status = status;
    this.persons = setup.here;
    this.names = setup.names;
    this.drawn = layOut(setup.graph);
    this.record = null; // the game, where everything may be seen
    this.chosenViewer = 0; // of a game that nobody plays
    this.handedOver = 0;
    this.paused = false;
    // A position to suppose things in; what lives where is the views' business.
    const planets = setup.graph.planets.map(({ id: planet }) => ({ id: planet, size: 1, habitability: 0, base: 0 }));
    this._supposed = new Position(this.engine, { planets, edges: setup.graph.edges }, setup.rules, null);
    this._news = { 0: [], 1: [], 2: [] };
    this._seen = { 1: new Map(), 2: new Map() };
    this._standing = { 1: [], 2: [] };
    this._front = { 1: false, 2: false };
    this._orders = [];
    this._counted = "";
    this._views = Object.fromEntries(Object.entries(views).map(([viewer, view]) => [viewer, this._whole(view)]));
    if (moves) this._open(setup.graph, moves);
    else for (const turn of turns) this._play(turn);
    if (status.over) this._end();
    try {
      if (own) this._resume(own);
    } catch {
      this._orders = []; // they are not of this game
    }
  }

  // What the referee does not know: the orders of this turn, standing ones, the clock, and who has taken over the page.
  own() {
    const { _orders: orders, _standing: standing, _front: front, handedOver, chosenViewer, paused, speed } = this;
    // The turn number does not rise where the last turn has been played.
    const turn = this.status.turn + Number(this.status.over);
    return { turn, orders, standing, front, handedOver, chosenViewer, paused, speed };
  }

  // It may come from anywhere: an Error if it is not possible. After a take back orders of a turn that never was are
  // gone.
  _resume({ turn, orders, standing, front, handedOver, chosenViewer, paused, speed }) {
    const { turn: now } = this.status;
    this.paused = Boolean(paused);
    if (Number.isInteger(speed) && speed >= 1 && speed <= FASTEST) this.speed = speed;
    const isStanding = ([source, destination, percent, since]) => {
      const joined = this._supposed.edge(source, destination) !== undefined;
      const possible = joined && Number.isInteger(percent) && percent >= 1 && percent <= 100;
      return possible && (turn > now ? since < now : since <= now);
    };
    for (const player of [1, 2]) {
      this._standing[player] = standing[player].filter(isStanding);
      this._front[player] = Boolean(front?.[player]);
    }
    this.chosenViewer = [1, 2].includes(chosenViewer) ? chosenViewer : 0;
    if (turn !== now) {
      if (this.personToMove) this._beginTurn();
      return;
    }
    this.handedOver = handedOver;
    if (this.personToMove) this.order(orders);
  }

  // ---- whose turn it is, and who sees what ----

  get personToMove() {
    return !this.status.over && this.persons[this.status.player - 1];
  }

  // Whether the game waits for a bot or a strategy, which moves by the clock.
  get waits() {
    const { over, player } = this.status;
    return !over && this.setup.players[player - 1] !== PERSON;
  }

  // Whether two people share the page.
  get _two() {
    return this.persons.every(Boolean);
  }

  // The person who has to take over the page before anything is shown, 0 if nobody has to.
  get handover() {
    const { over, player } = this.status;
    return this._two && !over && this.handedOver !== player ? player : 0;
  }

  get yours() {
    return this.personToMove && !this.handover;
  }

  // The player whose fog is shown, 0 for none.
  get viewer() {
    if (this.status.over) return 0;
    if (!this.persons.includes(true)) return this.chosenViewer;
    return this._two ? this.status.player : 1 + this.persons.indexOf(true);
  }

  get statusText() {
    const { over, stopped, gave_up, winner, cut_off, player, said } = this.status;
    if (said) return said;
    if (gave_up) return `${this.names[gave_up - 1]} has given up`;
    if (stopped) return "stopped";
    if (!over) return `${this.names[player - 1]} to move`;
    return winner ? `${this.names[winner - 1]} has won` : cut_off ? "cut off" : "a draw";
  }

  // ---- turns ----

  // The turn of the person to move ends with its orders.
  async endTurn() {
    await this._ask({ do: "play", turn: this.status.turn, moves: this._orders });
  }

  // The turn of a bot or strategy is asked for.
  async step() {
    await this._ask({ do: "step", turn: this.status.turn });
  }

  ready() {
    this.handedOver = this.status.player;
  }

  // Edges are always the same.
  _whole(view) {
    return { ...view, edges: this.setup.graph.edges };
  }

  // A turn was played: ``moves``, null where they are hidden, and what each viewer sees now, unless the game is open.
  _play({ player, moves, views = {} }) {
    this.record?.push(moves);
    const viewers = Object.keys(this.record ? this._views : views);
    for (const viewer of viewers.map(Number)) {
      const view = this._views[viewer];
      const before = this._after(view, (viewer === player || !viewer) && moves ? moves : []);
      // Of two people, only the one to move looks at the page.
      if (viewer && (viewer === player || !this._two)) this._remember(before);
      const now = this.record ? this.record.position.view(viewer) : this._whole(views[viewer]);
      const happened = newsOf(this.engine, this.setup, this.names, viewer, before, now);
      if (happened.length) this._news[viewer] = [[now.turn, happened], ...this._news[viewer]].slice(0, TURNS_OF_NEWS);
      this._views[viewer] = now;
    }
    if (this.persons[player - 1]) this.handedOver = 0;
    this._orders = [];
  }

  // Everything may be seen: the game is played again here.
  _open(graph, moves) {
    const { rules, max_turns, players } = this.setup;
    this.setup.graph = graph;
    const played = { winner: 0, cut_off: false, forfeit: null, console: [], moves: [] };
    const replay = { graph, rules, players: this.names, max_turns, ...played };
    this.record = new RecordedGame(this.engine, replay, this.drawn);
    const viewers = players.includes(PERSON) ? [0] : [0, 1, 2];
    this._views = Object.fromEntries(viewers.map((viewer) => [viewer, this.record.position.view(viewer)]));
    moves.forEach((turn, at) => this._play({ player: 1 + (at % 2), moves: turn }));
  }

  // The game is over. ``whole``: everything of it, where it was not seen before.
  _end(whole = null) {
    const { winner, cut_off } = this.status;
    this._orders = [];
    if (whole) {
      this.notes = whole.notes;
      this._open(whole.graph, whole.moves);
    }
    this.record.end(winner, cut_off);
    const strategies = [1, 2].filter((player) => this.setup.players[player - 1] !== PERSON);
    const said = strategies.map((player) => this.record.told(player, this.names[player - 1]));
    this._counted = said.filter(Boolean).join(". ");
  }

  // ---- orders ----

  // Give several orders; if one of them is not possible, none is given. ``everyTurn``: standing orders, in percent.
  order(moves, everyTurn = false) {
    const before = [this._orders, structuredClone(this._standing)];
    this._orders = [...this._orders];
    try {
      for (const move of checkedMoves(moves)) {
        if (everyTurn) this._keepSending(move);
        else {
          this._check(move);
          this._orders.push(move);
        }
      }
    } catch (fault) {
      [this._orders, this._standing] = before;
      throw fault;
    }
  }

  // Take an order of this turn back, by its place; -1: the last one.
  undo(order = -1) {
    this._orders.splice(order, 1);
  }

  // End a standing order of the person to move, by its place, and take back what it gave on this turn.
  stopSending(place) {
    const order = this._standing[this.status.player][place];
    if (order) this._stop(order);
  }

  _keepSending([source, destination, percent]) {
    if (percent < 1 || percent > 100) {
      throw new Error(`a standing order sends 1 to 100 % of the people on a planet, not ${percent} %`);
    }
    this._check([source, destination, 1]);
    const { player, turn } = this.status;
    for (const old of this._standing[player].filter(([from]) => from === source)) this._stop(old);
    const order = [source, destination, percent, turn];
    this._orders.push(...this._movesOf([order]));
    this._standing[player].push(order);
  }

  // A standing order ends, and what it gave on this turn is taken back.
  _stop(order) {
    const { player } = this.status;
    this._standing[player] = this._standing[player].filter((one) => one !== order);
    const place = this._orders.findLastIndex((move) => move[0] === order[0] && move[1] === order[1]);
    if (place >= 0) this._orders.splice(place, 1);
  }

  // Standing orders give their moves as a turn begins, and end where nobody is left.
  _beginTurn() {
    const { player } = this.status;
    this._orders = [];
    this._standing[player] = this._standing[player].filter(([source]) => this._peopleOn(source));
    this._orders = this._movesOf(this._standing[player]);
    this._orders.push(...this._movesOf(this._behindTheFront()));
  }

  // One standing order for all planets of the person to move whose neighbours are all its own, too: until it is
  // switched off, their people go to the others, along the shortest ways.
  sendToFront(on) {
    const { player } = this.status;
    for (const order of this._behindTheFront()) this._stop(order);
    this._front[player] = on;
    this._orders.push(...this._movesOf(this._behindTheFront()));
  }

  // Its orders: [source, destination, percent].
  _behindTheFront() {
    const { player } = this.status;
    if (!this._front[player]) return [];
    const { planets } = this._views[player];
    const owned = planets.flatMap(({ owner }, p) => (owner === player ? [p] : []));
    const ways = planets.map(() => new Map());
    const { index } = this._supposed;
    for (const { source, destination, turns } of this._supposed.edges)
      ways[index.get(source)].set(index.get(destination), turns);
    const front = owned.filter((p) => [...ways[p].keys()].some((other) => planets[other].owner !== player));
    const sending = new Set(this._standing[player].map(([source]) => source));
    const steps = [...nextSteps(ways, owned, front)].map(([p, next]) => [planets[p].id, planets[next].id, 100]);
    return steps.filter(([source]) => !sending.has(source));
  }

  // The moves that standing orders give; the last person stays.
  _movesOf(orders) {
    return orders.flatMap(([source, destination, percent]) => {
      const there = this._peopleOn(source);
      const people = Math.min(Math.max(1, Math.floor((there * percent) / 100)), there - 1);
      return people > 0 ? [[source, destination, people]] : [];
    });
  }

  _peopleOn(id) {
    const { player } = this.status;
    return this.view(player).planets[this._supposed.index.get(id)].people?.[player - 1] ?? 0;
  }

  _checkPerson() {
    if (!this.personToMove) throw new Error(`no person is to move: ${this.statusText}`);
  }

  _check(move) {
    this._checkPerson();
    const fault = faultIn(move, this.view(this.status.player), this.setup.rules);
    if (fault) throw new Error(fault);
  }

  // ---- what is shown ----

  // The view of ``viewer``, with the orders of this turn already taken off its planets.
  view(viewer) {
    return this._after(this._views[viewer], viewer === this.status.player ? this._orders : []);
  }

  // The view once the player to move has made these moves, as far as it shows where they leave: who remains on the
  // planets (one that everybody leaves is neutral, R8), and the shuttles that will take off, behind the others.
  _after(view, moves) {
    if (!moves.length) return view;
    this._supposed.suppose(view);
    for (const move of moves) this._supposed.send(move);
    const people = this._supposed.people();
    const planets = view.planets.map((planet, p) => {
      return planet.visible ? { ...planet, people: people[p], owner: ownerOf(people[p]) } : planet;
    });
    const leaving = this._supposed.launched().map(([source, destination, number]) => {
      return [source, destination, this._supposed.player, number, this._flight(source, destination)];
    });
    return { ...view, planets, shuttles: [...view.shuttles, ...leaving] };
  }

  _flight(source, destination) {
    return this._supposed.edges[this._supposed.edge(source, destination)].turns;
  }

  _remember({ player, turn, planets }) {
    planets.forEach((planet, p) => planet.visible && this._seen[player].set(p, { turn, ...this._planetData(planet) }));
  }

  // What was shown last of the planets that ``viewer`` does not see now.
  memory(viewer) {
    const seen = this._seen[viewer];
    const hidden = this.view(viewer).planets.flatMap(({ visible }, p) => (visible || !seen.has(p) ? [] : [p]));
    return hidden.map((planet) => ({ planet, ...seen.get(planet) }));
  }

  // Planets of the person to move that shuttles in sight will take: their indices, and the turns until then.
  falls() {
    return this.yours ? (this._forecast()?.falls() ?? []) : [];
  }

  // The forecast of a move of the person to move (forecast.mjs), null where it cannot be told.
  aim(move) {
    const [checked] = checkedMoves([move]);
    if (!this.yours || faultIn(checked, this.view(this.status.player), this.setup.rules)) return null;
    return this._forecast()?.outcome(checked) ?? null;
  }

  _forecast() {
    return makeForecast(this.engine, this.setup, this.view(this.status.player));
  }

  // The moves that a bot or agent would make in place of the person to move, by what that sees.
  hint(by) {
    this._checkPerson();
    const view = this._views[this.status.player];
    const planets = view.planets.map(({ id, size, habitability, base }) => {
      return { id, size: size ?? 1, habitability: habitability ?? 0, base: base ?? 0 };
    });
    const { graph, rules, max_turns, seed } = this.setup;
    const known = { planets, edges: graph.edges };
    const game = { engine: this.engine, graph: known, rules, maxTurns: max_turns, agents: this.agents };
    return makePlayer(by, game, seed).moves(view);
  }

  // What these moves lead to: of their destinations in sight [id, people of both there without them, and with them], as
  // the last of them has landed.
  foresee(moves) {
    const { player } = this.status;
    const view = this._views[player];
    const forecasts = [[], moves].map((sent) => makeForecast(this.engine, this.setup, this._after(view, sent)));
    const lands = new Map();
    for (const [source, destination] of moves) {
      lands.set(destination, Math.max(lands.get(destination) ?? 0, this._flight(source, destination)));
    }
    const seen = [...lands].filter(([id]) => view.planets[this._supposed.index.get(id)].visible && forecasts[0]);
    return seen.map(([id, turns]) => [id, ...forecasts.map((one) => one.later(turns)[this._supposed.index.get(id)])]);
  }

  // The state of an earlier turn of a game that may be seen, in the form of `state`.
  past(turn, viewer) {
    const frame = turn === this.status.turn ? this.record.length - 1 : turn - 1;
    return { ...this.record.state(frame, viewer), marks: this._marks(turn) };
  }

  // What ``viewer`` sees now, as drawing.js takes it; orders are shuttles that are about to leave.
  state(viewer) {
    const view = this.view(viewer);
    const { index } = this._supposed;
    const shuttles = view.shuttles.map(([source, destination, player, people, left]) => {
      const flight = this._flight(source, destination);
      return { from: index.get(source), to: index.get(destination), player, people, left, flight };
    });
    const planets = view.planets.map((planet) => this._planetData(planet));
    return { turn: view.turn, planets, shuttles, marks: this._marks(view.turn) };
  }

  _planetData({ visible, people, size, habitability, base, owner }) {
    const radius = size === null ? null : radiusOf(size, this.engine.manifest.radii);
    return { visible, people, size, habitability, base, owner, radius };
  }

  // ---- what strategies tell ----

  // Whether the fog that is shown leaves a player's notes. A person who asks for an opponent's gets all of them.
  _isTold(player) {
    return !this.record || !this.viewer || this.viewer === player;
  }

  // The notes of the last turns, the newest first.
  _console() {
    const told = this.notes.filter(({ player }) => this._isTold(player));
    return told.slice(-TURNS_OF_NOTES).reverse();
  }

  // Each player's marks of its last turn up to ``turn``.
  _marks(turn) {
    const { notes } = this;
    return [1, 2].filter((player) => this._isTold(player)).flatMap((player) => {
      const last = notes.findLast((one) => one.player === player && (one.turn === turn || one.turn === turn - 1));
      const known = (last?.marks ?? []).filter(([id]) => this._supposed.index.has(id));
      return known.map(([id, text]) => ({ planet: this._supposed.index.get(id), text, player }));
    });
  }

  // ---- the whole ----

  // Everything that a page shows now.
  message() {
    const { turn, player, over, winner } = this.status;
    const { fault = "", note = "", held = false, seconds = [0, 0] } = this.status;
    const { viewer, handover, yours, record, paused, speed } = this;
    const shown = viewer && !handover;
    return {
      kind: "state",
      ...{ turn, player, viewer, handover, yours, over, winner, paused, speed },
      status: this.statusText,
      fault,
      note: [note, this._counted].filter(Boolean).join(". "),
      orders: yours ? [...this._orders] : [],
      standing: shown ? [...this._standing[viewer]] : [],
      front: Boolean(shown && this._front[viewer]),
      falls: this.falls(),
      events: handover ? [] : this._news[viewer],
      memory: shown ? this.memory(viewer) : [],
      may_look_back: Boolean(record),
      console: this._console(),
      console_held: held,
      seconds: seconds.map((time, side) => (this._isTold(side + 1) ? time : 0)),
      totals: record ? record.totals.map((totals) => totals.slice(0, 2)) : [],
      ahead: record ? record.win : [],
      turning: record ? record.turningPoints : [],
      state: handover ? null : this.state(viewer),
    };
  }
}
