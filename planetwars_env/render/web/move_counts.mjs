// Counts of the moves that a player sent, and of those that were dropped (R8), by the first reason that holds.
import { withCommas } from "./graph.mjs";

export const REASONS = [
  "no edge joins the planets",
  "less than one person",
  "nobody of the player's on the planet",
  "more people than are there",
];

// One sentence on the moves of ``name``; empty where it sent none. ``dropped``: by reason.
export function describeMoves(name, sent, dropped) {
  if (!sent) return "";
  const lost = dropped.reduce((sum, count) => sum + count, 0);
  const said = dropped.map((count, i) => (count ? `${withCommas(count)}: ${REASONS[i]}` : ""));
  const reasons = said.filter(Boolean).join("; ");
  if (lost === sent) return `None of the ${withCommas(sent)} moves of ${name} is legal, so it never moved (${reasons})`;
  const told = lost ? `${withCommas(lost)} were dropped (${reasons})` : "none was dropped";
  return `${name} sent ${withCommas(sent)} moves; ${told}`;
}
