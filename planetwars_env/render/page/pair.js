// Two replay pages on one clock: what one of them shows, the other one shows too.

document.body.classList.add("pair");
const sides = ["first", "second"].map((id) => element(id));
const { page, games } = JSON.parse(element("data").textContent);
games.forEach((game, i) => {
  sides[i].srcdoc = page.replace('"GAME"', () => JSON.stringify(game).replaceAll("<", "\\u003c"));
});
addEventListener("message", ({ source, data }) => {
  const from = sides.findIndex((frame) => frame.contentWindow === source);
  if (from >= 0) sides[1 - from].contentWindow.postMessage(data, "*");
});
