import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut, radiusOf } from "../../../planetwars_env/render/web/layout.mjs";
import { ROW, manifest, script } from "./support.mjs";

const distance = ([, x, y], [, x2, y2]) => Math.hypot(x - x2, y - y2);

test("planets on one place are drawn apart, inside the drawing", () => {
  const planets = Array.from({ length: 12 }, (_, id) => ({ id, x: 0, y: 0, size: 5 }));
  const drawn = layOut({ name: "heap", planets, edges: [] });
  for (const one of drawn.planets) {
    assert.ok(one[1] > 45 && one[1] < drawn.width - 45 && one[2] > 45 && one[2] < drawn.height - 45);
    for (const other of drawn.planets) assert.ok(one === other || distance(one, other) > 60);
  }
});

test("a planet that lies on an edge of others is moved off it", () => {
  const edges = [{ a: 1, b: 3, weight: 1 }];
  const [first, middle, last] = layOut({ ...ROW, edges }).planets;
  const height = (first[2] + last[2]) / 2;
  assert.ok(Math.abs(middle[2] - height) > 30);
});

test("a graph with many planets keeps its own positions", () => {
  const planets = Array.from({ length: 200 }, (_, id) => ({ id, x: id % 20, y: Math.floor(id / 20), size: 5 }));
  const drawn = layOut({ name: "grid", planets, edges: [] }).planets;
  assert.equal(Math.round(distance(drawn[0], drawn[1])), Math.round(distance(drawn[0], drawn[20])));
});

test("the area of a planet grows with its size, within limits", () => {
  assert.equal(radiusOf(0, manifest.radii), 9);
  assert.ok(radiusOf(400, manifest.radii) > radiusOf(100, manifest.radii));
  assert.equal(radiusOf(10 ** 6, manifest.radii), 30);
});

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
