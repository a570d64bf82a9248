// An agent's reading of a replay, recorded on request: its likely orders, its estimate, and the planets that these
// depend on.

class Reader {
  // ``reader``: pages.py, {name, turns}, or null without any.
  constructor(reader, graph, length) {
    this.graph = graph;
    this.turns = new Map((reader?.turns ?? []).map((one) => [one.at, one]));
    this.choice = reader && { name: "estimate", values: this._values(length), signed: true };
    element("reader").hidden = !reader;
    element("reader-name").textContent = reader?.name ?? "";
    this.marking = true;
  }

  // Returns planets to mark, [[planet, per cent], ...]: those of the turn, as far as ``viewer`` may know it.
  show(at, viewer) {
    const turn = this.turns.get(at);
    const open = turn && (!viewer || turn.player === viewer);
    const name = (planet) => `#${this.graph.planets[planet][0]}`;
    const told = (open ? turn.orders : []).map(([from, to, people, chance]) => {
      return made("li", "", made("b", "", `${chance} %`), ` ${people} from ${name(from)} to ${name(to)}`);
    });
    const nothing = made("li", "", open ? "waits" : "another player's turn, or the end");
    element("orders").replaceChildren(...(told.length ? told : [nothing]));
    return open && this.marking ? turn.influence : [];
  }

  // Each player's latest estimate of its own game, from -1 to 1.
  _values(length) {
    const latest = [null, null];
    return Array.from({ length }, (_, at) => {
      const turn = this.turns.get(at);
      if (turn) latest[turn.player - 1] = turn.value / 100;
      return latest.slice();
    });
  }
}
