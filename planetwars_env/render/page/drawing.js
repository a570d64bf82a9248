// Draws a graph and its states on a canvas, for every page of this package. It knows no rule of the game and no
// network.
//
// Its gestures call what gestures.js lists. The colours are the CSS variables that pages.py writes: --ground --ink
// --soft --line --planet --fog --nobody --player-1 --player-2 --tint-1 --tint-2. Shapes are those of shapes.py: player
// 1 is plain, player 2 is striped.

const HOUSE = [[0, -9], [9, -1], [6.5, -1], [6.5, 8], [-6.5, 8], [-6.5, -1], [-9, -1]];
const SHIP = [[0, 9.2], [2.5, 8], [Math.PI, 3.6], [-2.5, 8]];
// Whose words are placed first: people, shuttles, names of planets, weights of edges, losses, lands.
const RANK = { hovered: -1, people: 0, shuttle: 1, mark: 2, name: 3, weight: 4, loss: 5, land: 6 };

// Names, weights and lands are read when they are looked for.
const STEPPED_BACK = 0.9;
// Below numbers, which must be readable on it.
const FILLED = 0.5;

class Drawing {
  // ``graph``: layout.mjs, layOut.
  constructor(canvas, graph) {
    this.canvas = canvas;
    this.graph = graph;
    this.context = canvas.getContext("2d");
    this.view = new Viewport(graph);
    this.labels = new Labels();
    this.territory = new Territory();
    this.state = null;
    this.flown = 0;
    this.picked = [];
    this.targets = [];
    this.edge = null;
    this.rubber = null; // [planet, x, y]: a line from a planet to the pointer
    this.box = null; // [x, y, x, y]: corners of a box that somebody draws
    this.standing = []; // [from, to, player]: edges along which a player sends people on every turn
    this.arrows = []; // [from, to, people, hinted]: moves that somebody would make, or made once, dashed
    this.outcomes = []; // [planet, text]: what they lead to
    this.faded = null; // how far flashes of battles have gone, 0 to 1; null: as far as the turn
    this.words = true; // false: a picture without words and numbers
    this.recolour();
    this.gestures = new Gestures(this);
    document.addEventListener("recolour", () => this.recolour());
    new ResizeObserver(() => this._fit()).observe(canvas);
    this._fit();
  }

  // ``state``: web/recorded_game.mjs; ``flown``: how much of the turn is over, 0 to 1.
  show(state, flown = 0) {
    this.state = state;
    this.flown = flown;
    this.draw();
  }

  // Another graph in the same window, such as one that is being drawn.
  change(graph, state) {
    this.graph = graph;
    this.view.follow(graph);
    this.show(state);
  }

  // Lists of planets, by index, with rings; ``edge``: one that is thicker.
  emphasise(picked, targets = [], edge = null) {
    this.picked = picked;
    this.targets = targets;
    this.edge = edge;
    this.draw();
  }

  // In pixels of the page.
  placeOf(planet) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = this.view.places[planet];
    return { x: box.left + x, y: box.top + y, radius: this._radius(planet) };
  }

  recolour() {
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue("--" + name).trim();
    const names = ["ground", "ink", "soft", "line", "planet", "fog", "nobody", "heat"];
    this.colours = Object.fromEntries(names.map((name) => [name, colour(name)]));
    this.players = [this.colours.nobody, colour("player-1"), colour("player-2")];
    this.tints = [this.colours.planet, colour("tint-1"), colour("tint-2")];
    this.stripes = null;
    const dark = style.colorScheme === "dark";
    this.shade = makeShade(dark ? 0.35 : 0.14);
    this.sky = dark ? starTile(this.colours.soft) : null;
    this.draw();
  }

  draw() {
    const { context, view, state } = this;
    if (!state) return context.reset();
    if (!this.pixels) return;
    this.labels.begin(this.pixels, view);
    this.stripes ??= this._makeStripes();
    this.radii = state.planets.map((_, i) => this._radius(i));
    context.setTransform(this.pixels, 0, 0, this.pixels, 0, 0);
    context.lineJoin = "round";
    this.territory.paint(this);
    for (const guide of this.graph.guides ?? []) {
      this._stroke(guide.map((end) => view.placeOf(...end)), this.colours.line, 1, [2, 6]);
    }
    this._drawEdges();
    if (this.standing.length) this._drawStanding();
    for (const arrow of this.arrows) this._drawArrow(...arrow);
    state.planets.forEach((planet, i) => this._drawPlanet(planet, i));
    this.marks = shuttleMarks(state.shuttles, view.places, this.radii, this.flown, 15 * view.words, view.scale);
    this.territory.tails(this, this.marks);
    for (const mark of this.marks) this._drawShuttle(mark);
    for (const mark of state.marks ?? []) this._drawNote(mark);
    for (const [planet, text] of this.outcomes) this._tellBeside(planet, text);
    for (const one of state.influence ?? []) this._drawInfluence(...one);
    for (const event of state.changed ?? []) this._drawFlash(event);
    const { ink } = this.colours;
    if (this.rubber) this._stroke([view.places[this.rubber[0]], this.rubber.slice(1)], ink, 3, [9, 5]);
    const [x, y, x2, y2] = this.box ?? [];
    if (this.box) this._stroke([[x, y], [x2, y], [x2, y2], [x, y2], [x, y]], ink, 1.5, [6, 4]);
    if (this.words) this.labels.draw(context, view.places.map(([x, y], i) => [x, y, this.radii[i]]));
  }

  _fit() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    const { pixels, canvas: { width, height } } = this;
    this.pixels = window.devicePixelRatio || 1;
    const size = { width: Math.round(clientWidth * this.pixels), height: Math.round(clientHeight * this.pixels) };
    // An observer calls once at first, when everything is drawn already.
    if (pixels === this.pixels && width === size.width && height === size.height) return;
    Object.assign(this.canvas, size);
    this.view.resize(clientWidth, clientHeight);
    this.draw();
  }

  _drawEdges() {
    const { view } = this;
    const { edges } = this.graph;
    if (this.edge !== null)
      this._stroke(edges[this.edge].slice(0, 2).map((end) => view.places[end]), this.colours.ink, 4);
    edges.forEach(([a, b, weight], i) => {
      const between = (part) => [0, 1].map((k) => view.places[a][k] * (1 - part) + view.places[b][k] * part);
      const near = this._near(a) || this._near(b) || i === this.edge;
      this._tell(String(weight), 11, near ? this.colours.ink : this.colours.soft, {
        places: [0.5, 0.42, 0.58, 0.34, 0.66].map(between),
        alpha: near ? 1 : STEPPED_BACK,
        rank: near ? RANK.hovered : RANK.weight,
        bold: near,
        key: `weight-${i}`,
      });
    });
  }

  // What is told of it goes before everything else: the pointer is there, or its people are about to leave.
  _near(planet) {
    return this.picked.includes(planet) || planet === this.gestures?.hovered;
  }

  _drawPlanet(planet, i) {
    const { context } = this;
    const [x, y] = this.view.places[i];
    const radius = this.radii[i];
    const picked = this.picked.includes(i);
    const emphasis = picked ? 6 : this.targets.includes(i) ? 5 : i === this.gestures.hovered ? 4 : 0;
    if (emphasis) this._ring(x, y, radius + emphasis, this.colours.ink, picked ? 3 : 1.5, !picked);
    const alpha = planet.visible || !planet.people ? 1 : 0.45;
    context.globalAlpha = alpha;
    if (planet.people) this._drawKnown(planet, i, x, y, radius, alpha);
    else this._drawHidden(planet.last, x, y, radius);
    context.globalAlpha = 1;
    const base = planet.base ?? planet.last?.base;
    if (base) this._drawHouse(x + radius * 0.75 + 3, y - radius * 0.75 - 3, base);
    this._nameLand(planet, i, x, y, radius + (picked && 6) + 9.5 * this.view.words);
  }

  // Below the planet its name, at its rim the percentage by which its people grow.
  _nameLand({ visible, size, habitability }, i, x, y, far) {
    const near = this._near(i);
    const { soft, nobody } = this.colours;
    const aside = 0.8 * far;
    const at = ([dx, dy]) => [x + dx, y + dy];
    const options = { bold: false, alpha: near ? 1 : STEPPED_BACK };
    const name = `#${this.graph.planets[i][0]}`;
    this._tell(near && size ? `${name}, size ${size}` : name, 11, visible ? soft : nobody, {
      ...options,
      places: [[0, far], [-aside, aside], [aside, aside], [-far - 4, 0], [far + 4, 0], [0, -far]].map(at),
      rank: near ? RANK.hovered : RANK.name,
      key: `name-${i}`,
    });
    if (!size) return;
    this._tell(`+${habitability}`, 11, soft, {
      ...options,
      places: [[-aside, -aside], [-far - 2, 0], [aside, aside], [far + 2, 0], [-aside, aside]].map(at),
      rank: near ? RANK.hovered : RANK.land,
      key: `land-${i}`,
    });
  }

  // A disc of fog; with figures of an earlier turn, in grey, and the ring of who owned it then.
  _drawHidden(last, x, y, radius) {
    const { fog, nobody } = this.colours;
    const owner = last?.owner ?? 0;
    this._disc(x, y, radius, fog);
    this._ring(x, y, radius, this.players[owner], 1.5, owner === 2);
    if (!last) return this._write("?", x, y, 15, nobody, null, 1);
    const [first, second] = last.people;
    const apart = 6.5 * this.view.words;
    const there = first && second ? `${second}, ${first}` : String(first + second);
    this._write(there, x, y - apart, 12, nobody, fog, 1);
    this._write(`t\u00a0${last.turn}`, x, y + apart, 11, nobody, fog, 1);
  }

  _drawKnown(planet, i, x, y, radius, alpha) {
    const owner = planet.owner ?? 0;
    this._disc(x, y, radius, this.tints[owner]);
    this._fill(planet, x, y, radius);
    this.context.drawImage(this.shade, x - radius, y - radius, 2 * radius, 2 * radius);
    this._ring(x, y, radius, this.players[owner], owner ? 3 : 2, owner === 2);
    const [first, second] = planet.people;
    const halo = this.tints[owner];
    const apart = 7 * this.view.words;
    if (first && second) {
      this._write(String(second), x, y - apart, 13, this.players[2], this.colours.ground, alpha);
      this._write(String(first), x, y + apart, 13, this.players[1], this.colours.ground, alpha);
    } else if (planet.word || first || second) {
      this._write(planet.word ?? String(first + second), x, y, 14, this.colours.ink, halo, alpha);
    }
  }

  // As high as the planet is populated; where both players live, player 1 lies below.
  _fill(planet, x, y, radius) {
    const [first, second] = planet.people;
    const total = first + second;
    if (!total) return;
    const height = Math.min(1, Math.max(0.1, total / planet.size));
    const border = (height * first) / total;
    const { globalAlpha } = this.context;
    this.context.globalAlpha = globalAlpha * FILLED;
    if (first) this._level(x, y, radius, 0, border, this.players[1]);
    if (second) this._level(x, y, radius, border, height, this.stripes);
    this.context.globalAlpha = globalAlpha;
  }

  // The part of a disc between two fractions of its height, from below.
  _level(x, y, radius, low, high, colour) {
    const { context } = this;
    const [from, to] = [low, high].map((fraction) => Math.asin(1 - 2 * fraction));
    context.beginPath();
    context.arc(x, y, radius, from, to, true);
    context.arc(x, y, radius, Math.PI - to, Math.PI - from, true);
    this._fillWith(colour);
  }

  _drawHouse(x, y, player) {
    const k = Math.max(0.8, Math.min(1.3, this.view.scale));
    this._shape(HOUSE.map(([dx, dy]) => [x + dx * k, y + dy * k]), this.players[player], this.colours.ground);
    this._write(String(player), x, y + 2 * k, 11, this.colours.ground, null, 1);
  }

  _drawShuttle(mark) {
    const k = Math.max(0.7, Math.min(1.2, this.view.scale));
    const outline = SHIP.map(([turn, far]) => {
      const angle = mark.angle + turn;
      return [mark.x + far * k * Math.cos(angle), mark.y + far * k * Math.sin(angle)];
    });
    const colour = this.players[mark.player];
    const both = [colour, this.colours.ground];
    this._shape(outline, ...(mark.player === 2 ? both.reverse() : both));
    const rank = this._near(mark.to) || this._near(mark.from) ? RANK.hovered : RANK.shuttle;
    this._tell(mark.text, 12, colour, { places: placesBeside(mark, k), rank, key: `shuttle-${mark.key}` });
  }

  // A strategy's mark on a planet: {planet, text, player}; one in the middle of an edge: {edge, text, player}.
  _drawNote({ planet, edge, text, player }) {
    const [a, b] = (edge === undefined ? [planet, planet] : this.graph.edges[edge]).map((end) => this.view.places[end]);
    const [x, y] = [0, 1].map((k) => (a[k] + b[k]) / 2);
    const far = (edge === undefined ? this.radii[planet] : 4) + 12;
    const places = [[x, y - far], [x, y - far - 14], [x, y + far + 12]];
    const said = text.startsWith("⚠") ? text : `⚑ ${text}`;
    this._tell(said, 12, this.players[player], { places, rank: RANK.mark, must: true });
  }

  // Arrowheads along the edges where people leave on every turn; fewer on small boards.
  _drawStanding() {
    const { view } = this;
    const steps = view.scale < 0.8 ? [0, 1] : [0, 1, 2];
    for (const [from, to, player] of this.standing) {
      const [[x, y], [x2, y2]] = [view.places[from], view.places[to]];
      const length = Math.hypot(x2 - x, y2 - y) || 1;
      const [ux, uy] = [(x2 - x) / length, (y2 - y) / length];
      for (const step of steps) {
        const at = this.radii[from] + 7 + 7 * step;
        const [px, py] = [x + ux * at, y + uy * at];
        this._takeRoom(px, py);
        const wing = (side) => [px - ux * 5 - side * uy * 5.5, py - uy * 5 + side * ux * 5.5];
        this._stroke([wing(1), [px, py], wing(-1)], this.players[player], 2.5);
      }
    }
  }

  // For words there is none around (x, y).
  _takeRoom(x, y) {
    this.labels.taken.push({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 });
  }

  _drawArrow(from, to, people, hinted) {
    const { x, y, ux, uy, at } = laneOf({ from, to }, this.view.places, this.radii);
    const [start, end] = [0, 1].map((part) => at({ flight: 1, left: 1 }, part));
    const aside = hinted ? 8 : -8;
    const place = (along, beside) => [x + ux * along - uy * beside, y + uy * along + ux * beside];
    const colour = hinted ? this.colours.heat : this.colours.soft;
    this._stroke([place(start, aside), place(end, aside)], colour, 2.5, [8, 5]);
    this._stroke([place(end - 9, aside - 6), place(end, aside), place(end - 9, aside + 6)], colour, 2.5);
    this._takeRoom(...place(end - 5, aside));
    const places = [0.5, 0.35, 0.65].map((part) => place(start + (end - start) * part, aside + 13 * Math.sign(aside)));
    this._tell(String(people), 13, colour, { places, rank: RANK.mark, must: true });
  }

  // A planet that an agent's choices depend on, in per cent.
  _drawInfluence(planet, part) {
    this._ring(...this.view.places[planet], this.radii[planet] + 5, this.colours.heat, 2 + part / 14, false);
    this._tellBeside(planet, String(part));
  }

  _tellBeside(planet, text) {
    const [x, y] = this.view.places[planet];
    const far = this.radii[planet] + 5;
    const [dx, dy] = [far * 0.8 + 8 + 3 * (text.length - 1), far * 0.8 + 4];
    const places = [[x, y - far - 10], [x - dx, y - dy], [x + dx, y + dy], [x + dx, y - dy], [x - dx, y + dy]];
    this._tell(text, 12, this.colours.heat, { places, rank: RANK.mark });
  }

  // A planet that has just changed hands, or was fought for: {planet, player, kind, lost}. The ring widens and fades as
  // the turn goes by; the people who were lost rise from a burst.
  _drawFlash({ planet, player, kind, lost }) {
    const { context } = this;
    const [x, y] = this.view.places[planet];
    const gone = this.faded ?? this.flown;
    const radius = this.radii[planet];
    context.globalAlpha = 1 - gone;
    if (kind !== "held") this._ring(x, y, radius + 7 + 14 * gone, this.players[player], 4, false);
    if (lost) {
      const colour = this.players[lost[0]];
      for (let ray = 0; ray < 12; ray++) {
        const [ux, uy] = [Math.cos((ray * Math.PI) / 6), Math.sin((ray * Math.PI) / 6)];
        this._stroke([radius + 4, radius + 12 + 22 * gone].map((far) => [x + ux * far, y + uy * far]), colour, 2);
      }
      const far = radius + 20 + 26 * gone;
      const places = [[x, y - far], [x, y + far], [x + far, y], [x - far, y]];
      this._tell(`−${lost[1]}`, 15, colour, { places, rank: RANK.loss, alpha: 1 - gone });
    }
    context.globalAlpha = 1;
  }

  // A line through points of the canvas.
  _stroke(points, colour, width, dashes = []) {
    const { context } = this;
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    this._draw(colour, width, dashes);
  }

  // The outline that was begun.
  _draw(colour, width, dashes) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dashes);
    context.stroke();
    context.setLineDash([]);
  }

  _shape(points, fill, outline) {
    this._stroke([...points, points[0], points[1]], outline, 3);
    this._fillWith(fill);
  }

  _disc(x, y, radius, colour) {
    this._circle(x, y, radius);
    this._fillWith(colour);
  }

  _ring(x, y, radius, colour, width, broken) {
    this._circle(x, y, radius);
    this._draw(colour, width, broken ? [7, 3.5] : []);
  }

  _circle(x, y, radius) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
  }

  _fillWith(colour) {
    this.context.fillStyle = colour;
    this.context.fill();
  }

  // What must stand in its place: on a planet, in a house.
  _write(text, x, y, size, colour, halo, alpha) {
    this._tell(text, size, colour, { places: [[x, y]], rank: RANK.people, halo, must: true, alpha });
  }

  // ``more``: as of labels.js.
  _tell(text, size, colour, more) {
    this.labels.add(text, size, colour, { halo: this.colours.ground, bold: true, ...more });
  }

  _makeStripes() {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 24;
    const context = tile.getContext("2d");
    context.fillStyle = this.players[2];
    context.fillRect(0, 0, 13, 24);
    const pattern = this.context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().rotate(45).scale(0.25));
    return pattern;
  }

  _radius(planet) {
    const { radius, last } = this.state?.planets[planet] ?? {};
    return (radius ?? last?.radius ?? this.graph.unknown) * this.view.scale;
  }

  // Those with their middle in a box, by index.
  planetsIn([x, y, x2, y2]) {
    const within = (value, a, b) => value >= Math.min(a, b) && value <= Math.max(a, b);
    return this.view.places.flatMap(([px, py], i) => (within(px, x, x2) && within(py, y, y2) ? [i] : []));
  }

  // The nearest edge at a place on the canvas.
  edgeAt(x, y, room = 10) {
    const { places } = this.view;
    const distances = this.graph.edges.map(([a, b]) => distanceFrom([x, y], places[a], places[b]));
    const nearest = Math.min(...distances);
    return nearest <= room ? distances.indexOf(nearest) : null;
  }

  // The nearest planet at a place on the canvas, with some room around it for fingers; ``except``: one that does not
  // count.
  planetAt(x, y, room = 10, except = null) {
    if (!this.state) return null;
    let found = null;
    let nearest = Infinity;
    this.view.places.forEach(([px, py], i) => {
      const distance = Math.hypot(px - x, py - y);
      if (i !== except && distance < Math.min(nearest, this._radius(i) + room)) {
        found = i;
        nearest = distance;
      }
    });
    return found;
  }
}

// Light and shadow that make a disc a ball; its middle, where numbers stand, stays as it is. ``dark``: at the rim.
function makeShade(dark) {
  const shade = document.createElement("canvas");
  shade.width = shade.height = 128;
  const context = shade.getContext("2d");
  const light = context.createRadialGradient(38, 34, 0, 64, 64, 64);
  /** @type {[number, string][]} */
  const stops = [[0, "255 255 255 / 0.3"], [0.6, "255 255 255 / 0"], [0.6, "0 0 0 / 0"], [1, `0 0 0 / ${dark}`]];
  for (const [at, colour] of stops) light.addColorStop(at, `rgb(${colour})`);
  context.fillStyle = light;
  context.arc(64, 64, 64, 0, 2 * Math.PI);
  context.fill();
  return shade;
}

// Of a point from the line between two others.
function distanceFrom([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
