// Table of the planets for readers of the screen: the same as the drawing shows. It is rewritten at most once per
// second.

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
      const landing = state.shuttles.filter(({ to }) => to === i);
      const around = [neighboursOf(graph, i), landing.map((one) => describeLanding(one, graph, names)).join(", ")];
      const hidden = ["hidden", ...(planet.last ? describeLast(planet.last, names) : [])].join("; ");
      if (!planet.people) return [`#${id}`, hidden, "", "", "", ...around];
      const owner = planet.owner ? names[planet.owner - 1] : "nobody";
      const [first, second] = planet.people;
      const people = first && second ? `${first} and ${second}` : String(first + second);
      return [`#${id}`, owner, people, String(planet.size), `${planet.habitability} %`, ...around];
    });
    const cell = (text, i) => made(i ? "td" : "th", "", text);
    this.table.replaceChildren(...[head, ...rows].map((row, i) => made("tr", "", ...row.map((text) => cell(text, i)))));
  }
}
