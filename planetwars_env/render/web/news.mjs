// News of a game: battles and changes of ownership that a viewer can tell from its own views before and after a turn.
import { ownerOf } from "./engine.mjs";
import { makeForecast } from "./forecast.mjs";

// Sentences on one turn; ``viewer``: 1, 2, or 0 without fog.
export function newsOf(engine, setup, names, viewer, before, now) {
  const fought = battles(engine, setup, names, before, now);
  return [...fought.values(), ...changes(names, viewer, before, now, fought)];
}

// A planet that comes into sight or leaves it has not changed its owner, unless it is or was the viewer's own.
function changes(names, viewer, before, now, fought) {
  const told = new Map();
  before.planets.forEach(({ owner: old }, p) => {
    const { id, owner } = now.planets[p];
    const comes = old === null && owner !== viewer;
    const leaves = owner === null && old !== viewer;
    if (old === owner || fought.has(id) || comes || leaves) return;
    const lost = `${names[(viewer || 1) - 1]} has lost`;
    const said = owner === null ? lost : owner ? `${names[owner - 1]} has taken` : "neutral now:";
    told.set(said, [...(told.get(said) ?? []), `#${id}`]);
  });
  return [...told].map(([said, ids]) => `${said} ${ids.join(", ")}`);
}

// A sentence on each battle, by planet; none for one that shuttles out of sight took part in.
function battles(engine, setup, names, before, now) {
  const told = new Map();
  const landing = new Map(before.planets.map(({ id }) => [id, [0, 0]]));
  for (const [, destination, player, people, turns] of before.shuttles) {
    if (turns === 1) landing.get(destination)[player - 1] += people;
  }
  const isFought = ({ id, owner }) => owner && landing.get(id)[2 - owner];
  const forecast = !setup.rules.coexistence && before.planets.some(isFought) && makeForecast(engine, setup, before);
  if (!forecast) return told;
  const grown = forecast.later(1, false);
  const expected = forecast.later(1);
  before.planets.forEach((planet, p) => {
    if (!isFought(planet)) return;
    const { id, owner } = planet;
    const [after, seen] = [expected[p], now.planets[p]];
    const left = ownerOf(after);
    // Out of sight afterwards: it was the viewer's own, and is lost.
    if (String(seen.people) !== String(after) && (seen.visible || left === owner)) return;
    const defenders = grown[p][owner - 1] + landing.get(id)[owner - 1];
    const attackers = landing.get(id)[2 - owner];
    const result = left === owner ? "held with" : left ? "taken with" : "nobody is left";
    const sum = after[0] + after[1];
    const counted = Math.trunc(engine.manifest.defence * defenders);
    const fight = `${names[2 - owner]} attacks #${id} with ${attackers} against ${defenders}`;
    told.set(id, `${fight}, which count as ${counted}: ${result}${sum ? ` ${sum}` : ""}`);
  });
  return told;
}
