// The first game: a small board, an opponent that only waits, and one sentence at a time about what to do next, by what
// the page shows; and the legend of the board.

// [id, size, habitability, x, y, base]
const FIRST_PLANETS = [
  [1, 200, 30, 0, 1, 1],
  [2, 200, 10, 1.6, 0.4, 0],
  [3, 150, 8, 1.6, 1.9, 0],
  [4, 100, 3, 3.2, 1, 2],
];
const FIRST_GRAPH = {
  name: "first game",
  planets: FIRST_PLANETS.map(([id, size, habitability, x, y, base]) => ({ id, size, habitability, x, y, base })),
  edges: [[1, 2], [1, 3], [2, 4], [3, 4]].map(([a, b]) => ({ a, b, weight: 2 })),
};

class Guide {
  // ``page``: a PlayPage.
  constructor(page) {
    this.page = page;
    this.on = false;
    for (const id of ["guide-begin", "legend-guide"]) on(id, "click", () => this.start());
    on("guide-end", "click", () => this.end());
  }

  start() {
    this.page.legend.toggle(false);
    this.page.series.want(1);
    this.page.newGame(["you", "noop"], { graph: FIRST_GRAPH, rules: "PLANETWARS", seed: 0 });
  }

  // A game has begun, or goes on.
  begin(game) {
    this.on = game.graph.name === FIRST_GRAPH.name;
  }

  end() {
    this.on = false;
    this.page.legend.remember();
    element("guide").hidden = true;
  }

  show() {
    const { now, game } = this.page;
    if (!now) return;
    const offered = !this.page.legend.known && now.turn === 1 && !game.you && game.players.includes("you");
    const text = this.on ? this._advice(now) : offered ? "New here? The first game takes two minutes." : "";
    element("guide").hidden = !text;
    element("guide-text").textContent = text;
    element("guide-begin").hidden = this.on;
  }

  // Planets by id, as the player to move sees them.
  _advice(now) {
    if (now.over)
      return this.page.now.winner === 1 ? "You have won your first game! The next opponent fights back." : "";
    if (!now.yours) return "The opponent moves.";
    const { input } = this.page;
    if (input.target !== null) return this._amount(input, this.page.outcome);
    if (now.orders.length) return "Now end the turn: the shuttle leaves.";
    const [base, middle] = now.state.planets;
    if (middle.owner !== 1) {
      if (now.state.shuttles.length) return "It flies for two turns of the game. People grow meanwhile: end the turn.";
      return "Your base is blue. Drag from #1 to #2, which is free: one person takes it.";
    }
    const there = now.state.planets[3].people[1];
    // It grows by one person on each of the two turns until the attack lands.
    const needed = least(there + 2);
    const [home, front] = [base.people[0], middle.people[0]];
    if (now.turn <= 5) {
      const rule = `Defenders count a tenth more: ${least(there)} take it from ${there}.`;
      return `The opponent waits at #4. ${rule} Grow first: end the turn.`;
    }
    if (front > needed) return "Enough! Drag from #2 to #4, and attack.";
    const coming = now.state.shuttles.some(({ to }) => to === 1);
    if (!coming && home + front > needed + 3)
      return "Gather: drag from #1 to #2, and send all − 1, so that one person keeps the base.";
    return coming
      ? "They join those on #2: end the turn."
      : "People grow on every turn, by the percentage at the rim: end the turn.";
  }

  _amount(input, outcome) {
    const [, target, people] = input.move() ?? [];
    if (target !== 4) return `Choose how many, and send them: ${people} now. All − 1 leaves one, who keeps the planet.`;
    if (!outcome) return "Choose how many, and send them.";
    const enough = people >= outcome.least;
    return `${outcome.least} take it${enough ? `, and you send ${people}: send them` : ": choose all − 1"}.`;
  }
}

// The fewest who take a planet from so many.
function least(there) {
  return Math.trunc(1.1 * there) + 1;
}

// Legend of the board with the keys, which a first visitor sees and everybody finds behind "?". On phones it would
// cover the board, so it begins closed there.
class Legend {
  // ``onChange``: called when it was opened or closed.
  constructor(onChange) {
    this.onChange = onChange;
    this.box = element("legend");
    on("legend-close", "click", () => this.toggle(false));
    this.known = stored("legend") === "known";
    this.box.hidden = this.known || matchMedia("(max-width: 760px), (max-height: 520px)").matches;
  }

  toggle(open = this.box.hidden) {
    this.box.hidden = !open;
    this.remember();
    this.onChange();
  }

  // The reader is no first visitor any more.
  remember() {
    this.known = true;
    store("legend", "known");
  }

  // The goal depends on the rules.
  show({ coexistence, max_turns, turns_per_weight }) {
    const goal = coexistence
      ? `have more people than the opponent after turn ${max_turns}, or own all planets that somebody owns`
      : "take every planet: who has neither planets nor shuttles left has lost";
    for (const one of document.querySelectorAll(".goal-text")) one.textContent = goal;
    element("legend-weight").textContent =
      turns_per_weight === 1 ? "turns of a flight" : `weight: a flight takes ${turns_per_weight} turns for each`;
    element("legend-battle").hidden = coexistence;
  }
}
