import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "./support.mjs";

const { shuttleMarks } = script("shuttles.js", "shuttleMarks");

test("a shuttle lies between the rims of its planets, and those who meet pass on the right", () => {
  const places = [[0, 0], [300, 0]];
  const ships = [[0, 1, 1], [1, 0, 2]].map(([from, to, player]) => ({ from, to, player, people: 5, left: 5, flight: 10 }));
  const [one, other] = shuttleMarks(ships, places, [20, 20], 0, 15, 1);
  assert.ok(one.x > 28 && one.x < 272);
  assert.ok(one.y * other.y < 0 && Math.round(one.x) === Math.round(other.x));
});

test("a turn that is half over moves shuttles by half a turn", () => {
  const ship = { from: 0, to: 1, player: 1, people: 5, left: 5, flight: 10 };
  const at = (flown, left) => shuttleMarks([{ ...ship, left }], [[0, 0], [300, 0]], [20, 20], flown, 15, 1)[0].x;
  assert.ok(Math.abs(at(0.5, 5) - (at(0, 5) + at(0, 4)) / 2) < 1e-9);
});
