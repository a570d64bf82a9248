// Counts of the moves that a player sent, and of those that were dropped (R8), by the first reason that holds.
import { withCommas } from "./graph.mjs";

const REASONS = [
  "no edge joins the planets",
  "less than one person",
  "nobody of the player's on the planet",
  "more people than are there",
];

export class MoveCounts {
  // ``accounts``: of the player's turns (referee.mjs), without fog.
  static of(accounts) {
    const counts = new MoveCounts();
    for (const account of accounts) counts._add(account);
    return counts;
  }

  constructor() {
    this.sent = 0;
    this.dropped = [0, 0, 0, 0];
  }

  _add({ player, views: { 0: { view, moves, accepted } } }) {
    this.sent += moves.length;
    moves.forEach(([source, destination, people], i) => {
      if (accepted[i]) return;
      const joins = ({ a, b }) => (a === source && b === destination) || (a === destination && b === source);
      const there = () => view.planets.find(({ id }) => id === source).people[player - 1];
      this.dropped[!view.edges.some(joins) ? 0 : people < 1 ? 1 : there() ? 3 : 2]++;
    });
  }

  // One sentence on the moves of ``name``; empty where it sent none.
  describe(name) {
    if (!this.sent) return "";
    const dropped = this.dropped.reduce((sum, count) => sum + count, 0);
    const said = this.dropped.map((count, i) => (count ? `${withCommas(count)}: ${REASONS[i]}` : ""));
    const reasons = said.filter(Boolean).join("; ");
    if (dropped === this.sent) {
      return `None of the ${withCommas(this.sent)} moves of ${name} is legal, so it never moved (${reasons})`;
    }
    const lost = dropped ? `${withCommas(dropped)} were dropped (${reasons})` : "none was dropped";
    return `${name} sent ${withCommas(this.sent)} moves; ${lost}`;
  }
}
