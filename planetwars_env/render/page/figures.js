// Buttons under the curves of a replay: each tells its figures at the turn that is shown, and one is pressed and drawn.

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
    for (const { button, name, part, values, signed } of this.choices) {
      const said = part ? percentages(part[at]) : values[at].map(signed ? describeValue : grouped);
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

function describeValue(value) {
  return value === null ? "–" : value.toFixed(2).replace("-", "−");
}

function percentages(part) {
  const first = Math.round(100 * part);
  return [`${first} %`, `${100 - first} %`];
}
