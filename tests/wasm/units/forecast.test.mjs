import assert from "node:assert/strict";
import { test } from "node:test";
import { Position } from "../../../planetwars_env/render/web/engine.mjs";
import { makeForecast } from "../../../planetwars_env/render/web/forecast.mjs";
import { checkedGraph } from "../../../planetwars_env/render/web/graph.mjs";
import { ROW, engine, manifest } from "./support.mjs";

const rules = manifest.rules.PLANETWARS;

// The view of player 1 with these people on the three planets, and shuttles.
function viewOf(people, shuttles = []) {
  const graph = checkedGraph(ROW, manifest.limits);
  const position = new Position(engine, graph, rules, null);
  const planets = graph.planets.map(({ id }, p) => ({ id, people: people[p] }));
  position.suppose({ turn: 21, planets, shuttles });
  return position.view(1);
}

test("the fewest who take a planet are found, and what happens with more and without anybody", () => {
  const view = viewOf([[50, 0], [0, 0], [0, 9]]);
  const forecast = makeForecast(engine, { rules }, view);
  const { turns, without, after, least } = forecast.outcome([1, 2, 30]);
  assert.deepEqual([turns, without], [2, [0, 0]]);
  assert.equal(least, 1);
  assert.equal(after[0], 30);
});

test("a hidden planet has no forecast", () => {
  const view = viewOf([[50, 0], [0, 0], [0, 9]]);
  view.planets[1] = { ...view.planets[1], visible: false, people: null, size: null, habitability: null };
  assert.equal(makeForecast(engine, { rules }, view).outcome([1, 2, 30]), null);
});

test("a planet that shuttles in sight will take falls on the turn on which they land", () => {
  const view = viewOf([[5, 0], [3, 0], [0, 9]], [[3, 2, 2, 40, 1]]);
  assert.deepEqual(makeForecast(engine, { rules }, view).falls(), [[1, 1]]);
  assert.deepEqual(makeForecast(engine, { rules }, viewOf([[5, 0], [3, 0], [0, 9]])).falls(), []);
});
