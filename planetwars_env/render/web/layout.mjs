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
  let places = own.map(([x, y], p) => [x + 0.5 * Math.cos(2.4 * p), y + 0.5 * Math.sin(2.4 * p)]);
  for (let round = 0; round < ROUNDS; round++) {
    const push = places.map(() => [0, 0]);
    pushPlanets(places, push);
    pushFromEdges(places, ends, push);
    const pull = 0.04 * (1 - round / ROUNDS);
    places = places.map(([x, y], p) => {
      return [x + 0.5 * push[p][0] + pull * (own[p][0] - x), y + 0.5 * push[p][1] + pull * (own[p][1] - y)];
    });
  }
  return places;
}

function pushPlanets(places, push) {
  for (let p = 0; p < places.length; p++) {
    for (let q = 0; q < p; q++) {
      const [dx, dy] = [places[p][0] - places[q][0], places[p][1] - places[q][1]];
      const distance = Math.max(Math.hypot(dx, dy), 1e-9);
      const force = (0.5 * Math.max(APART - distance, 0)) / distance;
      push[p][0] += dx * force;
      push[p][1] += dy * force;
      push[q][0] -= dx * force;
      push[q][1] -= dy * force;
    }
  }
}

// Edges push planets that they pass too closely; half of it, reversed, goes to the ends of the edge.
function pushFromEdges(places, ends, push) {
  for (const [a, b] of ends) {
    const [x, y] = places[a];
    const [wx, wy] = [places[b][0] - x, places[b][1] - y];
    const length = Math.max(wx * wx + wy * wy, 1e-9);
    let [sumX, sumY] = [0, 0];
    places.forEach(([px, py], p) => {
      const along = ((px - x) * wx + (py - y) * wy) / length;
      if (along <= 0 || along >= 1) return;
      const [gx, gy] = [px - x - along * wx, py - y - along * wy];
      const distance = Math.hypot(gx, gy);
      const force = Math.max(PASSING - distance, 0);
      if (!force) return;
      // Where a planet lies on the very line, it goes to the left of it, as its image does.
      const root = Math.sqrt(length);
      const [ux, uy] = distance > 1e-6 ? [gx / distance, gy / distance] : [-wy / root, wx / root];
      push[p][0] += 0.5 * force * ux;
      push[p][1] += 0.5 * force * uy;
      sumX += force * ux;
      sumY += force * uy;
    });
    for (const end of [a, b]) {
      push[end][0] -= 0.25 * sumX;
      push[end][1] -= 0.25 * sumY;
    }
  }
}
