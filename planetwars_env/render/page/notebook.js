// A game in a notebook: the script that plays it (player.js) is in the output of one cell, whose frame gives it to others.
"use strict";

const asking = setInterval(askFrames, 500);

function askFrames() {
  for (let i = 0; i < parent.length; i++) parent[i].postMessage("planetwars?", "*");
}

addEventListener("message", function receive({ data }) {
  if (typeof data?.planetwars !== "string") return;
  removeEventListener("message", receive);
  clearInterval(asking);
  const script = document.createElement("script");
  script.textContent = data.planetwars;
  document.body.append(script);
});
askFrames();
