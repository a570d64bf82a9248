// *Ahead*: the probability that player 1 wins, by what both players have, in thousandths.
import { ownerOf } from "./engine.mjs";

const LATE = 100; // the turn on which the second half of the features counts as much as the first

// What both players have: [people, planets, growth, room on their planets], each of player 1 and of player 2.
// ``planets``: {size, habitability}; ``people``: of both on each; ``flying``: [player, people]. Where both players live
// on a planet, each has its part of the growth.
export function countsOf(planets, people, flying) {
  const [total, owned, growth, rooms] = [[0, 0], [0, 0], [0, 0], [0, 0]];
  people.forEach((there, p) => {
    const { size, habitability } = planets[p];
    const all = there[0] + there[1];
    const room = Math.max(0, size - all);
    const born = Math.min(room, Math.ceil(all * (habitability / 100)));
    const owner = ownerOf(there);
    for (const side of [0, 1]) {
      total[side] += there[side];
      growth[side] += (there[side] / Math.max(1, all)) * born;
    }
    if (owner) {
      owned[owner - 1]++;
      rooms[owner - 1] += room;
    }
  });
  for (const [player, number] of flying) total[player - 1] += number;
  return [total, owned, growth.map(rounded), rooms];
}

// ``counts``: of `countsOf`, for every turn from the first one; ``weights``: of the rules (win_probability.json);
// ``winner``: of a game that is over, else 0. The mean of both players' last turns.
export function aheadOf(counts, weights, winner) {
  return smoothed(counts.map(([people, planets, growth, rooms], at) => {
    if (winner && at === counts.length - 1) return 1000 * Number(winner === 1);
    const late = Math.log(at + 1) / Math.log(LATE);
    const lead = [people, planets, rooms, growth].map(([one, two]) => (one - two) / Math.max(1, one + two));
    const sum = lead.reduce((all, part, i) => all + part * (weights[i] + late * weights[4 + i]), 0);
    return Math.round(1000 / (1 + Math.exp(-sum)));
  }));
}

// A position looks better for whoever has just moved: the mean with the turn before, of the other player. The ends
// stay.
export function smoothed(win) {
  return win.map((part, at) => (at && at < win.length - 1 ? Math.round((win[at - 1] + part) / 2) : part));
}

// Halves go to the even number, as in Python.
function rounded(number) {
  const near = Math.round(number);
  return near - number === 0.5 && near % 2 ? near - 1 : near;
}
