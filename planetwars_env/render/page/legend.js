// Legend of the board, which a first visitor sees and everybody finds behind "?", and the guided first game. On phones it would
// cover the board, so it begins closed there.
"use strict";

class Legend {
  // ``onGuide``: begins the guided game; ``onChange``: called when it was opened or closed.
  constructor(onGuide, onChange) {
    this.onChange = onChange;
    this.box = element("legend");
    element("help").addEventListener("click", () => this.toggle());
    element("legend-close").addEventListener("click", () => this.close());
    element("legend-guide").addEventListener("click", () => {
      this.close();
      onGuide();
    });
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
    this.known = true;
    store("legend", "known");
    this.onChange();
  }

  // The goal depends on the rules.
  show({ coexistence, max_turns, turns_per_weight }) {
    element("legend-goal").textContent = coexistence
      ? `have more people than the opponent after turn ${max_turns}, or own all planets that somebody owns`
      : "take every planet: who has neither planets nor shuttles left has lost";
    element("legend-weight").textContent = turns_per_weight === 1 ? "turns of a flight" : `weight: a flight takes ${turns_per_weight} turns for each`;
    element("legend-battle").hidden = coexistence;
  }
}

// Advice for the first turns of a player, by what the page shows.
class Guide {
  constructor() {
    this.on = false;
    element("guide-end").addEventListener("click", () => this.end());
  }

  begin() {
    this.on = true;
    this.turns = 0;
    this.turn = null;
  }

  end() {
    this.on = false;
    element("guide").hidden = true;
  }

  // ``input``: a MoveInput; ``now``: the state.
  show(now, input) {
    if (this.on && now.yours && now.turn !== this.turn) {
      this.turn = now.turn;
      this.turns += 1;
    }
    if (now.over || this.turns > GUIDED.length) this.end();
    element("guide").hidden = !this.on;
    if (this.on) element("guide-text").textContent = now.yours ? this._advice(now, input) : "The opponent moves.";
  }

  _advice(now, input) {
    const [first, aiming, ordered] = GUIDED[this.turns - 1];
    const said = input.target !== null ? aiming : now.orders.length ? ordered : first;
    return `${this.turns} of ${GUIDED.length}: ${said}`;
  }
}

const SEND = "Choose how many, and send them. all − 1 leaves one person, who keeps the planet.";
const END = "The shuttle leaves when you end the turn (E). The list takes orders back.";
// For each turn: what is said first, while a destination is chosen, and once there is an order.
const GUIDED = [
  ["Your base has 2 people. Drag from it to a planet beside it; nobody lives there, so one person takes it.", SEND, END],
  ["People grow on every turn, by the percentage under their planet. Send more, or end the turn.", SEND, END],
  ["You see your planets and their neighbours; ? is fog. Point at a planet, or tap it, to read about it.", SEND, END],
  ["An attack needs more than the people there and a tenth: 12 take a planet from 10, since 10 count as 11.", SEND, END],
  ["Large planets that grow fast are worth most. What happened stands in the list. The legend is behind ?. Good luck!", SEND, END],
];
