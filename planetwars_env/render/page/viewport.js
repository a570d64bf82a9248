// Places of a graph on the screen, in pixels of the canvas: fitted to it, turned where that fits better, zoomed and
// moved.

const VIEW = {
  // Pixels between the outermost planets and the rim: room for a planet of scale 1 and for the words beside it.
  planet: 30,
  words: 20,
  // How much more a board may be drawn apart along one side than along the other.
  stretch: 3,
  most: 8,
  // How near a planet is looked at that the window follows.
  near: 2,
  // A quarter turn must gain this much room.
  turned: 1.15,
};

class Viewport {
  // ``graph``: layout.mjs, layOut.
  constructor(graph) {
    this.width = 0;
    this.height = 0;
    this.zoom = 1;
    this.shift = [0, 0];
    this.follow(graph);
  }

  // Another graph, or planets that have moved. ``graph.frame``: [low, high] in place of the outermost planets' places.
  follow(graph) {
    const [low, high] =
      graph.frame ?? [Math.min, Math.max].map((end) => [1, 2].map((k) => end(...graph.planets.map((one) => one[k]))));
    this.low = low;
    this.extent = low.map((least, i) => Math.max(1, high[i] - least));
    this.own = graph.planets.map(([, x, y]) => [x - low[0], y - low[1]]);
    this._place();
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this._place();
  }

  get zoomed() {
    return this.zoom > 1.001;
  }

  showAll() {
    this.zoom = 1;
    this.shift = [0, 0];
    this._place();
  }

  // What lies at (x, y) stays there.
  zoomAt(factor, x, y) {
    const zoom = Math.max(1, Math.min(VIEW.most, this.zoom * factor));
    const ratio = zoom / this.zoom;
    this.zoom = zoom;
    this.shift = [x - (x - this.shift[0]) * ratio, y - (y - this.shift[1]) * ratio];
    this._place();
  }

  move(dx, dy) {
    this.shift = [this.shift[0] + dx, this.shift[1] + dy];
    this._place();
  }

  // A part of the way to where ``planet`` lies in the middle of the window, near enough.
  approach(planet, part) {
    this.zoomAt(Math.max(1, VIEW.near / this.zoom) ** part, ...this.places[planet]);
    const [x, y] = this.places[planet];
    this.move((this.width / 2 - x) * part, (this.height / 2 - y) * part);
  }

  _place() {
    // The room at the rim depends on the scale, and the scale on the room.
    const first = this._fit(VIEW.planet + VIEW.words);
    const fit = this._fit(VIEW.words + VIEW.planet * scaleOf(first.least));
    const { turned } = fit;
    const [wide, high] = turned ? [this.extent[1], this.extent[0]] : this.extent;
    // The board never leaves the window altogether: its rim goes no further than the window's.
    this.shift = [this.width, this.height].map((side, i) =>
      Math.max(side * (1 - this.zoom), Math.min(0, this.shift[i])),
    );
    const left = (this.width - wide * fit.x) / 2;
    const top = (this.height - high * fit.y) / 2;
    this.fitted = { ...fit, left, top };
    this.places = this.own.map(([x, y]) => this.placeOf(x + this.low[0], y + this.low[1]));
    // Planets grow more slowly than the room between them, and words hardly: so zooming makes room for details.
    this.scale = Math.min(1.8, scaleOf(fit.least) * Math.sqrt(this.zoom));
    this.words = Math.max(0.8, Math.min(1.3, fit.least * 0.9)) * Math.min(1.2, this.zoom ** 0.25);
    this.gap = fit.least * this.zoom;
  }

  // The place on the canvas of a point of the graph.
  placeOf(x, y) {
    const { turned, left, top, x: wide, y: high } = this.fitted;
    const [a, b] = [x - this.low[0], y - this.low[1]];
    const [u, v] = turned ? [this.extent[1] - b, a] : [a, b];
    return [this.shift[0] + (left + u * wide) * this.zoom, this.shift[1] + (top + v * high) * this.zoom];
  }

  // The point of the graph at a place on the canvas.
  pointAt(x, y) {
    const { turned, left, top, x: wide, y: high } = this.fitted;
    const u = ((x - this.shift[0]) / this.zoom - left) / wide;
    const v = ((y - this.shift[1]) / this.zoom - top) / high;
    const [a, b] = turned ? [v, this.extent[1] - u] : [u, v];
    return [this.low[0] + a, this.low[1] + b];
  }

  _fit(rim) {
    const room = [Math.max(40, this.width - 2 * rim), Math.max(40, this.height - 2 * rim)];
    const straight = fitted(room, this.extent);
    const aside = fitted(room, [this.extent[1], this.extent[0]]);
    const turned = aside.x * aside.y > VIEW.turned * straight.x * straight.y;
    return { turned, ...(turned ? aside : straight) };
  }
}

function fitted(room, extent) {
  const least = Math.min(room[0] / extent[0], room[1] / extent[1], 3);
  const [x, y] = room.map((length, i) => Math.min(VIEW.stretch * least, length / extent[i]));
  return { x, y, least };
}

// Of planets: on small screens they are larger beside the room between them.
function scaleOf(least) {
  return Math.max(0.55, Math.min(1.6, least * Math.min(1.3, Math.max(1, 0.78 / least))));
}
