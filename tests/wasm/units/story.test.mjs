import assert from "node:assert/strict";
import { test } from "node:test";
import { smoothed } from "../../../planetwars_env/render/web/chance.mjs";
import { turningPoints, worstTurns } from "../../../planetwars_env/render/web/story.mjs";

const flat = (value, frames) => Array(frames).fill(value);

test("the curve is the mean of both players' last turns, and its ends stay", () => {
  assert.deepEqual(smoothed([500, 600, 400, 700, 1000]), [500, 550, 500, 550, 1000]);
});

test("a game turns where the other player is ahead and stays so, not where it is for a moment", () => {
  assert.deepEqual(turningPoints([...flat(700, 10), ...flat(450, 3), ...flat(700, 10)]), []);
  assert.deepEqual(turningPoints([500, ...flat(700, 10), ...flat(300, 10), 0]), [{ at: 11, player: 2 }]);
  assert.deepEqual(turningPoints([...flat(300, 20), 1000]), [{ at: 20, player: 1 }]);
  assert.deepEqual(turningPoints([...flat(520, 20), ...flat(480, 20)]), []);
});

test("the worst turns are those of the player, with falls that nothing made good, the largest first", () => {
  const win = [...flat(800, 11), ...flat(600, 12), ...flat(900, 2), ...flat(600, 10), ...flat(100, 12)];
  const falls = worstTurns(win, 1);
  assert.deepEqual(falls, [{ at: 34, from: 60, to: 10 }, { at: 24, from: 90, to: 60 }, { at: 10, from: 80, to: 60 }]);
  assert.deepEqual(worstTurns(win, 2), []);
});
