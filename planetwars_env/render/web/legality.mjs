// Legality of moves, one after the other, by what a view shows (R8).

export class Legality {
  constructor(view, rules) {
    this._hiddenToo = rules.coexistence;
    this._left = new Map(view.planets.map(({ id, people }) => [id, people ? people[view.player - 1] : 0]));
    this._hidden = new Set(view.planets.filter(({ visible }) => !visible).map(({ id }) => id));
    this._near = new Map(view.planets.map(({ id }) => [id, []]));
    for (const { a, b } of view.edges) {
      this._near.get(a).push(b);
      this._near.get(b).push(a);
    }
  }

  // The fault of a move with what would be right, empty for a legal one, whose people are then gone.
  faultIn([source, destination, people]) {
    const near = this._near.get(source);
    if (!near) return `there is no planet ${source}; you have people on ${this._own()}`;
    if (!near.includes(destination)) {
      return `no edge joins ${source} and ${destination}; the neighbours of ${source} are ${listed(near)}`;
    }
    if (people < 1) return `people must be at least 1, not ${people}`;
    if (this._hiddenToo && this._hidden.has(source)) return ""; // from memory: it may come to nothing
    const left = this._left.get(source);
    if (!left) return `nobody of yours is on planet ${source}; you have people on ${this._own()}`;
    if (people > left) return `only ${left} of your people are left on planet ${source}; send at most ${left}`;
    this._left.set(source, left - people);
    return "";
  }

  _own() {
    return listed([...this._left].filter(([, people]) => people).map(([id]) => id));
  }
}

function listed(ids) {
  const found = ids.toSorted((one, other) => one - other);
  const more = found.length > 12 ? ` and ${found.length - 12} more` : "";
  return found.length ? found.slice(0, 12).join(", ") + more : "none that you see";
}
