// Planets, players and what strategies told in words, and where pages show them.

function describePlanet(graph, state, index, names) {
  const planet = state.planets[index];
  const lines = [`#${graph.planets[index][0]}`];
  const isYou = (player) => names[player - 1] === "you";
  const of = (player) => (isYou(player) ? "of yours" : `of ${names[player - 1]}`);
  const baseOf = (player) => (isYou(player) ? "your base" : `base of ${names[player - 1]}`);
  if (planet.people) {
    const [first, second] = planet.people;
    lines[0] += planet.owner ? ` ${of(planet.owner)}` : ", neutral";
    const both = `${first} ${of(1)}, ${second} ${of(2)}`;
    lines.push(`people: ${first && second ? both : first + second}`);
    lines.push(`size ${planet.size}, habitability ${planet.habitability} %`);
    if (planet.base) lines.push(baseOf(planet.base));
  } else {
    lines.push("hidden by the fog");
    if (planet.last) {
      const { turn, people, owner, size, habitability, base } = planet.last;
      const there = people.map((count, i) => (count ? `${count} ${of(i + 1)}` : "")).filter(Boolean).join(", ");
      lines.push(`seen on turn ${turn}: ${there || "nobody"}${owner ? "" : ", neutral"}`);
      lines.push(`size ${size}, habitability ${habitability} %${base ? `, ${baseOf(base)}` : ""}`);
    }
  }
  const id = (one) => `#${graph.planets[one][0]}`;
  const edges = graph.edges.filter(([a, b]) => a === index || b === index).sort((one, other) => one[2] - other[2]);
  const around = edges.map(([a, b, weight]) => `${id(a === index ? b : a)}\u00a0(${weight})`);
  lines.push(`edges (weight): ${shortened(around, 8).join(", ") || "none"}`);
  const landing = state.shuttles.filter(({ to }) => to === index).sort((a, b) => a.left - b.left);
  const lands = ({ people, player, left, from }) =>
    `${people} ${of(player)} land in ${counted(left, "turn")}, from ${id(from)}`;
  lines.push(...shortened(landing.map(lands), 5));
  return lines.join("\n");
}

// The first of a list, and how many are left out.
function shortened(list, most) {
  return list.length > most + 1 ? [...list.slice(0, most), `and ${list.length - most} more`] : list;
}

// How both players stand, in the heading, as ``viewer`` (1, 2, or 0 for all) sees it.
function showTotals({ planets, shuttles }, viewer) {
  for (const player of [1, 2]) {
    const settled = planets.reduce((sum, planet) => sum + (planet.people?.[player - 1] ?? 0), 0);
    const flying = shuttles.reduce((sum, shuttle) => sum + (shuttle.player === player ? shuttle.people : 0), 0);
    const owned = planets.filter((planet) => planet.owner === player).length;
    const parts = [counted(settled + flying, "person", "people"), counted(owned, "planet")];
    if (viewer && viewer !== player) parts[1] += " in sight";
    // Spaces that do not break: a line ends after the comma or not at all.
    element(`totals-${player}`).textContent = parts.map((part) => part.replaceAll(" ", "\u00a0")).join(", ");
  }
}

// The box about a planet: beside the pointer, within the window; where a finger points, at the end that is further
// away.
class PlanetBox {
  // ``describe``: a planet, by index, in words; no words, no box.
  constructor(describe) {
    this.box = element("details");
    this.describe = describe;
    this.last = null;
  }

  // Beside a planet of a drawing that was picked; null: none.
  pick(drawing, planet, touch) {
    const { x, y } = planet === null ? { x: 0, y: 0 } : drawing.placeOf(planet);
    this.show(planet, x, y, touch ? drawing.canvas.getBoundingClientRect() : null);
  }

  // ``x``, ``y``: in pixels of the page; ``away``: the box of the board that a finger points at.
  show(planet, x = 0, y = 0, away = null) {
    const { box } = this;
    const text = planet === null ? "" : this.describe(planet);
    this.last = planet === null ? null : [planet, x, y, away];
    box.hidden = !text;
    if (!text) return;
    box.textContent = text;
    let left = x + 16 + box.offsetWidth > innerWidth ? x - 16 - box.offsetWidth : x + 16;
    let top = Math.min(y + 16, innerHeight - box.offsetHeight - 8);
    if (away) {
      left = x < away.left + away.width / 2 ? away.right - box.offsetWidth - 4 : away.left + 4;
      top = y < away.top + away.height / 2 ? away.bottom - box.offsetHeight - 4 : away.top + 4;
    }
    Object.assign(box.style, { left: `${Math.max(8, left)}px`, top: `${Math.max(8, top)}px` });
  }

  // The planet may have changed.
  refresh() {
    if (this.last) this.show(...this.last);
  }
}

// The planets in words for readers of the screen, as the drawing shows them; written at most once per second.
class PlanetList {
  constructor() {
    this.list = element("planets");
    this.timer = null;
  }

  // ``state``: web/recorded_game.mjs, state; null: nothing is shown.
  show(graph, state, names) {
    const words = (_, i) => made("li", "", describePlanet(graph, state, i, names).replaceAll("\n", "; "));
    this.wanted = () => this.list.replaceChildren(...(state?.planets.map(words) ?? []));
    if (!state) this.wanted();
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.wanted();
    }, this.list.childElementCount ? 1000 : 0);
  }
}

// The buttons #fog-0 to #fog-2: what everybody or one player sees.
function showFog(viewer, names) {
  for (const one of [0, 1, 2]) press(element(`fog-${one}`), one === viewer);
  names.forEach((name, i) => Object.assign(element(`fog-${i + 1}`), { textContent: name, title: `what ${name} sees` }));
}

// ``notes``: bots/notes.py, TurnNotes; ``names``: of both players.
function showConsole(list, notes, names) {
  const row = ({ turn, player, said, printed, fault, seconds, dropped }) => {
    const when = turn ? `turn ${turn}` : "before the first turn";
    const lost = dropped ? `, ${counted(dropped, "move")} dropped` : "";
    const title = made("b", player === 2 ? "two" : "one", `${when}, ${names[player - 1]}`);
    const item = made("li", "", title, ` ${describeSeconds(seconds)}${lost}`);
    for (const sentence of said) item.append(made("p", "said", `“${sentence}”`));
    if (fault) item.append(made("pre", "fault", fault));
    if (printed) item.append(made("pre", "", printed.trimEnd()));
    return item;
  };
  fillList(list, notes, () => notes.map(row));
}

function describeSeconds(seconds) {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}
