// Table of the planets for readers of the screen: the same as the drawing shows. It is rewritten at most once per second.
"use strict";

class BoardTable {
  constructor(table) {
    this.table = table;
    this.timer = null;
  }

  // ``state``: web/recorded_game.mjs, state; null: nothing is shown.
  show(graph, state, names) {
    this.wanted = { graph, state, names };
    if (!state) return this._write();
    this.timer ??= setTimeout(() => this._write(), this.table.rows.length ? 1000 : 0);
  }

  _write() {
    clearTimeout(this.timer);
    this.timer = null;
    const { graph, state, names } = this.wanted;
    if (!state) return this.table.replaceChildren();
    const head = ["planet", "owner", "people", "size", "growth", "neighbours (weight)", "landing"];
    const rows = state.planets.map((planet, i) => {
      const [id] = graph.planets[i];
      const land = state.shuttles.filter(({ to }) => to === i).map((one) => describeLanding(one, graph, names)).join(", ");
      if (!planet.people) return [`#${id}`, ["hidden", ...(planet.last ? describeLast(planet.last, names) : [])].join("; "), "", "", "", neighboursOf(graph, i), land];
      const owner = planet.owner ? names[planet.owner - 1] : "nobody";
      const people = planet.people.every(Boolean) ? planet.people.join(" and ") : String(planet.people[0] + planet.people[1]);
      return [`#${id}`, owner, people, String(planet.size), `${planet.habitability} %`, neighboursOf(graph, i), land];
    });
    this.table.replaceChildren(...[head, ...rows].map((row, i) => tableRow(row, i ? "td" : "th")));
  }
}

function tableRow(cells, kind) {
  const row = document.createElement("tr");
  for (const text of cells) {
    const cell = document.createElement(kind);
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}
