// Shuttles of a state as marks on the screen: those of one player on one edge that lie closer than a word is high are
// one.

// ``places``: of the planets; ``radii``: theirs; ``flown``: how much of the turn is over; ``near``: pixels.
function shuttleMarks(shuttles, places, radii, flown, near, scale) {
  const lanes = new Map();
  for (const shuttle of shuttles) {
    const key = `${shuttle.from}-${shuttle.to}-${shuttle.player}`;
    if (!lanes.has(key)) lanes.set(key, []);
    lanes.get(key).push(shuttle);
  }
  /** @type {any[]} */
  const marks = [];
  for (const [key, lane] of lanes) {
    const way = laneOf(lane[0], places, radii);
    const ships = lane.map((shuttle) => ({ ...shuttle, at: way.at(shuttle, flown) })).sort((a, b) => b.at - a.at);
    let mark = null;
    for (const ship of ships) {
      const { left, people, from, to, player } = ship;
      if (mark && mark.ships.at(-1).at - ship.at < near) mark.ships.push(ship);
      else marks.push((mark = { key: `${key}-${left}-${people}`, ships: [ship], way, from, to, player }));
    }
  }
  for (const mark of marks) {
    const { way, ships } = mark;
    const at = ships[0].at;
    mark.people = ships.reduce((sum, { people }) => sum + people, 0);
    mark.text = ships.length > 3 ? `Σ${mark.people}` : ships.map(({ people }) => people).join("+");
    // On the right of the edge, so that those who meet pass each other.
    mark.x = way.x + way.ux * at - way.uy * 6 * scale;
    mark.y = way.y + way.uy * at + way.ux * 6 * scale;
    mark.angle = Math.atan2(way.uy, way.ux);
  }
  return marks.sort((a, b) => b.people - a.people);
}

// From rim to rim.
function laneOf({ from, to }, places, radii) {
  const [x, y] = places[from];
  const [x2, y2] = places[to];
  const length = Math.hypot(x2 - x, y2 - y) || 1;
  const start = radii[from] + 8;
  const end = Math.max(start, length - radii[to] - 8);
  const at = ({ flight, left }, flown) => start + (end - start) * Math.min(1, (flight - left + flown) / flight);
  return { x, y, ux: (x2 - x) / length, uy: (y2 - y) / length, at };
}

// Where the number of a shuttle may stand: beside it, on the other side of the edge, before and behind it.
function placesBeside({ x, y, way: { ux, uy } }, scale) {
  const beside = 9 * scale + 6;
  const out = [[1, 0], [1, 0.8], [1, -0.8], [-1.6, 0], [0, -1.4], [0, 1.4], [1.7, 0], [-1.6, 1], [-1.6, -1], [-2.4, 0]];
  return out.map(([side, along]) => [
    x - uy * side * beside + ux * along * beside,
    y + ux * side * beside + uy * along * beside,
  ]);
}
