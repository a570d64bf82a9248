// Input of a move: source, target and number of people, by clicks, drags and keys. It asks the server for nothing and knows no rule but
// that people go along edges from planets where there are some.
"use strict";

// The fraction with which every origin begins.
const FIRST_FRACTION = 0.5;

class MoveInput {
  // ``onChange``: called whenever something else is in the hand.
  constructor(onChange) {
    this.onChange = onChange;
    this.own = [];
    this.clear();
  }

  begin(game) {
    this.graph = game.graph;
    this.game = game;
    this.ways = game.graph.planets.map(() => new Map());
    for (const [a, b, weight] of game.graph.edges) {
      this.ways[a].set(b, weight * game.turns_per_weight);
      this.ways[b].set(a, weight * game.turns_per_weight);
    }
    this.clear();
  }

  // ``player`` moves in ``state``; 0: nobody does here.
  hold(state, player) {
    this.state = state;
    this.player = player;
    this.own = player ? state.planets.flatMap((_, i) => (this.most(i) ? [i] : [])) : [];
    if (this.source !== null && !this.blind && !this.own.includes(this.source)) this.clear();
    else this._amount();
  }

  clear() {
    this.last = null;
    this._release();
  }

  // How many may leave a planet, as far as its player knows.
  most(planet) {
    const { people, owner } = this.state.planets[planet];
    return people && (owner === this.player || this.game.coexistence) ? people[this.player - 1] : 0;
  }

  targets() {
    if (this.source === null) return [];
    return this.target === null ? [...this.ways[this.source].keys()] : [this.target];
  }

  // A planet was clicked: the first one sends, the second one receives, and once more it is sent. Says what is wrong.
  pick(planet) {
    if (planet === null || planet === this.source) return this.clear();
    if (this.source !== null && planet === this.target) return "send";
    if (this.source !== null && this.ways[this.source].has(planet)) return this._aim(planet);
    if (this.own.includes(planet)) return this._take(planet, false);
    const hidden = !this.state.planets[planet].people;
    if (this.source === null && hidden && this.game.coexistence) return this._take(planet, true);
    const id = this.graph.planets[planet][0];
    if (this.source === null) return `#${id} is not yours: begin with a planet of your own`;
    return `no edge joins #${this.graph.planets[this.source][0]} and #${id}`;
  }

  // Whether somebody may leave this planet: a drag from here aims.
  maySend(planet) {
    return this.player !== 0 && (this.own.includes(planet) || (this.game.coexistence && !this.state.planets[planet].people));
  }

  // A drag from one planet is over another one, or over none.
  drag(source, over) {
    const target = over !== null && this.ways[source].has(over) ? over : null;
    if (this.source !== source) this._take(source, !this.own.includes(source));
    if (this.target !== target) this._aim(target);
  }

  // ... and ends there. Returns whether it aims.
  drop(source, over) {
    this.drag(source, over);
    if (this.target === null) this.clear();
    return this.target !== null;
  }

  // Goes on from the planet that sent last, where none is picked.
  nextSource(steps) {
    if (this.own.length) this._take(next(this.own, this.source ?? this.last, steps), false);
  }

  nextTarget(steps) {
    if (this.source === null) this.nextSource(1);
    if (this.source !== null) this._aim(next([...this.ways[this.source].keys()], this.target, steps));
  }

  setFraction(fraction) {
    this.fraction = fraction;
    this._amount();
  }

  setPeople(people) {
    this.people = Math.max(1, Math.min(this.limit(), Math.round(people) || 1));
    if (!this.blind) this.fraction = this.people / this.limit();
    this.onChange();
  }

  // A blind one sends from a planet that the fog hides: nobody says how many are there.
  limit() {
    return this.blind ? 1e6 : Math.max(1, this.most(this.source));
  }

  turns() {
    return this.ways[this.source].get(this.target);
  }

  // The move by ids, null without one.
  move() {
    if (this.source === null || this.target === null) return null;
    return [this.graph.planets[this.source][0], this.graph.planets[this.target][0], this.people];
  }

  // Who owns the source once the people have left: the majority (R6), 0 for nobody; null where the fog hides it.
  ownerAfter() {
    const people = this.blind ? null : this.state.planets[this.source].people;
    if (!people) return null;
    const lead = (people[0] - people[1]) * (this.player === 1 ? 1 : -1) - this.people;
    return lead > 0 ? this.player : lead < 0 ? 3 - this.player : 0;
  }

  // Releases the source too, so that the next click begins a new move.
  sent() {
    this.last = this.source;
    this._release();
  }

  _release() {
    this.source = null;
    this.target = null;
    this.blind = false;
    this.onChange();
  }

  _take(planet, blind) {
    this.source = planet;
    this.target = null;
    this.blind = blind;
    this.fraction = FIRST_FRACTION;
    this._amount();
  }

  _aim(planet) {
    this.target = planet;
    this._amount();
  }

  _amount() {
    if (this.source !== null) this.people = this.blind ? 1 : this._share();
    this.onChange();
  }

  _share() {
    const most = this.most(this.source);
    return Math.max(1, this.fraction === "but one" ? most - 1 : Math.round(this.fraction * most));
  }
}

function next(list, current, steps) {
  const at = list.indexOf(current);
  return at < 0 ? list[steps > 0 ? 0 : list.length - 1] : list[(at + steps + list.length) % list.length];
}
