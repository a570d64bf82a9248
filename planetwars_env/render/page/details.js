// Descriptions of planets and players, and the box beside the pointer that shows them.
"use strict";

function describePlanet(graph, state, index, names) {
  const planet = state.planets[index];
  const id = graph.planets[index][0];
  const idOf = (i) => graph.planets[i][0];
  const ways = graph.edges
    .filter(([a, b]) => a === index || b === index)
    .map(([a, b, weight]) => `${idOf(a === index ? b : a)} (${weight})`);
  const lines = [`planet ${id}`];
  if (planet.people) {
    const [first, second] = planet.people;
    lines[0] += planet.owner ? ` of ${names[planet.owner - 1]}` : ", neutral";
    lines.push(first && second ? `people: ${first} of ${names[0]}, ${second} of ${names[1]}` : `people: ${first + second}`);
    lines.push(`size ${planet.size}, habitability ${planet.habitability} %`);
    if (planet.base) lines.push(`base of ${names[planet.base - 1]}`);
  } else {
    lines.push("hidden by the fog");
  }
  lines.push(`edges (weight): ${ways.join(", ") || "none"}`);
  for (const shuttle of state.shuttles) {
    if (shuttle.to !== index) continue;
    const turns = shuttle.left === 1 ? "1 turn" : `${shuttle.left} turns`;
    lines.push(`${shuttle.people} of ${names[shuttle.player - 1]} land in ${turns}, from ${idOf(shuttle.from)}`);
  }
  return lines.join("\n");
}

// How a player stands, as ``viewer`` (1, 2, or 0 for all) sees it. Spaces that do not break: a line ends after the comma or not at all.
function describeSide({ planets, shuttles }, player, viewer) {
  const settled = planets.reduce((sum, planet) => sum + (planet.people?.[player - 1] ?? 0), 0);
  const flying = shuttles.reduce((sum, shuttle) => sum + (shuttle.player === player ? shuttle.people : 0), 0);
  const owned = planets.filter((planet) => planet.owner === player).length;
  const word = owned === 1 ? "planet" : "planets";
  const visible = viewer && viewer !== player ? " in\u00a0sight" : "";
  return `${(settled + flying).toLocaleString("en")}\u00a0people, ${owned}\u00a0${word}${visible}`;
}

// ``x``, ``y``: where the pointer is; the box keeps within the window. No text hides it.
function showDetails(box, text, x, y) {
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  const left = x + 16 + box.offsetWidth > innerWidth ? x - 16 - box.offsetWidth : x + 16;
  const top = Math.min(y + 16, innerHeight - box.offsetHeight - 8);
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${Math.max(8, top)}px`;
}
