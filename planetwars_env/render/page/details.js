// Descriptions of planets and players, and the box beside the pointer that shows them.
"use strict";

function describePlanet(graph, state, index, names) {
  const planet = state.planets[index];
  const lines = [`#${graph.planets[index][0]}`];
  if (planet.people) {
    const [first, second] = planet.people;
    lines[0] += planet.owner ? ` of ${names[planet.owner - 1]}` : ", neutral";
    lines.push(first && second ? `people: ${first} of ${names[0]}, ${second} of ${names[1]}` : `people: ${first + second}`);
    lines.push(`size ${planet.size}, habitability ${planet.habitability} %`);
    if (planet.base) lines.push(`base of ${names[planet.base - 1]}`);
  } else {
    lines.push("hidden by the fog", ...(planet.last ? describeLast(planet.last, names) : []));
  }
  lines.push(`edges (weight): ${neighboursOf(graph, index) || "none"}`);
  const landing = state.shuttles.filter(({ to }) => to === index).sort((a, b) => a.left - b.left);
  lines.push(...shortened(landing.map((shuttle) => describeLanding(shuttle, graph, names)), 5));
  return lines.join("\n");
}

// The first of a list, and how many are left out.
function shortened(list, most) {
  return list.length > most + 1 ? [...list.slice(0, most), `and ${list.length - most} more`] : list;
}

function describeLast({ turn, people, owner, size, habitability, base }, names) {
  const there = people.map((count, i) => (count ? `${count} of ${names[i]}` : "")).filter(Boolean).join(", ");
  const whose = base ? `, base of ${names[base - 1]}` : "";
  return [`seen on turn ${turn}: ${there || "nobody"}${owner ? "" : ", neutral"}`, `size ${size}, habitability ${habitability} %${whose}`];
}

function neighboursOf(graph, index) {
  const edges = graph.edges.filter(([a, b]) => a === index || b === index).sort((one, other) => one[2] - other[2]);
  return shortened(edges.map(([a, b, weight]) => `#${graph.planets[a === index ? b : a][0]} (${weight})`), 8).join(", ");
}

function describeLanding({ people, player, left, from }, graph, names) {
  const turns = left === 1 ? "1 turn" : `${left} turns`;
  return `${people} of ${names[player - 1]} land in ${turns}, from #${graph.planets[from][0]}`;
}

// How a player stands, as ``viewer`` (1, 2, or 0 for all) sees it. Spaces that do not break: a line ends after the comma or not at all.
function describeSide({ planets, shuttles }, player, viewer) {
  const settled = planets.reduce((sum, planet) => sum + (planet.people?.[player - 1] ?? 0), 0);
  const flying = shuttles.reduce((sum, shuttle) => sum + (shuttle.player === player ? shuttle.people : 0), 0);
  const owned = planets.filter((planet) => planet.owner === player).length;
  const people = settled + flying;
  const visible = viewer && viewer !== player ? " in\u00a0sight" : "";
  return `${grouped(people)}\u00a0${people === 1 ? "person" : "people"}, ${owned}\u00a0${owned === 1 ? "planet" : "planets"}${visible}`;
}

// ``x``, ``y``: where the pointer is; the box keeps within the window. No text hides it. ``away``: a finger points, so the box
// goes to the end of the window (``board``: its box) that is further away.
function showDetails(box, text, x, y, away = null) {
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  let left = x + 16 + box.offsetWidth > innerWidth ? x - 16 - box.offsetWidth : x + 16;
  let top = Math.min(y + 16, innerHeight - box.offsetHeight - 8);
  if (away) {
    left = x < away.left + away.width / 2 ? away.right - box.offsetWidth - 4 : away.left + 4;
    top = y < away.top + away.height / 2 ? away.bottom - box.offsetHeight - 4 : away.top + 4;
  }
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${Math.max(8, top)}px`;
}

// A number with commas; the browser's own way takes ten milliseconds at first.
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

// A button that shows what a player sees.
function nameFogButton(button, name) {
  button.textContent = name;
  button.title = `what ${name} sees`;
}
