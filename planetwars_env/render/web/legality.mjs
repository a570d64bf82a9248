// Legality of a move by what a view shows (R8).

// The fault of a move of the view's player, with what would be right; empty for a legal one.
export function faultIn([source, destination, people], { player, planets, edges }, rules) {
  const own = () => listed(planets.filter((planet) => planet.people?.[player - 1]).map(({ id }) => id));
  const planet = planets.find(({ id }) => id === source);
  if (!planet) return `there is no planet ${source}; you have people on ${own()}`;
  const near = edges.flatMap(({ a, b }) => (a === source ? [b] : b === source ? [a] : []));
  if (!near.includes(destination)) {
    return `no edge joins ${source} and ${destination}; the neighbours of ${source} are ${listed(near)}`;
  }
  if (people < 1) return `people must be at least 1, not ${people}`;
  if (rules.coexistence && !planet.visible) return ""; // from memory: it may come to nothing
  const left = planet.people?.[player - 1];
  if (!left) return `nobody of yours is on planet ${source}; you have people on ${own()}`;
  return people > left ? `only ${left} of your people are left on planet ${source}; send at most ${left}` : "";
}

function listed(ids) {
  const found = ids.toSorted((one, other) => one - other);
  const more = found.length > 12 ? ` and ${found.length - 12} more` : "";
  return found.length ? found.slice(0, 12).join(", ") + more : "none that you see";
}
