// Board of the editor as the drawing takes it: with everything in sight, room around it, and its fault.

const PICTURE = {
  // Of a new board, in pixels of the usual drawing; room beside the outermost planets.
  frame: [640, 420],
  margin: 90,
};

class BoardPicture {
  // ``radii``: layout.py. ``frame``: the window of the board, null: that of the planets.
  constructor(radii) {
    this.radii = radii;
    this.frame = null;
  }

  // Of the window, in the board's coordinates.
  middle({ unit }) {
    return [0, 1].map((k) => ((k ? -1 : 1) * (this.frame[0][k] + this.frame[1][k])) / 2 / unit);
  }

  // As layout.mjs, layOut, with the places as they are and room around them.
  graph(board, held) {
    const { planets, edges, unit } = board;
    const placeOf = (planet) => held.get(planet.id) ?? planet;
    const index = new Map(planets.map(({ id }, i) => [id, i]));
    if (!held.size) this._widen(planets, unit);
    // Of the mirror: a line, or a cross at the centre.
    const [x, y] = [board.centre[0] * unit, -board.centre[1] * unit];
    const [low, high] = this.frame;
    const down = [[x, low[1]], [x, high[1]]];
    const across = [[low[0], y], [high[0], y]];
    return {
      planets: planets.map((planet) => [planet.id, placeOf(planet).x * unit, -placeOf(planet).y * unit]),
      edges: edges.map(({ a, b, weight }) => [index.get(a), index.get(b), weight]),
      unknown: this.radii.least,
      frame: this.frame,
      guides: { none: [], sides: [down], point: [down, across] }[board.mirror],
    };
  }

  // The window grows with the board, and never under the pointer.
  _widen(planets, unit) {
    const { margin, frame } = PICTURE;
    const ends = planets.flatMap(({ x, y }) => [
      [x * unit - margin, -y * unit - margin],
      [x * unit + margin, -y * unit + margin],
    ]);
    const tall = innerHeight > innerWidth;
    const [wide, high] = tall ? [frame[1], frame[0]] : frame;
    const corners = [...ends, ...(this.frame ?? (ends.length ? [] : [[-wide / 2, -high / 2], [wide / 2, high / 2]]))];
    this.frame = [Math.min, Math.max].map((end) => [0, 1].map((k) => end(...corners.map((corner) => corner[k]))));
  }

  // As web/recorded_game.mjs, state: everything is in sight, and planets show their size.
  state({ planets, edges }, fault) {
    const { least, growth, most } = this.radii;
    return {
      planets: planets.map(({ size, habitability, base }) => ({
        visible: true,
        people: [0, 0],
        word: String(size),
        size,
        habitability,
        base,
        owner: base,
        radius: Math.min(most, least + growth * Math.sqrt(Math.max(1, Number(size) || 1))),
      })),
      shuttles: [],
      marks: faultMarks(fault, planets, edges),
    };
  }
}

// The fault at its planet or edge, in short.
function faultMarks(fault, planets, edges) {
  const { subject, position, text } = fault ?? {};
  if (!subject || subject === "graph" || position >= (subject === "planet" ? planets : edges).length) return [];
  return [{ [subject]: position, text: `⚠ ${text.replace(/^[^:]*: /, "").split(";")[0]}`, player: 2 }];
}
