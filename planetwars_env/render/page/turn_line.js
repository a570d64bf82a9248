// The line below the board: what to do next and what it will lead to.

// Turn of the game, of both players.
const LAST_ADVICE = 6;
// Milliseconds before a hint is sought.
const THINKS = 60;

class TurnLine {
  // ``page``: a PlayPage.
  constructor(page) {
    this.page = page;
    this.begin();
  }

  // A new turn: what was hinted is of the one before.
  begin() {
    this.hinted = "";
    clearTimeout(this.thinking);
    this.thinking = null;
    // Moves by ids: those that are hinted, and those that were made in a game that is played once more from here.
    this.advised = [];
    this.made = [];
    // What the hint leads to, by the planet's id.
    this.comes = new Map();
  }

  // What another player would do, and what comes of it, stays below the board until something else is said. ``made``:
  // what was done on this turn once, when it went wrong.
  askHint(made = this.made) {
    const { page } = this;
    const by = element("hint-by").value;
    this.made = made;
    this.forget();
    this.hinted = `${nameOf(by)} thinks … (Esc: never mind)`;
    this.show();
    // The page says so before it thinks.
    this.thinking = setTimeout(() => {
      this.thinking = null;
      try {
        if (page.now.yours) this._tellHint(by, page.connection.hint(by));
      } catch ({ message }) {
        page.showError(message);
        this.forget();
      }
    }, THINKS);
  }

  _tellHint(by, { moves, foreseen }) {
    const { names, now } = this.page;
    const change = ([id, ...people]) => [id, describeChange(...people, now.player, names)];
    this.comes = new Map(foreseen.map(change));
    this.advised = moves;
    const sends = shortened(moves.map(describeOrder), 2).join(", ");
    this.hinted = `${nameOf(by)} would send ${sends || "nobody"}.`;
    if (this.made.length) this.hinted += " Your moves are grey.";
    this.show();
  }

  // The hint becomes the orders of this turn, in place of those that there were.
  follow() {
    const { advised } = this;
    this.forget();
    this.page.now.orders.forEach(() => this.page.undo(-1));
    this.page.act((session) => session.order(advised));
  }

  // Neither a hint nor one that is still thought about.
  forget() {
    const { made } = this;
    this.begin();
    this.made = made;
    this.show();
  }

  // Why turns no longer end by themselves.
  stopped(reason) {
    this.hinted = reason ? `Stopped: ${reason}.` : "";
    this.show();
  }

  // What to do next, and what it will lead to.
  show() {
    const { now, input } = this.page;
    if (!now) return;
    this._draw();
    const aims = now.yours && input.move() !== null;
    const warning = aims ? this._warning() : "";
    let text = "";
    if (now.over) text = "Drag the turn to see the game again.";
    else if (aims) text = `${warning}To ${this._forecast() ?? this._sentence(input.target)}`;
    else if (now.yours && input.many) text = this._ofMany();
    else if (this.hinted) text = this.hinted;
    else if (now.yours && input.source !== null) text = `From ${this._sentence(input.source)}. Choose where to.`;
    else if (now.orders.length) text = this._left(now).join("; ") || "End the turn when you are done.";
    else if (now.yours && now.turn <= LAST_ADVICE)
      text = "Drag from a planet of yours to one beside it; end the turn when you are done.";
    element("log").textContent = text;
    element("log").classList.toggle("warning", Boolean(warning));
  }

  _draw() {
    const { drawing } = this.page;
    const index = (id) => this.page.indexOf(id);
    const arrows = (moves, hinted) => moves.map(([from, to, people]) => [index(from), index(to), people, hinted]);
    drawing.arrows = [...arrows(this.made, false), ...arrows(this.advised, true)];
    drawing.outcomes = [...this.comes].map(([id, text]) => [index(id), text]);
    drawing.draw();
    this.page.listOrders("advice", this.advised, (move) => [...describeOrder(move), this.comes.get(move[1])]);
  }

  // Of several planets that send: who sends where to, and whose way is blocked.
  _ofMany() {
    const { input, game } = this.page;
    const id = (planet) => `#${game.graph.planets[planet][0]}`;
    if (input.target === null) return `From ${input.sources.map(id).join(", ")}. Choose where to.`;
    const ways = input.moves().map(([source, target]) => `#${source} → #${target}`).join(", ");
    return ways && `To ${id(input.target)}, each along its shortest way through your planets: ${ways}.`;
  }

  // With a mark on the slider where the planet changes hands.
  _forecast() {
    const { outcome, game, input, names } = this.page;
    const { least } = outcome ?? { least: 0 };
    element("least").replaceChildren(...(least > 0 ? [new Option("", least)] : []));
    if (!outcome) return null;
    const [id] = game.graph.planets[input.target];
    return `#${id} ${describeOutcome(outcome, input.people, input.player, names)}.`;
  }

  // Whoever sends everybody away gives the planet away (R8): said before it is done.
  _warning() {
    const { input, now, game } = this.page;
    const { source, player } = input;
    const owner = input.ownerAfter();
    if (owner === null || owner === player || now.state.planets[source].owner !== player) return "";
    return `Sending ${input.people} makes #${game.graph.planets[source][0]} ${this._ownerText(owner)}. `;
  }

  // The planets that this turn's orders give away.
  _left({ orders, state }) {
    const sources = new Set(orders.map(([source]) => source));
    return state.planets.flatMap(({ owner }, i) => {
      const [id] = this.page.game.graph.planets[i];
      return sources.has(id) && owner === 0 ? [`#${id} will be ${this._ownerText(0)}`] : [];
    });
  }

  _ownerText(owner) {
    return owner ? `${this.page.names[owner - 1]}'s` : "neutral";
  }

  _sentence(planet) {
    const { game, now, names } = this.page;
    const said = describePlanet(game.graph, now.state, planet, names).split("\n");
    return said.filter((line) => !line.startsWith("edges")).join("; ");
  }
}

function nameOf(by) {
  return by === "planner" ? "The planner" : by;
}

// ``player``: who sends; ``names``: of both.
function describeOutcome({ turns, without, after, least }, people, player, names) {
  const need = least > 0 ? `${least} ${least === 1 ? "takes" : "take"} it` : least < 0 ? "no number takes it" : "";
  const winner = ownerOfPeople(after);
  const end = winner
    ? `${winner === player ? "yours" : `${names[winner - 1]}'s`} with ${countThere(after)}`
    : "nobody's";
  const then = `your ${people} ${people === 1 ? "makes" : "make"} it ${end}`;
  const owner = ownerOfPeople(without);
  const whose = owner === player ? "of yours" : owner ? `of ${names[owner - 1]}` : "of nobody";
  const there = without[0] + without[1] ? `${countThere(without)} ${whose}` : "nobody";
  const now = `in ${counted(turns, "turn")}: ${there} there`;
  return [now, need, then].filter(Boolean).join("; ");
}

// People on a planet without a move and with it.
function describeChange(without, after, player, names) {
  const owner = ownerOfPeople(after);
  const whose = owner === player ? " yours" : owner ? ` ${names[owner - 1]}'s` : " nobody's";
  return `${countThere(without)} → ${countThere(after)}${owner === ownerOfPeople(without) ? "" : whose}`;
}

function countThere([first, second]) {
  return first && second ? `${first} and ${second}` : String(first + second);
}

// [source, destination, people] by ids.
function describeOrder([source, target, people]) {
  return [`${grouped(people)} from #${source} to #${target}`];
}
