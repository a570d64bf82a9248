import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut } from "../../../planetwars_env/render/web/layout.mjs";
import { RecordedGame } from "../../../planetwars_env/render/web/recorded_game.mjs";
import { ROW, engine, manifest } from "./support.mjs";

test("a game with moves after its end is refused however often it is asked for", () => {
  const moves = Array(7).fill([]);
  const replay = { graph: ROW, rules: manifest.rules.PLANETWARS, players: ["one", "two"], max_turns: 5, moves };
  const game = new RecordedGame(engine, replay, layOut(ROW));
  for (let time = 0; time < 3; time++) assert.throws(() => game.check(), /over on turn 5, but the replay has 7 turns/);
});
