// What pages.py puts before a page's scripts: exports of joined modules (web/), and data.
declare const ENGINE: { wasm: string; manifest: any; chances: any };
declare const Player: typeof import("../../../planetwars_env/render/web/recorded_game.mjs").Player;
declare const pack: typeof import("../../../planetwars_env/render/web/recorded_game.mjs").pack;
