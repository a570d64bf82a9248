// Curves of both players over the turns, with marks of events and a line at the turn that is shown; dragging goes to
// another one.

// Pixels below which a scale would cover the curve.
const LEAST_SCALE = { width: 400, height: 60 };

class Curves {
  // ``values``: for every frame [of player 1, of player 2, ...]; ``onSeek``: called with a frame's number.
  constructor(canvas, values, onSeek) {
    this.canvas = canvas;
    this.values = values;
    // Of the game beside it, which may be longer.
    this.longest = 0;
    this.length = values.length;
    this.part = false;
    this.at = null;
    this.viewer = 0;
    this.marks = [];
    // It calls back once at first.
    new ResizeObserver(() => this.recolour()).observe(canvas);
    const seek = (event) => {
      const box = canvas.getBoundingClientRect();
      onSeek(Math.round(((event.clientX - box.left - 8) / (box.width - 16)) * (this.length - 1)));
    };
    canvas.addEventListener("pointerdown", ({ pointerId }) => canvas.setPointerCapture(pointerId));
    for (const kind of ["pointerdown", "pointermove"]) {
      canvas.addEventListener(kind, (event) => event.buttons & 1 && seek(event));
    }
  }

  show(at) {
    this.at = at;
    const { canvas, back } = this;
    if (!back) return;
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(back, 0, 0);
    context.fillStyle = this.ink;
    if (at !== null) context.fillRect(this._x(at) - this.pixels, 0, 2 * this.pixels, canvas.height);
  }

  // ``part``: one number for each frame, the part of player 1 from 0 to 1 (null: unknown), drawn as a lead over one
  // half. ``viewer``: through its fog only its own curve is known; 0: both. ``marks``: events.js.
  pick({ values, part = false, viewer = 0, marks = [] }) {
    Object.assign(this, { values, part, viewer, marks });
    this.length = Math.max(this.longest, values.length);
    this.recolour();
  }

  // Draws the curves anew: they and not the line at the turn.
  recolour() {
    const { canvas } = this;
    this.pixels = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * this.pixels);
    canvas.height = Math.round(canvas.clientHeight * this.pixels);
    if (!canvas.width || !canvas.height) return;
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    this.ink = colour("ink");
    this.back = document.createElement("canvas");
    this.back.width = canvas.width;
    this.back.height = canvas.height;
    const context = this.back.getContext("2d");
    context.fillStyle = colour("panel");
    context.fillRect(0, 0, canvas.width, canvas.height);
    const players = [colour("player-1"), colour("player-2")];
    this._signs(context, players);
    if (this.part) this._lead(context, players, colour("line"));
    else this._both(context, players);
    if (canvas.clientWidth >= LEAST_SCALE.width && canvas.clientHeight >= LEAST_SCALE.height)
      this._scale(context, colour("soft"), players, colour("panel"));
    this.show(this.at);
  }

  get most() {
    return Math.max(1, ...this.values.map(([first, second]) => Math.max(first, second)));
  }

  // What the heights mean, at the left rim: who is sure to win above and below.
  _scale(context, soft, players, ground) {
    const { pixels } = this;
    const lead = [["100 %", 1, players[0]], ["50 %", 0.5, soft], ["100 %", 0, players[1]]];
    context.font = `${10 * pixels}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.strokeStyle = ground;
    context.lineWidth = 3 * pixels;
    for (const [text, height, colour] of this.part ? lead : [[grouped(this.most), 1, soft]]) {
      const place = [this._x(0) + 2 * pixels, this._y(height) + 12 * pixels * (height - 0.5)];
      context.strokeText(text, ...place);
      context.fillStyle = colour;
      context.fillText(text, ...place);
    }
  }

  _both(context, players) {
    const { most } = this;
    players.forEach((colour, player) => {
      if (this.viewer === 2 - player) return;
      const heights = this.values.map((row) => row[player] && row[player] / most);
      this._line(context, heights, colour, player ? [7, 3] : []);
    });
  }

  // Above the middle player 1 is ahead, below it player 2.
  _lead(context, players, line) {
    const middle = this._y(0.5);
    const known = this.values.map((part) => part ?? 0.5);
    players.forEach((colour, player) => {
      context.beginPath();
      context.moveTo(this._x(0), middle);
      known.forEach((part, at) =>
        context.lineTo(this._x(at), this._y(player ? Math.min(0.5, part) : Math.max(0.5, part))),
      );
      context.lineTo(this._x(known.length - 1), middle);
      context.fillStyle = colour;
      context.globalAlpha = 0.35;
      context.fill();
      context.globalAlpha = 1;
    });
    context.fillStyle = line;
    context.fillRect(this._x(0), middle, this._x(known.length - 1) - this._x(0), this.pixels);
    this._line(context, this.values, this.ink, []);
  }

  _line(context, heights, colour, dashes) {
    const { pixels } = this;
    context.beginPath();
    heights.forEach((height, at) => {
      if (height !== null) context.lineTo(this._x(at), this._y(height));
    });
    context.strokeStyle = colour;
    context.lineWidth = 2.2 * pixels;
    context.lineJoin = "round";
    context.setLineDash(dashes.map((length) => length * pixels));
    context.stroke();
    context.setLineDash([]);
  }

  // At the upper rim, under the scrubber: a stroke for a planet that is taken, a triangle for a base, a lozenge for a
  // turn of the game.
  _signs(context, players) {
    const { pixels } = this;
    for (const { at, player, kind } of this.marks) {
      const x = this._x(at);
      const [low, high] = [player === 2 ? 7 * pixels : 0, player === 2 ? 14 * pixels : 7 * pixels];
      context.fillStyle = players[player - 1] ?? this.ink;
      context.beginPath();
      if (kind === "taken") context.rect(x - pixels, low, 2 * pixels, high - low);
      else if (kind === "base")
        [[-6, 14], [0, 0], [6, 14]].forEach(([dx, y]) => context.lineTo(x + dx * pixels, y * pixels));
      else
        [[0, 0], [6, 7], [0, 14], [-6, 7]].forEach(([dx, y]) => context.lineTo(x + dx * pixels, y * pixels));
      context.fill();
    }
  }

  // Marks have a strip of their own above the curves.
  _y(height) {
    const { pixels, canvas } = this;
    const top = (this.marks.length ? 18 : 4) * pixels;
    return canvas.height - 4 * pixels - (canvas.height - top - 4 * pixels) * height;
  }

  // As far as the knob of the scrubber above it.
  _x(at) {
    const rim = 8 * this.pixels;
    return rim + ((this.canvas.width - 2 * rim) * at) / Math.max(1, this.length - 1);
  }
}
