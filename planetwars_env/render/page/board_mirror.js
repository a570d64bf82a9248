// Mirroring of a board in the editor: the second half is made from the first. Every planet knows its image, its
// ``twin``; one that lies on the axis (or in the centre of a point symmetry) is its own.

const MIRRORS = { none: "none", point: "half a turn", sides: "left to right" };

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
  const isFirst = sideOf(base, mirror, centre);
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

// Whether a planet lies on the same side as ``base``: of the axis, or of the line through the centre.
function sideOf(base, mirror, [cx, cy]) {
  if (!base) return () => true;
  const [dx, dy] = mirror === "point" ? [base.x - cx, base.y - cy] : [base.x - cx, 0];
  return ({ x, y }) => (x - cx) * (dx || (dy ? 0 : -1)) + (y - cy) * dy > 0;
}

function edgeBetween(board, a, b) {
  return board.edges.find((edge) => (edge.a === a && edge.b === b) || (edge.a === b && edge.b === a));
}
