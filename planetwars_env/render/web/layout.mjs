// Layout of a graph: planets near their own positions, apart from each other and from passing edges. It is that of
// layout.py, for graphs that come to a page without one.

const MARGIN = 46;
const APART = 84; // least distance between the centres of two planets, if there is room
const PASSING = 38; // least distance between a planet's centre and an edge of other planets
const ROUNDS = 120;
const WIDTH = 640; // of a drawing with so many planets
const USUAL_PLANETS = 20;
const MOST_PLANETS = 150; // graphs with more planets keep their own positions

export const UNKNOWN_RADIUS = 16;

// The radius of a planet: its area grows with its size. ``radii``: of the manifest.
export function radiusOf(size, { least, growth, most }) {
  return toTenths(Math.min(most, least + growth * Math.sqrt(size)));
}

// The graph as drawing.js takes it: ``planets`` [id, x, y], ``edges`` [planet, planet, weight] by index; ``unknown``:
// the radius of a planet that the fog hides.
export function layOut({ name, planets, edges }) {
  const index = new Map(planets.map(({ id }, p) => [id, p]));
  const ends = edges.map(({ a, b, weight }) => [index.get(a), index.get(b), weight]);
  const span = WIDTH * Math.sqrt(Math.max(1, planets.length / USUAL_PLANETS)) - 2 * MARGIN;
  const low = [Math.min(...planets.map(({ x }) => x)), Math.min(...planets.map(({ y }) => -y))];
  const own = planets.map(({ x, y }) => [x - low[0], -y - low[1]]);
  const largest = Math.max(...own.flat());
  let places = own;
  if (planets.length <= MOST_PLANETS) {
    const scale = largest ? span / largest : 1;
    places = spread(own.map(([x, y]) => [x * scale, y * scale]), ends);
  }
  const [left, top] = [0, 1].map((axis) => Math.min(...places.map((place) => place[axis])));
  const [right, bottom] = [0, 1].map((axis) => Math.max(...places.map((place) => place[axis])));
  const [width, height] = [Math.max(right - left, span), Math.max(bottom - top, span * 0.3)];
  const [dx, dy] = [(width - right + left) / 2 + MARGIN - left, (height - bottom + top) / 2 + MARGIN - top];
  return {
    name,
    width: Math.round(width) + 2 * MARGIN,
    height: Math.round(height) + 2 * MARGIN,
    unknown: UNKNOWN_RADIUS,
    planets: planets.map(({ id }, p) => [id, toTenths(places[p][0] + dx), toTenths(places[p][1] + dy)]),
    edges: ends,
  };
}

function toTenths(number) {
  return Math.round(10 * number) / 10;
}

// Places after a spring simulation: planets are pulled to their own positions and pushed apart.
function spread(own, ends) {
  // Planets on the very same place need a direction to part in, each its own.
  const xs = Float64Array.from(own, ([x], p) => x + 0.5 * Math.cos(2.4 * p));
  const ys = Float64Array.from(own, ([, y], p) => y + 0.5 * Math.sin(2.4 * p));
  const push = { xs: new Float64Array(own.length), ys: new Float64Array(own.length) };
  for (let round = 0; round < ROUNDS; round++) {
    push.xs.fill(0);
    push.ys.fill(0);
    pushPlanets(xs, ys, push);
    for (const [a, b] of ends) pushFromEdge(xs, ys, a, b, push);
    const pull = 0.04 * (1 - round / ROUNDS);
    own.forEach(([x, y], p) => {
      xs[p] += 0.5 * push.xs[p] + pull * (x - xs[p]);
      ys[p] += 0.5 * push.ys[p] + pull * (y - ys[p]);
    });
  }
  return own.map((_, p) => [xs[p], ys[p]]);
}

function pushPlanets(xs, ys, push) {
  for (let p = 0; p < xs.length; p++) {
    for (let q = 0; q < p; q++) {
      const dx = xs[p] - xs[q];
      const dy = ys[p] - ys[q];
      const square = dx * dx + dy * dy;
      if (square >= APART * APART) continue;
      const distance = Math.max(Math.sqrt(square), 1e-9);
      const force = (0.5 * (APART - distance)) / distance;
      push.xs[p] += dx * force;
      push.ys[p] += dy * force;
      push.xs[q] -= dx * force;
      push.ys[q] -= dy * force;
    }
  }
}

// An edge pushes planets that it passes too closely; half of it, reversed, goes to the ends of the edge.
function pushFromEdge(xs, ys, a, b, push) {
  const wx = xs[b] - xs[a];
  const wy = ys[b] - ys[a];
  const length = Math.max(wx * wx + wy * wy, 1e-9);
  let sumX = 0;
  let sumY = 0;
  // Planets outside of this box are far away.
  const [left, right] = [Math.min(xs[a], xs[b]) - PASSING, Math.max(xs[a], xs[b]) + PASSING];
  const [top, bottom] = [Math.min(ys[a], ys[b]) - PASSING, Math.max(ys[a], ys[b]) + PASSING];
  for (let p = 0; p < xs.length; p++) {
    if (xs[p] < left || xs[p] > right || ys[p] < top || ys[p] > bottom) continue;
    const along = ((xs[p] - xs[a]) * wx + (ys[p] - ys[a]) * wy) / length;
    if (along <= 0 || along >= 1) continue;
    const gx = xs[p] - xs[a] - along * wx;
    const gy = ys[p] - ys[a] - along * wy;
    const square = gx * gx + gy * gy;
    if (square >= PASSING * PASSING) continue;
    const distance = Math.sqrt(square);
    const force = PASSING - distance;
    // Where a planet lies on the very line, it goes to the left of it, as its image does.
    const aside = distance <= 1e-6;
    const unit = aside ? Math.sqrt(length) : distance;
    const fx = (force * (aside ? -wy : gx)) / unit;
    const fy = (force * (aside ? wx : gy)) / unit;
    push.xs[p] += 0.5 * fx;
    push.ys[p] += 0.5 * fy;
    sumX += fx;
    sumY += fy;
  }
  for (const end of [a, b]) {
    push.xs[end] -= 0.25 * sumX;
    push.ys[end] -= 0.25 * sumY;
  }
}
