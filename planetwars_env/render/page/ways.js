// Shortest ways to a planet through planets of one's own.
"use strict";

// ``ways``: for each planet a Map from its neighbours to the turns of a flight; returns a Map from planets to the next one.
function nextSteps(ways, own, target) {
  const far = new Map([[target, 0]]);
  const next = new Map();
  const open = new Set([target]);
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
