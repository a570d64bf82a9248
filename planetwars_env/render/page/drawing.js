// Draws a graph and its states on a canvas, for every page of this package. It knows no rule of the game and no network.
//
//   const drawing = new Drawing(canvas, graph);   // graph: frames.py, graph_data
//   drawing.show(state, flown);                   // state: frames.py, state_data; flown: 0 to 1, how much of the turn is over
//   drawing.emphasise(picked, targets);           // rings around planets, by index: one picked (or null), a list of targets
//   drawing.onHover = (planet, x, y) => {};       // a planet's index, or null; the place in pixels of the page
//   drawing.onPick = (planet) => {};              // clicked or tapped: a planet's index, or null beside all of them
//   drawing.placeOf(planet)                       // {x, y, radius} in pixels of the page
//   drawing.recolour();                           // after the colours of the page have changed
//
// The colours are the CSS variables that pages.py writes: --ground --ink --soft --line --planet --fog --nobody
// --player-1 --player-2 --tint-1 --tint-2. Shapes are those of shapes.py: player 1 is plain, player 2 is striped.
"use strict";

class Drawing {
  constructor(canvas, graph) {
    this.canvas = canvas;
    this.graph = graph;
    this.context = canvas.getContext("2d");
    this.state = null;
    this.flown = 0;
    this.picked = null;
    this.targets = [];
    this.hovered = null;
    this.onHover = () => {};
    this.onPick = () => {};
    this.recolour();
    new ResizeObserver(() => this._fit()).observe(canvas);
    this._fit();
    canvas.addEventListener("pointermove", (event) => this._hover(event));
    canvas.addEventListener("pointerleave", () => this._leave());
    canvas.addEventListener("click", (event) => this.onPick(this._planetAt(event)));
  }

  show(state, flown = 0) {
    this.state = state;
    this.flown = flown;
    this.draw();
  }

  emphasise(picked, targets = []) {
    this.picked = picked;
    this.targets = targets;
    this.draw();
  }

  placeOf(planet) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = this.places[planet];
    return {
      x: box.left + this.left + x * this.scale,
      y: box.top + this.top + y * this.scale,
      radius: this._radius(planet) * this.scale,
    };
  }

  recolour() {
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue("--" + name).trim();
    const names = ["ground", "ink", "soft", "line", "planet", "fog", "nobody"];
    this.colours = Object.fromEntries(names.map((name) => [name, colour(name)]));
    this.players = [this.colours.nobody, colour("player-1"), colour("player-2")];
    this.tints = [this.colours.planet, colour("tint-1"), colour("tint-2")];
    this.stripes = null;
    this.back = null;
    this.draw();
  }

  draw() {
    if (!this.state || !this.scale) return;
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    this.back ??= this._drawBoard();
    context.drawImage(this.back, 0, 0);
    this._toBoard(context);
    this.stripes ??= this._makeStripes();
    this.state.planets.forEach((planet, i) => this._drawPlanet(planet, i));
    for (const shuttle of this.state.shuttles) this._drawShuttle(shuttle);
  }

  // The graph fills the canvas: drawn apart by up to a half along the longer side, planets staying round; on small
  // screens planets and words are larger beside it.
  _fit() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.pixels = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(clientWidth * this.pixels);
    this.canvas.height = Math.round(clientHeight * this.pixels);
    const { width, height, planets } = this.graph;
    this.scale = Math.min(clientWidth / width, clientHeight / height);
    const wider = Math.min(1.5, clientWidth / this.scale / width);
    const higher = Math.min(1.5, clientHeight / this.scale / height);
    this.places = planets.map(([, x, y]) => [x * wider, y * higher]);
    this.left = (clientWidth - width * wider * this.scale) / 2;
    this.top = (clientHeight - height * higher * this.scale) / 2;
    this.words = new Map();
    this.grown = Math.min(1.7, Math.max(1, 0.78 / this.scale));
    this.swollen = Math.min(1.3, this.grown);
    this.back = null;
    this.draw();
  }

  _toBoard(context) {
    const factor = this.scale * this.pixels;
    context.setTransform(factor, 0, 0, factor, this.left * this.pixels, this.top * this.pixels);
    context.lineJoin = "round";
  }

  _drawBoard() {
    const back = document.createElement("canvas");
    back.width = this.canvas.width;
    back.height = this.canvas.height;
    const context = back.getContext("2d");
    context.fillStyle = this.colours.ground;
    context.fillRect(0, 0, back.width, back.height);
    this._toBoard(context);
    context.strokeStyle = this.colours.line;
    context.lineWidth = 2;
    const { edges } = this.graph;
    for (const [a, b] of edges) {
      context.beginPath();
      context.moveTo(...this.places[a]);
      context.lineTo(...this.places[b]);
      context.stroke();
    }
    for (const [a, b, weight] of edges) {
      const x = (this.places[a][0] + this.places[b][0]) / 2;
      const y = (this.places[a][1] + this.places[b][1]) / 2;
      this._disc(context, x, y, 8.5 * this.grown, this.colours.ground);
      this._write(context, String(weight), x, y, 12, this.colours.soft);
    }
    return back;
  }

  _drawPlanet(planet, i) {
    const { context } = this;
    const [id] = this.graph.planets[i];
    const [x, y] = this.places[i];
    const radius = this._radius(i);
    const emphasis = i === this.picked ? 6 : this.targets.includes(i) ? 5 : i === this.hovered ? 4 : 0;
    if (emphasis) this._ring(x, y, radius + emphasis, this.colours.ink, i === this.picked ? 3 : 1.5, i !== this.picked);
    context.globalAlpha = planet.visible || !planet.people ? 1 : 0.45;
    if (planet.people) this._drawKnown(planet, x, y, radius);
    else this._drawUnknown(x, y, radius);
    const { ground, soft, nobody } = this.colours;
    const colour = planet.visible ? soft : nobody;
    this._write(context, String(id), x, y + radius + 8 * this.grown, 11, colour, ground);
    if (planet.base) this._drawHouse(x + radius * 0.75 + 3, y - radius * 0.75 - 3, planet.base);
    context.globalAlpha = 1;
  }

  _drawUnknown(x, y, radius) {
    this._disc(this.context, x, y, radius, this.colours.fog);
    this._ring(x, y, radius, this.colours.line, 1.5, false);
    this._write(this.context, "?", x, y, 15, this.colours.nobody);
  }

  _drawKnown(planet, x, y, radius) {
    const owner = planet.owner ?? 0;
    this._disc(this.context, x, y, radius, this.tints[owner]);
    this._fill(planet, x, y, radius);
    this._ring(x, y, radius, this.players[owner], owner ? 3 : 2, owner === 2);
    const [first, second] = planet.people;
    const { ink } = this.colours;
    const halo = this.tints[owner];
    if (first && second) {
      this._write(this.context, String(second), x, y - 7 * this.grown, 13, ink, halo, true);
      this._write(this.context, String(first), x, y + 7 * this.grown, 13, ink, halo, true);
    } else if (first || second) {
      this._write(this.context, String(first + second), x, y, 14, ink, halo, true);
    }
  }

  // As high as the planet is populated; where both players live, player 1 lies below.
  _fill(planet, x, y, radius) {
    const [first, second] = planet.people;
    const total = first + second;
    if (!total) return;
    const height = Math.min(1, Math.max(0.1, total / planet.size));
    const border = (height * first) / total;
    if (first) this._level(x, y, radius, 0, border, this.players[1]);
    if (second) this._level(x, y, radius, border, height, this.stripes);
  }

  // The part of a disc between two fractions of its height, from below.
  _level(x, y, radius, low, high, colour) {
    const { context } = this;
    const [from, to] = [low, high].map((fraction) => Math.asin(1 - 2 * fraction));
    context.beginPath();
    context.arc(x, y, radius, from, to, true);
    context.arc(x, y, radius, Math.PI - to, Math.PI - from, true);
    context.fillStyle = colour;
    context.fill();
  }

  _drawHouse(x, y, player) {
    const { context } = this;
    const k = this.swollen;
    context.beginPath();
    for (const [dx, dy] of [[0, -9], [9, -1], [6.5, -1], [6.5, 8], [-6.5, 8], [-6.5, -1], [-9, -1]]) {
      context.lineTo(x + dx * k, y + dy * k);
    }
    this._paint(this.players[player], this.colours.ground);
    this._write(context, String(player), x, y + 2 * k, 10, this.colours.ground, null, true);
  }

  // From rim to rim, on the right of the edge, so that those who meet pass each other.
  _drawShuttle(shuttle) {
    const { context } = this;
    const [x1, y1] = this.places[shuttle.from];
    const [x2, y2] = this.places[shuttle.to];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const start = this._radius(shuttle.from) + 8;
    const end = Math.max(start, length - this._radius(shuttle.to) - 8);
    const way = start + (end - start) * Math.min(1, (shuttle.flight - shuttle.left + this.flown) / shuttle.flight);
    const ux = (x2 - x1) / length;
    const uy = (y2 - y1) / length;
    const k = this.swollen;
    const x = x1 + ux * way - uy * 6 * k;
    const y = y1 + uy * way + ux * 6 * k;
    const angle = Math.atan2(uy, ux);
    context.beginPath();
    for (const [turn, far] of [[0, 9.2], [2.5, 8], [Math.PI, 3.6], [-2.5, 8]]) {
      context.lineTo(x + far * k * Math.cos(angle + turn), y + far * k * Math.sin(angle + turn));
    }
    const colour = this.players[shuttle.player];
    if (shuttle.player === 2) this._paint(this.colours.ground, colour);
    else this._paint(colour, this.colours.ground);
    this._write(context, String(shuttle.people), x - 15 * k * uy, y + 15 * k * ux, 12, colour, this.colours.ground, true);
  }

  _paint(fill, outline) {
    const { context } = this;
    context.closePath();
    context.strokeStyle = outline;
    context.lineWidth = 3;
    context.stroke();
    context.fillStyle = fill;
    context.fill();
  }

  _disc(context, x, y, radius, colour) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
  }

  _ring(x, y, radius, colour, width, broken) {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = width;
    if (broken) context.setLineDash([7, 3.5]);
    context.stroke();
    context.setLineDash([]);
  }

  // Words are kept as small pictures: outlines of letters take long to draw, and most words come again.
  _write(context, text, x, y, size, colour, halo = null, bold = false) {
    const key = `${text}|${size}|${colour}|${halo}|${bold}`;
    let word = this.words.get(key);
    if (!word) {
      if (this.words.size > 4000) this.words.clear();
      word = this._makeWord(text, size, colour, halo, bold);
      this.words.set(key, word);
    }
    const factor = this.scale * this.pixels;
    const left = Math.round((x * factor) + this.left * this.pixels - word.width / 2);
    const top = Math.round((y * factor) + this.top * this.pixels - word.height / 2);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(word, left, top);
    this._toBoard(context);
  }

  _makeWord(text, size, colour, halo, bold) {
    const word = document.createElement("canvas");
    const context = word.getContext("2d");
    const factor = this.scale * this.pixels;
    const font = `${bold ? "700 " : ""}${size * this.grown * factor}px system-ui, "Segoe UI", Roboto, Arial, sans-serif`;
    context.font = font;
    word.width = Math.ceil(context.measureText(text).width + 5 * factor);
    word.height = Math.ceil((size * this.grown * 1.3 + 4) * factor);
    context.font = font;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = 3.5 * factor;
      context.strokeText(text, word.width / 2, word.height / 2);
    }
    context.fillStyle = colour;
    context.fillText(text, word.width / 2, word.height / 2);
    return word;
  }

  _makeStripes() {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 24;
    const context = tile.getContext("2d");
    context.strokeStyle = this.players[2];
    context.lineWidth = 9.5;
    context.beginPath();
    for (const shift of [-24, 0, 24]) {
      context.moveTo(shift - 6, 30);
      context.lineTo(shift + 30, -6);
    }
    context.stroke();
    const pattern = this.context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(8.5 / 24));
    return pattern;
  }

  _radius(planet) {
    return (this.state?.planets[planet].radius ?? this.graph.unknown) * this.swollen;
  }

  // The nearest planet under the pointer, with some room around it for fingers.
  _planetAt(event) {
    if (!this.state) return null;
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.left) / this.scale;
    const y = (event.clientY - box.top - this.top) / this.scale;
    let found = null;
    let nearest = Infinity;
    this.places.forEach(([px, py], i) => {
      const distance = Math.hypot(px - x, py - y);
      if (distance < Math.min(nearest, this._radius(i) + 10 / this.scale)) {
        found = i;
        nearest = distance;
      }
    });
    return found;
  }

  _hover(event) {
    const planet = this._planetAt(event);
    if (planet !== this.hovered) {
      this.hovered = planet;
      this.canvas.style.cursor = planet === null ? "default" : "pointer";
      this.draw();
    }
    this.onHover(planet, event.clientX, event.clientY);
  }

  _leave() {
    if (this.hovered !== null) {
      this.hovered = null;
      this.draw();
    }
    this.onHover(null, 0, 0);
  }
}
