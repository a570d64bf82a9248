// Input of moves: source (or several), target and number of people, by clicks, drags and keys, and the controls of the
// move in the hand. It asks the server for nothing and knows no rule but that people go along edges from planets where
// there are some.

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
    const left = this.blind ? this.sources : this.sources.filter((planet) => this.own.includes(planet));
    if (left.length < this.sources.length) this._gather(left);
    else this._amount();
  }

  clear() {
    this.last = null;
    this._take([]);
  }

  // Releases the source too, so that the next click begins a new move.
  sent() {
    this.last = this.sources.at(-1);
    this._take([]);
  }

  // How many may leave a planet, as far as its player knows.
  most(planet) {
    const { people, owner } = this.state.planets[planet];
    return people && (owner === this.player || this.game.coexistence) ? people[this.player - 1] : 0;
  }

  // The only planet that sends, null where several or none do.
  get source() {
    return this.many || !this.sources.length ? null : this.sources[0];
  }

  get many() {
    return this.sources.length > 1;
  }

  targets() {
    if (this.target !== null) return [this.target];
    return this.source === null ? [] : [...this.ways[this.source].keys()];
  }

  // A planet was clicked: the first one sends, the second one receives, and once more it is sent. Says what is wrong.
  // ``more``: a planet of one's own is added to those that send, or taken from them.
  pick(planet, more = false) {
    const { source, many } = this;
    if (planet !== null && more && this.own.includes(planet)) return this._toggle(planet);
    if (planet === null || planet === source) return this.clear();
    if (this.sources.length && planet === this.target) return "send";
    if (many || (source !== null && this.ways[source].has(planet))) return this._aim(planet);
    if (this.own.includes(planet)) return this._take([planet]);
    const hidden = !this.state.planets[planet].people;
    if (source === null && hidden && this.game.coexistence) return this._take([planet], true);
    const id = this.graph.planets[planet][0];
    if (source === null) return `#${id} is not yours: begin with a planet of your own`;
    return `no edge joins #${this.graph.planets[source][0]} and #${id}`;
  }

  // Whether somebody may leave this planet: a drag from here aims.
  maySend(planet) {
    const blind = this.game.coexistence && !this.state.planets[planet].people;
    return this.player !== 0 && (this.own.includes(planet) || blind);
  }

  // A drag from one planet is over another one, or over none.
  drag(source, over) {
    const grouped = this.many && this.sources.includes(source);
    if (!grouped && this.source !== source) this._take([source], !this.own.includes(source));
    const target = over !== null && (grouped || this.ways[source].has(over)) ? over : null;
    if (this.target !== target) this._aim(target);
  }

  // ... and ends there. Returns whether it aims.
  drop(source, over) {
    this.drag(source, over);
    if (this.target === null && !this.many) this.clear();
    return this.target !== null;
  }

  // By keys: the next planet of one's own to the right, or to the left, on from the one that sent last, where none is
  // picked. ``more``: beside those that are picked already; ``places``: of all planets on the screen.
  nextSource(steps, more, places) {
    if (!this.own.length) return;
    const planet = next(sorted(this.own, places, 0), this.sources.at(-1) ?? this.last, steps);
    if (more && this.sources.length) this.select([planet]);
    else this._take([planet]);
  }

  // Adds planets of one's own to those that send; one that was added already comes last.
  select(planets) {
    const others = this.sources.filter((planet) => !planets.includes(planet));
    this._gather([...others, ...planets.filter((planet) => this.own.includes(planet))]);
  }

  // The next one further down, or up.
  nextTarget(steps, places) {
    if (!this.sources.length) this.nextSource(1, false, places);
    const near = this.many ? this.graph.planets.keys() : (this.ways[this.source]?.keys() ?? []);
    if (this.sources.length) this._aim(next(sorted([...near], places, 1), this.target, steps));
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

  // All moves that are in the hand, by ids: several planets send along their shortest ways through planets of one's
  // own.
  moves() {
    const move = this.move();
    if (move || this.target === null) return move ? [move] : [];
    const steps = shortestWays(this.ways, this.own, [this.target]);
    const id = (planet) => this.graph.planets[planet][0];
    // None of many gives its planet away, unless all are to leave.
    const share = (planet) => Math.min(this._share(planet), this.most(planet) - (this.fraction === 1 ? 0 : 1));
    const sending = this.sources.filter((planet) => steps.has(planet) && share(planet));
    return sending.map((planet) => [id(planet), id(steps.get(planet)), share(planet)]);
  }

  // The part of the people who are sent, in percent.
  get percent() {
    return this.fraction === "but one" ? 100 : Math.max(1, Math.round(this.fraction * 100));
  }

  // Who owns the source once the people have left: the majority (R6), 0 for nobody; null where the fog hides it.
  ownerAfter() {
    const people = this.blind ? null : this.state.planets[this.source].people;
    if (!people) return null;
    const lead = (people[0] - people[1]) * (this.player === 1 ? 1 : -1) - this.people;
    return lead > 0 ? this.player : lead < 0 ? 3 - this.player : 0;
  }

  _toggle(planet) {
    if (planet === this.source) return this.clear();
    const others = this.sources.filter((one) => one !== planet);
    this._gather(others.length < this.sources.length ? others : [...others, planet]);
  }

  // Several planets keep their target; one alone sends as ever, along the edges from it.
  _gather(planets) {
    if (planets.length < 2) return planets[0] === this.source ? this._amount() : this._take(planets);
    if (!this.many) this.fraction = FIRST_FRACTION;
    this.sources = planets;
    this.blind = false;
    this._amount();
  }

  _take(planets, blind = false) {
    this.sources = planets;
    this.target = null;
    this.blind = blind;
    this.fraction = FIRST_FRACTION;
    this._amount();
  }

  _aim(planet) {
    this.target = planet;
    this._amount();
    if (this.many && planet !== null && !this.moves().length)
      return `no way leads from there to #${this.graph.planets[planet][0]} through planets of yours`;
  }

  _amount() {
    if (this.source !== null) this.people = this.blind ? 1 : this._share(this.source);
    this.onChange();
  }

  _share(planet) {
    const most = this.most(planet);
    return Math.max(1, this.fraction === "but one" ? most - 1 : Math.round(this.fraction * most));
  }
}

// By where they lie on the screen: 0: from left to right, 1: from above.
function sorted(planets, places, axis) {
  const apart = (one, other, along) => places[one][along] - places[other][along];
  return planets.sort((one, other) => apart(one, other, axis) || apart(one, other, 1 - axis));
}

function next(list, current, steps) {
  const at = list.indexOf(current);
  return at < 0 ? list[steps > 0 ? 0 : list.length - 1] : list[(at + steps + list.length) % list.length];
}

class MovePanel {
  // ``input``: a MoveInput.
  constructor(input) {
    this.input = input;
    for (const button of element("fractions").children) {
      button.addEventListener("click", () => input.setFraction(fractionOf(button)));
    }
    on("slider", "input", (event) => input.setPeople(Number(event.target.value)));
    on("number", "input", (event) => input.setPeople(Number(event.target.value)));
    on("number", "blur", () => this.show());
  }

  show() {
    const { input } = this;
    const moves = input.moves();
    element("move").classList.toggle("empty", !moves.length);
    if (!moves.length) return;
    const { many } = input;
    const [[source, target]] = moves;
    element("way").textContent = many
      ? `${moves.length} planets → #${input.graph.planets[input.target][0]}`
      : `#${source} → #${target}, ${counted(input.turns(), "turn")}`;
    element("move").classList.toggle("many", many);
    if (!many) {
      const [slider, number] = [element("slider"), element("number")];
      slider.hidden = input.blind;
      slider.max = number.max = input.limit();
      slider.value = input.people;
      // Somebody who types may empty the field; any other number is the one on the button.
      if (document.activeElement !== number || number.value !== "") number.value = input.people;
    }
    element("fractions").hidden = element("every-turn").hidden = input.blind;
    for (const button of element("fractions").children) {
      press(button, fractionOf(button) === input.fraction);
    }
    const people = moves.reduce((sum, [, , count]) => sum + count, 0);
    element("send").textContent = `send ${grouped(people)}`;
    element("every-turn").title = `send ${input.percent} % on this turn and every later one (R); one person stays`;
  }
}

function fractionOf(button) {
  const { fraction } = button.dataset;
  return fraction === "but one" ? fraction : Number(fraction);
}
