// Dialog for the setup of a new game.

class SetupDialog {
  // ``choices``: setup.py; ``first``: the game that was asked for on the command line; ``onStart``: called with
  // the game that is wanted (connection.mjs, begin), and with the number of games of a series.
  constructor(choices, first, onStart) {
    this.choices = choices;
    this.start = null;
    this.dialog = element("setup");
    on("setup-cancel", "click", () => this.dialog.close());
    on("setup-form", "submit", (event) => {
      event.preventDefault();
      element("setup-start").disabled = true;
      this.showError("");
      onStart(this.message(), Number(element("best-of").value));
    });
    this._fill(first);
  }

  // ``start``: a turn of the game on the page, which is played on from there; null: a game from its beginning.
  open(start = null) {
    this.start = start;
    this.showError("");
    const alone = start === null;
    element("setup-title").textContent = alone ? "New game" : `Play on from turn ${start}`;
    element("start-text").hidden = alone;
    element("setup-game").hidden = !alone;
    this.dialog.showModal();
  }

  close() {
    this.showError("");
    this.dialog.close();
  }

  showError(text) {
    if (text) element("setup-start").disabled = false;
    element("setup-error").textContent = text;
  }

  message() {
    const number = (id) => (element(id).value === "" ? null : Math.trunc(Number(element(id).value)));
    return {
      players: [1, 2].map((player) => chosen(`player-${player}`, `file-${player}`)),
      graph: chosenGraph(this.choices),
      rules: element("rules").value,
      seed: number("seed"),
      max_turns: number("max-turns"),
      start: this.start,
    };
  }

  _fill({ players, graph, rules, shared }) {
    const { person, own, bots, agents } = this.choices;
    players.forEach((player, i) => {
      const groups = { people: [person], "of this program": own, bots, agents: Object.keys(agents) };
      offer(`player-${i + 1}`, `file-${i + 1}`, groups, "a file or folder …", player);
    });
    offerGraphs(this.choices, graph);
    for (const name of this.choices.rules) element("rules").add(new Option(name, name));
    element("rules").value = rules;
    const mark = () => markAgents(element("setup"), agents, element("rules").value);
    on("rules", "change", mark);
    mark();
    if (!shared) return;
    // Every link is for one player, and no page names files of the server.
    element("setup-players").hidden = true;
    element("graph").querySelector(`option[value="${OTHER}"]`).remove();
    element("graph-file").hidden = true;
    element("editor").hidden = true;
  }
}

// Agents that never learned the chosen rules play them badly.
function markAgents(parent, agents, rules) {
  for (const option of parent.querySelectorAll("option")) {
    const learned = agents[option.value];
    if (learned !== undefined) {
      const other = learned.length > 0 && !learned.includes(rules);
      option.textContent = other ? `${option.value} (learned ${learned.join(", ")} only)` : option.value;
    }
  }
}
