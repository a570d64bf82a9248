// Curves of both players over the turns, as SVG, with marks of events and a line at the turn that is shown; dragging
// goes to another one.

// At the upper rim: a stroke for a planet that is taken, a triangle for a base, a lozenge for a turn of the game.
const SIGNS = { taken: "M-1 0h2v7h-2z", base: "M-6 14L0 0L6 14z", turn: "M0 0L6 7L0 14L-6 7z" };
// Part of the curves' height that marks have above them.
const STRIP = 0.4;

class Curves {
  // ``onSeek``: called with the number of a frame.
  constructor(svg, onSeek) {
    this.svg = svg;
    this.values = [];
    this.part = false;
    this.viewer = 0;
    this.marks = [];
    // Frames of the game beside it, which may be longer.
    this.longest = 0;
    this.at = null;
    const seek = ({ clientX, buttons }) => {
      const { left, width } = svg.getBoundingClientRect();
      if (buttons & 1) onSeek(Math.round(((clientX - left - 8) / (width - 16)) * this.last));
    };
    svg.addEventListener("pointerdown", ({ pointerId }) => svg.setPointerCapture(pointerId));
    for (const kind of ["pointerdown", "pointermove"]) svg.addEventListener(kind, seek);
  }

  // ``values``: for every frame [of player 1, of player 2]. ``part``: one number for each, the part of player 1 from 0
  // to 1 (null: unknown), drawn as a lead over one half. ``viewer``: through its fog only its own curve is known; 0:
  // both. ``marks``: events.js.
  pick({ values, part = false, viewer = 0, marks = [] }) {
    Object.assign(this, { values, part, viewer, marks });
    this.last = Math.max(1, this.longest - 1, values.length - 1);
    const strip = marks.length ? STRIP : 0;
    const box = `viewBox="0 ${-strip} ${this.last} ${1 + strip}" preserveAspectRatio="none" overflow="visible"`;
    const lines = part ? this._lead() : this._both();
    const over = `${this._signs()}${this._scale(strip)}<rect width="2" height="100%"/>`;
    this.svg.innerHTML = `<svg ${box}>${lines}</svg>${over}`;
    this.show(this.at);
  }

  show(at) {
    this.at = at;
    const line = this.svg.lastElementChild;
    line?.setAttribute("x", this._x(at ?? 0));
    line?.toggleAttribute("hidden", at === null);
  }

  get most() {
    return Math.max(1, ...this.values.map(([first, second]) => Math.max(first, second)));
  }

  _both() {
    const { most, viewer, values } = this;
    return [0, 1]
      .filter((player) => viewer !== 2 - player)
      .map((player) => line(values.map((row) => row[player] && row[player] / most), ["one", "two"][player]))
      .join("");
  }

  // Above the middle player 1 is ahead, below it player 2.
  _lead() {
    const known = this.values.map((part) => part ?? 0.5);
    const area = (name, part) =>
      `<polygon class="${name}" points="0,.5 ${points(known.map((one) => part(0.5, one)))} ${known.length - 1},.5"/>`;
    const [above, below] = [area("one", Math.max), area("two", Math.min)];
    return `${above}${below}<polyline class="soft" points="0,.5 ${known.length - 1},.5"/>${line(this.values, "")}`;
  }

  _signs() {
    const sign = ({ at, player, kind }) => {
      const low = kind === "taken" && player === 2 ? 7 : 0;
      const name = ["", "one", "two"][player];
      const outline = SIGNS[kind] ?? SIGNS.turn;
      return `<svg x="${this._x(at)}" y="${low}" overflow="visible"><path class="${name}" d="${outline}"/></svg>`;
    };
    return this.marks.map(sign).join("");
  }

  // What the heights mean, at the left rim: who is sure to win above and below.
  _scale(strip) {
    const lead = [["100 %", 1, "one"], ["100 %", 0, "two"]];
    const texts = this.part ? lead : [[grouped(this.most), 1, ""]];
    const text = ([said, height, name]) => {
      const y = (100 * (strip + 1 - height)) / (strip + 1);
      return `<text x="2" y="${y}%" dy="${12 * height - 2}" class="${name}">${said}</text>`;
    };
    return texts.map(text).join("");
  }

  _x(at) {
    return `${(100 * at) / this.last}%`;
  }
}

function line(heights, name) {
  return `<polyline class="${name}" points="${points(heights)}"/>`;
}

// Without those that are unknown.
function points(heights) {
  return heights.flatMap((height, at) => (height === null ? [] : [`${at},${(1 - height).toFixed(4)}`])).join(" ");
}
