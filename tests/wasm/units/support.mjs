// The engine and a small game for unit tests of the page's modules, and scripts of pages, which have no exports.
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { Engine } from "../../../planetwars_env/render/web/engine.mjs";
import { Referee } from "../../../planetwars_env/render/web/referee.mjs";
import { Session } from "../../../planetwars_env/render/web/session.mjs";

const RENDER = new URL("../../../planetwars_env/render/", import.meta.url);

export const manifest = JSON.parse(readFileSync(new URL("planetwars.wasm.json", RENDER), "utf8"));
export const engine = await Engine.load(readFileSync(new URL("planetwars.wasm", RENDER)), manifest);

// Three planets in a row, 1 -- 2 -- 3, the bases at the ends.
export const ROW = {
  name: "row",
  planets: [1, 2, 3].map((id) => {
    return { id, habitability: 10, size: 100, x: id, y: 0, base: id === 1 ? 1 : id === 3 ? 2 : 0 };
  }),
  edges: [[1, 2], [2, 3]].map(([a, b]) => ({ a, b, weight: 2 })),
};

export async function sessionOf(players, graph = ROW, rules = "PLANETWARS", max_turns = 60) {
  const setup = { graph, rules, players, seed: 1, max_turns };
  const referee = new Referee(engine, setup, {}, (message) => session.receive(message));
  const session = new Session(engine, (message) => referee.ask(message));
  referee.begin();
  return { session, ask: (what) => referee.ask({ do: what }) };
}

// What a script of page/ defines, by name.
export function script(file, ...names) {
  const text = readFileSync(new URL(`page/${file}`, RENDER), "utf8");
  return runInNewContext(`${text}\n({ ${names.join(", ")} })`, { Math, Map });
}
