// What pages.py puts before a page's scripts: exports of joined modules (web/), and data.
declare const ENGINE: { wasm: string; manifest: any; chances: any };
declare const Player: typeof import("../../../planetwars_env/render/web/recorded_game.mjs").Player;
declare const pack: typeof import("../../../planetwars_env/render/web/recorded_game.mjs").pack;
declare const Answers: typeof import("../../../planetwars_env/render/web/answers.mjs").Answers;
declare const Connection: typeof import("../../../planetwars_env/render/web/connection.mjs").Connection;
declare const shortestWays: typeof import("../../../planetwars_env/render/web/connection.mjs").shortestWays;
declare const ownerOfPeople: typeof import("../../../planetwars_env/render/web/connection.mjs").ownerOfPeople;

// A page knows its own elements.
interface ParentNode {
  querySelectorAll(selectors: string): NodeListOf<any>;
}
