// Legend of the board with the keys, which a first visitor sees and everybody finds behind "?". On phones it would
// cover the board, so it begins closed there.

class Legend {
  // ``onChange``: called when it was opened or closed.
  constructor(onChange) {
    this.onChange = onChange;
    this.box = element("legend");
    on("legend-close", "click", () => this.close());
    this.known = stored("legend") === "known";
    this.box.hidden = this.known || matchMedia("(max-width: 760px), (max-height: 520px)").matches;
  }

  toggle() {
    if (!this.box.hidden) return this.close();
    this.known = true;
    this.box.hidden = false;
    this.onChange();
  }

  close() {
    this.box.hidden = true;
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
