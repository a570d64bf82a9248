// Buttons under the curves of a replay: each tells its figures at the turn that is shown, and one is pressed and drawn;
// and an agent's reading of the replay.

class Figures {
  constructor(box, game, curves, reader) {
    this.curves = curves;
    const totals = (i) => game.totals.map((row) => row.slice(2 * i, 2 * i + 2));
    this.choices = [
      ...(game.win.length ? [{ name: "ahead", part: game.win.map((part) => part / 1000), all: true }] : []),
      ...["people", "planets", "growth"].map((name, i) => ({ name, values: totals(i) })),
      ...(reader.choice ? [reader.choice] : []),
    ];
    for (const choice of this.choices) {
      choice.button = made("button", "row");
      choice.button.title = FIGURES[choice.name];
      choice.button.addEventListener("click", () => this.choose(choice));
    }
    box.append(...this.choices.map(({ button }) => button));
    this.chosen = this.choices[0];
  }

  choose(choice) {
    this.chosen = choice;
    this.see(this.viewer, this.marks);
    this.show(this.at);
  }

  // Through a fog the true position is not known, and of people only the viewer's own.
  see(viewer, marks) {
    this.viewer = viewer;
    this.marks = marks;
    const open = this.choices.filter(({ all }) => !viewer || !all);
    const drawn = open.includes(this.chosen) ? this.chosen : open[0];
    for (const choice of this.choices) {
      choice.button.hidden = !open.includes(choice);
      press(choice.button, choice === drawn);
    }
    // An estimate of -1 lies at the lower rim.
    const heights = (row) => (drawn.signed ? row.map((value) => value && Math.max(0, (1 + value) / 2)) : row);
    const values = drawn.part || drawn.values.map(heights);
    this.curves.pick({ values, part: Boolean(drawn.part), viewer, marks });
  }

  show(at) {
    this.at = at;
    const percent = (part) => [Math.round(100 * part), 100 - Math.round(100 * part)].map((one) => `${one} %`);
    const estimate = (value) => (value === null ? "–" : value.toFixed(2).replace("-", "−"));
    for (const { button, name, part, values, signed } of this.choices) {
      const said = part ? percent(part[at]) : values[at].map(signed ? estimate : grouped);
      const shown = said.map((text, i) => made("span", ["one", "two"][i], text));
      button.replaceChildren(made("b", "", name), ...shown.filter((_, i) => this.viewer !== 2 - i));
    }
  }
}

const FIGURES = {
  ahead: "probability to win of each player, estimated from the true position",
  people: "people of each player, in shuttles too",
  planets: "planets of each player",
  growth: "people that will be born next turn",
  estimate:
    "the agent's estimate of its own game under its fog, from -1 (lost) to 1 (won): its network's value",
};

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
