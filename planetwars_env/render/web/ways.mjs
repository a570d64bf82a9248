// Shortest ways through planets of one's own.

// ``ways``: for each planet a Map from its neighbours to the turns of a flight; returns a Map from the planets of
// ``own`` that reach one of ``targets`` to the next one on their ways.
export function nextSteps(ways, own, targets) {
  const far = new Map(targets.map((target) => [target, 0]));
  const next = new Map();
  const open = new Set(targets);
  while (open.size) {
    const nearest = [...open].reduce((a, b) => (far.get(b) < far.get(a) ? b : a));
    open.delete(nearest);
    for (const [planet, turns] of ways[nearest]) {
      const distance = far.get(nearest) + turns;
      if (!own.includes(planet) || distance >= (far.get(planet) ?? Infinity)) continue;
      far.set(planet, distance);
      next.set(planet, nearest);
      open.add(planet);
    }
  }
  return next;
}
