// Counts of the moves that a player sent, and of those that were dropped (R8), by the first reason that holds.
import { withCommas } from "./graph.mjs";

const REASONS = [
  "no edge joins the planets",
  "less than one person",
  "nobody of the player's on the planet",
  "more people than are there",
];

export class MoveCounts {
  constructor({ planets, edges }) {
    this._index = new Map(planets.map(({ id }, p) => [id, p]));
    this._ways = new Set(edges.flatMap(({ a, b }) => [`${a} ${b}`, `${b} ${a}`]));
    this.sent = 0;
    this.dropped = [0, 0, 0, 0];
  }

  // The moves of a turn of ``player``; ``accepted``: which of them were legal; ``people``: of both on every planet.
  add(player, moves, accepted, people) {
    this.sent += moves.length;
    moves.forEach(([source, destination, number], i) => {
      if (accepted[i]) return;
      const joined = this._ways.has(`${source} ${destination}`);
      const there = () => people[this._index.get(source)][player - 1];
      this.dropped[!joined ? 0 : number < 1 ? 1 : there() ? 3 : 2]++;
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
