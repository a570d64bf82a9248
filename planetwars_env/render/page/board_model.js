// Board of the editor: planets, edges and the mirror, changed by `edit` only, so that every change can be undone. It
// knows no rule: the server checks it. Under a mirror the second half is made from the first. Every planet knows its
// image, its ``twin``; one that lies on the axis (or in the centre of a point symmetry) is its own.

const BOARD = {
  // Pixels of the usual drawing for one unit of a new board's coordinates.
  unit: 80,
  // Pixels: planets as near to the axis lie on it.
  axis: 24,
  size: 200,
  habitability: 5,
  // Pixels of an edge for one unit of its weight, at first.
  weight: 60,
  history: 300,
};

const MIRRORS = { none: "none", point: "half a turn", sides: "left to right" };

class BoardModel {
  constructor() {
    this.past = [];
    this.future = [];
    this.key = "";
    /** @type {any} */
    const centre = [0, 0];
    this.board = { name: "my board", planets: [], edges: [], mirror: "none", centre, unit: BOARD.unit };
    this.usual = { size: BOARD.size, habitability: BOARD.habitability };
  }

  // A board from elsewhere (Graph.to_dict with a name); it can be undone.
  load({ name, planets, edges }) {
    const extent = (key) => Math.max(...planets.map((one) => one[key])) - Math.min(...planets.map((one) => one[key]));
    const span = 640 * Math.sqrt(Math.max(1, planets.length / 20)) - 92;
    const unit = span / (Math.max(extent("x"), extent("y")) || span / BOARD.unit);
    this.edit("", () => {
      this.board = { name, planets, edges, mirror: "none", centre: [0, 0], unit };
    });
  }

  // An empty board, under the same mirror.
  clear() {
    this.edit("", () => {
      Object.assign(this.board, { planets: [], edges: [], centre: [0, 0], unit: BOARD.unit });
    });
  }

  // What the server takes.
  data() {
    const { name, planets, edges } = this.board;
    return { name, planets: planets.map(({ twin, ...planet }) => planet), edges };
  }

  // Changes of one ``key`` in a row, such as letters of a number, are undone at once; an empty key stands alone.
  edit(key, change) {
    const before = JSON.stringify(this.board);
    const said = change();
    if (JSON.stringify(this.board) === before) return said;
    if (!key || key !== this.key) this.past = [...this.past.slice(-BOARD.history), before];
    this.key = key;
    this.future = [];
    return said;
  }

  // ``steps``: -1 undoes, 1 does again.
  travel(steps) {
    const [from, to] = steps < 0 ? [this.past, this.future] : [this.future, this.past];
    if (!from.length) return;
    to.push(JSON.stringify(this.board));
    this.board = JSON.parse(from.pop());
    this.key = "";
  }

  planet(id) {
    return this.board.planets.find((planet) => planet.id === id);
  }

  // A new planet, and its image; bases that are missing come first. Returns its id.
  place(x, y) {
    return this.edit("", () => {
      const { board } = this;
      const { mirror, centre, planets } = board;
      const id = 1 + Math.max(0, ...planets.map((planet) => planet.id));
      const missing = [1, 2].find((player) => planets.every(({ base }) => base !== player)) ?? 0;
      const axis = mirror !== "none" && onAxis({ x, y }, mirror, centre, BOARD.axis / 2 / board.unit);
      const planet = { id, ...this.usual, ...this._round(axis || { x, y }), base: axis ? 0 : missing, twin: undefined };
      planets.push(planet);
      if (mirror === "none") return id;
      planet.twin = axis ? id : id + 1;
      const base = planet.base && 3 - planet.base;
      if (!axis)
        planets.push({ ...planet, ...this._round(imageOf(planet, mirror, centre)), id: id + 1, base, twin: id });
      return id;
    });
  }

  // Places of planets that move together, by id, if one goes to (x, y).
  moved(id, x, y) {
    const { mirror, centre } = this.board;
    const { twin } = this.planet(id);
    if (mirror === "none" || twin === undefined) return new Map([[id, this._round({ x, y })]]);
    if (twin === id) return new Map([[id, this._round(onAxis({ x, y }, mirror, centre, Infinity))]]);
    const there = this._round({ x, y });
    return new Map([[id, there], [twin, this._round(imageOf(there, mirror, centre))]]);
  }

  move(id, x, y, key = "") {
    this.edit(key, () => this.moved(id, x, y).forEach((place, one) => Object.assign(this.planet(one), place)));
  }

  // ``places``: [x, y] of all planets in pixels of the usual drawing, y downwards; the middle stays.
  spread(places) {
    const { planets, unit } = this.board;
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const dx = mean(planets.map(({ x }) => x)) - mean(places.map(([x]) => x)) / unit;
    const dy = mean(planets.map(({ y }) => y)) + mean(places.map(([, y]) => y)) / unit;
    this.edit("", () =>
      planets.forEach(({ id, twin }, i) => {
        const [x, y] = places[i];
        if (twin === undefined || twin >= id)
          this.moved(id, x / unit + dx, dy - y / unit).forEach((place, one) => Object.assign(this.planet(one), place));
      }),
    );
  }

  // Returns whether the edge is new.
  join(a, b) {
    return this.edit("", () => {
      if (edgeBetween(this.board, a, b)) return false;
      const [from, to] = [this.planet(a), this.planet(b)];
      const length = Math.hypot(from.x - to.x, from.y - to.y) * this.board.unit;
      const weight = Math.max(1, Math.round(length / BOARD.weight));
      for (const [one, other] of this._images([a, b])) {
        if (!edgeBetween(this.board, one, other)) this.board.edges.push({ a: one, b: other, weight });
      }
      return true;
    });
  }

  // ``field``: size or habitability; new planets take it too.
  set(id, field, value) {
    this.edit(`${field} ${id}`, () => {
      for (const one of this._twins(id)) this.planet(one)[field] = value;
      if (typeof value === "number") this.usual[field] = value;
    });
  }

  setWeight(a, b, weight) {
    this.edit(`weight ${a} ${b}`, () => {
      for (const [one, other] of this._images([a, b])) edgeBetween(this.board, one, other).weight = weight;
    });
  }

  rename(name) {
    this.edit("name", () => {
      this.board.name = name;
    });
  }

  // ``player``: 1, 2, or 0 for no base. Returns why it cannot be, or nothing.
  setBase(id, player) {
    const own = this.planet(id);
    if (player && own.twin === id) return "A planet on the axis is its own image: it cannot be the base of one player.";
    this.edit("", () => {
      const twin = this.board.mirror !== "none" && this.planet(own.twin);
      for (const planet of this.board.planets) if (planet.base === player || (twin && player)) planet.base = 0;
      own.base = player;
      if (twin) twin.base = player && 3 - player;
    });
    return "";
  }

  remove(id) {
    this.edit("", () => {
      const gone = this._twins(id);
      this.board.planets = this.board.planets.filter((planet) => !gone.includes(planet.id));
      this.board.edges = this.board.edges.filter(({ a, b }) => !gone.includes(a) && !gone.includes(b));
    });
  }

  cut(a, b) {
    this.edit("", () => {
      const gone = this._images([a, b]).map(([one, other]) => edgeBetween(this.board, one, other));
      this.board.edges = this.board.edges.filter((edge) => !gone.includes(edge));
    });
  }

  setMirror(mirror, centre) {
    this.edit("", () => {
      for (const planet of this.board.planets) delete planet.twin;
      Object.assign(this.board, { mirror, centre });
      if (mirror === "none") return;
      makeMirrored(this.board, mirror, centre, BOARD.axis / this.board.unit);
      for (const planet of this.board.planets) Object.assign(planet, this._round(planet));
    });
  }

  _twins(id) {
    const { twin } = this.planet(id);
    return this.board.mirror === "none" || twin === undefined || twin === id ? [id] : [id, twin];
  }

  // Of an edge: itself and its image.
  _images([a, b]) {
    if (this.board.mirror === "none") return [[a, b]];
    return [[a, b], [this.planet(a).twin ?? a, this.planet(b).twin ?? b]];
  }

  // To a tenth of a pixel or so: nobody wants to read 3.0000000004 in a file.
  _round({ x, y }) {
    const tens = 10 ** Math.max(0, Math.ceil(Math.log10(this.board.unit)));
    return { x: Math.round(x * tens) / tens, y: Math.round(y * tens) / tens };
  }
}

// ``mirror``: a key of MIRRORS; ``centre``: [x, y].
function imageOf({ x, y }, mirror, [cx, cy]) {
  return mirror === "point" ? { x: 2 * cx - x, y: 2 * cy - y } : { x: 2 * cx - x, y };
}

// The place on the axis for a planet that lies as near as ``near``, else null.
function onAxis({ x, y }, mirror, [cx, cy], near) {
  const distance = mirror === "point" ? Math.hypot(x - cx, y - cy) : Math.abs(x - cx);
  if (distance > near) return null;
  return mirror === "point" ? { x: cx, y: cy } : { x: cx, y };
}

// Makes the second half of a board anew: its planets are those on the other side of the axis than player 1's base. A
// planet that lies where an image comes to be keeps its id and its edges to the first half. ``near``: how far away that
// is.
function makeMirrored(board, mirror, centre, near) {
  const of = (fits) => board.planets.find(fits);
  const base = of((planet) => planet.base === 1) ?? of((planet) => planet.base) ?? board.planets[0];
  if (!base) return;
  // Whether a planet lies on the same side as ``base``: of the axis, or of the line through the centre.
  const [cx, cy] = centre;
  const [dx, dy] = [base.x - cx, mirror === "point" ? base.y - cy : 0];
  const isFirst = ({ x, y }) => (x - cx) * (dx || (dy ? 0 : -1)) + (y - cy) * dy > 0;
  const axis = [];
  const first = [];
  const rest = [];
  for (const planet of board.planets) {
    const place = onAxis(planet, mirror, centre, near / 2);
    if (place) axis.push({ ...planet, ...place, base: 0, twin: planet.id });
    else (isFirst(planet) ? first : rest).push(planet);
  }
  let id = Math.max(0, ...board.planets.map((planet) => planet.id));
  const second = first.map((planet) => {
    const place = imageOf(planet, mirror, centre);
    const distances = rest.map((other) => Math.hypot(other.x - place.x, other.y - place.y));
    const nearest = distances.indexOf(Math.min(...distances));
    const there = distances[nearest] <= near ? rest.splice(nearest, 1)[0].id : ++id;
    return { ...planet, ...place, id: there, base: planet === base ? 2 : 0, twin: planet.id };
  });
  const halves = first.map((planet, i) => ({ ...planet, base: planet === base ? 1 : 0, twin: second[i].id }));
  board.planets = [...halves, ...axis, ...second];
  const kept = new Set([...first, ...axis].map((planet) => planet.id));
  const known = new Map(board.planets.map((planet) => [planet.id, planet.twin]));
  const edges = board.edges.filter(({ a, b }) => known.has(a) && known.has(b) && (kept.has(a) || kept.has(b)));
  board.edges = [];
  for (const { a, b, weight } of edges) {
    for (const [from, to] of [[a, b], [known.get(a), known.get(b)]]) {
      if (!edgeBetween(board, from, to)) board.edges.push({ a: from, b: to, weight });
    }
  }
}

function edgeBetween(board, a, b) {
  return board.edges.find((edge) => (edge.a === a && edge.b === b) || (edge.a === b && edge.b === a));
}
