// A session: what a person has at the page. Orders, undo, aim and forecasts, standing orders, news and battles, the
// memory of the fog, looking back, hints. It reads nothing but what its referee shows to its player (referee.mjs).
import { Position, ownerOf } from "./engine.mjs";
import { makeForecast } from "./forecast.mjs";
import { Legality } from "./legality.mjs";
import { MoveCounts } from "./move_counts.mjs";
import { newsOf } from "./news.mjs";
import { makePlayer } from "./players.mjs";
import { PERSON, checkedMoves } from "./referee.mjs";

// Turns with news that are kept.
const TURNS_OF_NEWS = 40;

export class Session {
  // ``referee``: one of referee.mjs, or one at a server; ``agents``: by name, for hints, as of makePlayer.
  static async open(engine, referee, agents = {}) {
    const session = new Session(engine, referee, agents);
    await session._begin();
    return session;
  }

  constructor(engine, referee, agents) {
    Object.assign(this, { engine, referee, agents });
    this.setup = referee.setup;
    this.persons = this.setup.players.map((name) => name === PERSON);
    const called = (name) => (name === PERSON ? "human" : name);
    this.names = this.persons.every(Boolean) ? ["player 1", "player 2"] : this.setup.players.map(called);
    this.chosenViewer = 0; // of a game that nobody plays
    this.handedOver = 0;
  }

  async _begin() {
    const { graph, rules } = this.setup;
    this._supposed = new Position(this.engine, graph, rules, null);
    this._views = {};
    this._news = { 0: [], 1: [], 2: [] };
    this._seen = { 1: new Map(), 2: new Map() };
    this._standing = { 1: [], 2: [] };
    this._given = new Map();
    this._orders = [];
    this._accounts = null;
    const accounts = await this.referee.accounts();
    for (const account of accounts) this._hear(account);
    this.status = await this.referee.status();
    for (const viewer of this.status.viewers) this._views[viewer] ??= await this.referee.view(viewer);
    if (this.status.over) await this._open();
  }

  // ---- whose turn it is, and who sees what ----

  get personToMove() {
    return !this.status.over && this.persons[this.status.player - 1];
  }

  // The person who has to take over the page before anything is shown, 0 if nobody has to.
  get handover() {
    const { over, player } = this.status;
    return this.persons.every(Boolean) && !over && this.handedOver !== player ? player : 0;
  }

  get yours() {
    return this.personToMove && !this.handover;
  }

  // The player whose fog is shown, 0 for none.
  get viewer() {
    if (this.status.over) return 0;
    if (!this.persons.includes(true)) return this.chosenViewer;
    return this.persons.every(Boolean) ? this.status.player : 1 + this.persons.indexOf(true);
  }

  get mayLookBack() {
    return this.status.over || !this.persons.includes(true);
  }

  get statusText() {
    const { over, stopped, gave_up, winner, cut_off, player } = this.status;
    if (gave_up) return `${this.names[gave_up - 1]} has given up`;
    if (stopped) return "stopped";
    if (!over) return `${this.names[player - 1]} to move`;
    return winner ? `${this.names[winner - 1]} has won` : cut_off ? "cut off" : "a draw";
  }

  // ---- turns ----

  // The turn of the person to move ends with its orders.
  async endTurn() {
    this._checkPerson();
    await this._turn(this.referee.play(this._orders));
    this.handedOver = 0;
  }

  // The turn of the bot or agent to move.
  async advance() {
    await this._turn(this.referee.advance());
  }

  async giveUp() {
    const person = this.persons.every(Boolean) ? this.status.player : 1 + this.persons.indexOf(true);
    if (this.status.over) throw new Error(`the game is over: ${this.statusText}`);
    await this.referee.giveUp(person);
    this.status = await this.referee.status();
    this._orders = [];
    await this._open();
  }

  // The last turn of the only person, and what followed, never were; standing orders from before it stay.
  async takeBack() {
    const before = this._standing;
    await this.referee.takeBack();
    await this._begin();
    const { player, turn } = this.status;
    this._standing[player] = before[player].filter(([, , , since]) => since < turn);
    this._beginTurn();
  }

  ready() {
    this.handedOver = this.status.player;
  }

  async _turn(answer) {
    const account = await answer;
    this.status = await this.referee.status();
    this._hear(account);
    this._orders = [];
    this._given = new Map();
    if (this.status.over) await this._open();
    if (this.personToMove) this._beginTurn();
  }

  _hear({ player, views }) {
    for (const [key, { view, moves, before, now }] of Object.entries(views)) {
      const viewer = Number(key);
      // Of two people, only the one to move looks at the page.
      const looks = viewer === player || !this.persons.every(Boolean);
      if (viewer && looks) this._remember(this._ordered(view, moves ?? []));
      const happened = newsOf(this.engine, this.setup, this.names, viewer, before, now);
      if (happened.length) this._news[viewer] = [[now.turn, happened], ...this._news[viewer]].slice(0, TURNS_OF_NEWS);
      this._views[viewer] = now;
    }
  }

  // The game is over: everything may be seen now.
  async _open() {
    this._accounts = await this.referee.accounts();
    this._views[0] = await this.referee.view(0);
    this._news[0] = [];
    for (const { player, views } of this._accounts) this._hear({ player, views: { 0: views[0] } });
  }

  // ---- orders ----

  // Give several orders; if one of them is not possible, none is given. ``everyTurn``: standing orders, in percent.
  order(moves, everyTurn = false) {
    const before = [this._orders, structuredClone(this._standing), new Map(this._given)];
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
      [this._orders, this._standing, this._given] = before;
      throw fault;
    }
  }

  // Take an order of this turn back, by its place; -1: the last one.
  undo(order = -1) {
    const count = this._orders.length;
    if (!count) throw new Error("there is no move to take back on this turn");
    if (!Number.isInteger(order) || order < -1 || order >= count) {
      throw new Error(`this turn has ${count} moves, so there is none with the number ${order + 1}`);
    }
    this._orders.splice(order, 1);
  }

  // End a standing order of the person to move, by its place, and take back what it gave on this turn.
  stopSending(place) {
    this._checkPerson();
    const orders = this._standing[this.status.player];
    if (!orders[place]) {
      throw new Error(`there are ${orders.length} standing orders, so there is none with the number ${place + 1}`);
    }
    this._stop(orders[place]);
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

  _stop(order) {
    const { player } = this.status;
    const given = this._given.get(order[0]);
    this._standing[player] = this._standing[player].filter((one) => one !== order);
    this._given.delete(order[0]);
    const place = this._orders.findIndex((move) => String(move) === String(given));
    if (place >= 0) this._orders.splice(place, 1);
  }

  // Standing orders give their moves as a turn begins, and end where nobody is left.
  _beginTurn() {
    const { player } = this.status;
    this._orders = [];
    this._given = new Map();
    this._standing[player] = this._standing[player].filter(([source]) => this._peopleOn(source));
    this._orders = this._movesOf(this._standing[player]);
  }

  // The moves that standing orders give; the last person stays.
  _movesOf(orders) {
    return orders.flatMap(([source, destination, percent]) => {
      const there = this._peopleOn(source);
      const people = Math.min(Math.max(1, Math.floor((there * percent) / 100)), there - 1);
      if (people <= 0) return [];
      this._given.set(source, [source, destination, people]);
      return [[source, destination, people]];
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
    const fault = new Legality(this.view(this.status.player), this.setup.rules).faultIn(move);
    if (fault) throw new Error(fault);
  }

  // ---- what is shown ----

  // The view of ``viewer``, with the orders of this turn already taken off its planets.
  view(viewer) {
    return this._ordered(this._views[viewer], viewer === this.status.player ? this._orders : []);
  }

  // A planet that everybody leaves is neutral (R8).
  _ordered(view, moves) {
    if (!moves.length) return view;
    this._send(view, moves);
    const people = this._supposed.people();
    const planets = view.planets.map((planet, p) => {
      return planet.visible ? { ...planet, people: people[p], owner: ownerOf(people[p]) } : planet;
    });
    return { ...view, planets };
  }

  // The shuttles that take off if the player to move makes these moves, as far as the view shows where they leave.
  _leaving(view, moves, player) {
    if (!moves.length) return [];
    this._send(view, moves);
    return this._supposed.launched().map(([source, destination, people]) => {
      return [source, destination, player, people, this._flight(source, destination)];
    });
  }

  _send(view, moves) {
    this._supposed.suppose(view);
    for (const move of moves) this._supposed.send(move);
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
    if (!this.yours || new Legality(this.view(this.status.player), this.setup.rules).faultIn(checked)) return null;
    return this._forecast()?.outcome(checked) ?? null;
  }

  _forecast() {
    const { player } = this.status;
    const leaving = this._leaving(this._views[player], this._orders, player);
    return makeForecast(this.engine, this.setup, this.view(player), leaving);
  }

  // The moves that a bot or agent would make in place of the person to move, by what that person sees.
  hint(by) {
    this._checkPerson();
    const { graph, rules, max_turns, seed } = this.setup;
    const game = { engine: this.engine, graph, rules, maxTurns: max_turns, agents: this.agents };
    return makePlayer(by, game, seed).moves(this._views[this.status.player]);
  }

  // The moves of the turns before ``turn``, to play on from there.
  async movesBefore(turn) {
    const accounts = await this._accountsUpTo(turn);
    return accounts.slice(0, turn - 1).map(({ views }) => views[0].moves);
  }

  // The state of an earlier turn, in the form of `state`.
  async past(turn, viewer) {
    const accounts = await this._accountsUpTo(turn);
    if (turn > accounts.length) return this._stateOf(await this.referee.view(viewer), []);
    const { player, views } = accounts[turn - 1];
    return this._stateOf(views[viewer].view, this._leaving(views[viewer].view, views[viewer].moves ?? [], player));
  }

  async _accountsUpTo(turn) {
    if (!this.mayLookBack) throw new Error("the game is not over, and its turns would show what the fog hides");
    if (!Number.isInteger(turn) || turn < 1 || turn > this.status.turn) {
      throw new Error(`the game has turns 1 to ${this.status.turn}, not ${turn}`);
    }
    return this._accounts ?? (await this.referee.accounts());
  }

  // What ``viewer`` sees now, in the form of `state_data` in Python; orders are shuttles that are about to leave.
  state(viewer) {
    const { player } = this.status;
    const orders = viewer === player ? this._orders : [];
    return this._stateOf(this.view(viewer), this._leaving(this._views[viewer], orders, player));
  }

  _stateOf(view, leaving) {
    const { index } = this._supposed;
    const shuttles = [...view.shuttles, ...leaving].map(([source, destination, player, people, left]) => {
      const flight = this._flight(source, destination);
      return { from: index.get(source), to: index.get(destination), player, people, left, flight };
    });
    return { turn: view.turn, planets: view.planets.map((planet) => this._planetData(planet)), shuttles };
  }

  _planetData({ visible, people, size, habitability, base, owner }) {
    const { least, growth, most } = this.engine.manifest.radii;
    const radius = size === null ? null : Number(Math.min(most, least + growth * Math.sqrt(size)).toFixed(1));
    return { visible, people, size, habitability, base, owner, radius };
  }

  // The people of both players, in shuttles too, on every turn of a game that is over.
  totals() {
    if (!this.status.over) return [];
    const views = [...this._accounts.map(({ views }) => views[0].view), this._views[0]];
    return views.map(({ planets, shuttles }) => {
      const flying = (player) => shuttles.reduce((sum, shuttle) => sum + (shuttle[2] === player ? shuttle[3] : 0), 0);
      return [0, 1].map((side) => planets.reduce((sum, { people }) => sum + people[side], flying(side + 1)));
    });
  }

  // One sentence per strategy on its moves, once the game is over.
  note() {
    if (!this.status.over) return "";
    const said = [0, 1].filter((side) => !this.persons[side]).map((side) => {
      return MoveCounts.of(this._accounts.filter(({ player }) => player === side + 1)).describe(this.names[side]);
    });
    return said.filter(Boolean).join(". ");
  }

  // Everything that a page shows now, in the form of `state_message` in Python.
  message() {
    const { turn, player, over, winner } = this.status;
    const { viewer, handover, yours } = this;
    const shown = viewer && !handover;
    return {
      kind: "state",
      ...{ turn, player, viewer, handover, yours, over, winner },
      status: this.statusText,
      note: this.note(),
      orders: yours ? [...this._orders] : [],
      standing: shown ? [...this._standing[viewer]] : [],
      falls: this.falls(),
      events: handover ? [] : this._news[viewer],
      memory: shown ? this.memory(viewer) : [],
      may_look_back: this.mayLookBack,
      totals: this.totals(),
      state: handover ? null : this.state(viewer),
    };
  }
}
