// A page whose script is packed. In a notebook each part of it is in the output of one cell, whose frame gives it to the
// others. A saved replay has two pages: it is watched, or a game that goes on from it, which is in the address, is played.

{
  // By name, in order; empty where another cell has it.
  const parts = PARTS;
  // A game that is too long for the address (#game=) is in the storage of its tab.
  const kept = () => location.hash !== "#game=" || sessionStorage.getItem("game");
  const page = () => (location.hash.startsWith("#game=") && kept() ? "play" : "watch");
  const shown = page();
  if (parts.watch && parts.play) {
    delete parts[shown === "play" ? "watch" : "play"];
    addEventListener("hashchange", () => page() !== shown && location.reload());
  }
  const missing = () => Object.keys(parts).filter((name) => !parts[name]);
  const asking = setInterval(askFrames, 500);

  function askFrames() {
    if (!missing().length) return start();
    for (const name of missing()) {
      for (let i = 0; i < parent.length; i++) parent[i].postMessage({ planetwars: name }, "*");
    }
  }

  async function start() {
    clearInterval(asking);
    document.querySelector("p").hidden = true;
    const script = document.createElement("script");
    script.textContent = ['"use strict";', ...(await Promise.all(Object.values(parts).map(unpacked)))].join("\n");
    document.body.append(script);
  }

  function unpacked(text) {
    /** @type {any} */
    const { fromBase64: read } = Uint8Array; // as in web/packing.mjs
    const bytes = read ? read.call(Uint8Array, text) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  addEventListener("message", ({ source, data }) => {
    const { planetwars: name, text } = data ?? {};
    if (!Object.hasOwn(parts, name)) return;
    if (typeof text !== "string") {
      if (parts[name]) source.postMessage({ planetwars: name, text: parts[name] }, "*");
    } else if (!parts[name]) {
      parts[name] = text;
      if (!missing().length) start();
    }
  });
  askFrames();
}
