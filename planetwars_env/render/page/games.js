// List of games with links to their pages, and of each the curve of the probability to win; it can be searched and sorted.
"use strict";

const { title, games } = JSON.parse(element("data").textContent);
const curves = [];

function row({ link, players, winner, told, win }) {
  const item = document.createElement("li");
  const open = document.createElement("a");
  open.href = link;
  const names = document.createElement("span");
  const [one, two] = players.map((name, i) => made("span", name, `${["one", "two"][i]} ${winner === i + 1 ? "won" : ""}`));
  names.append(one, " against ", two, made("small", told, ""));
  const canvas = document.createElement("canvas");
  canvas.setAttribute("aria-hidden", "true");
  open.append(names, canvas);
  item.append(open);
  if (win.length) {
    const curve = new Curves(canvas, win, () => {});
    curve.pick({ values: win.map((part) => part / 1000), part: true });
    curves.push(curve);
  }
  return item;
}

const ORDERS = {
  "by name of file": () => 0,
  "by players": (one, other) => one.players.join().localeCompare(other.players.join()),
  "by graph": (one, other) => one.graph.localeCompare(other.graph, "en", { numeric: true }),
  "shortest first": (one, other) => one.turns - other.turns,
  "longest first": (one, other) => other.turns - one.turns,
};
const rows = new Map(games.map((game) => [game, row(game)]));

function show() {
  const wanted = element("filter").value.trim().toLowerCase();
  for (const one of rows.values()) one.hidden = !one.textContent.toLowerCase().includes(wanted);
  const found = games.filter((game) => !rows.get(game).hidden);
  const turns = found.map((game) => game.turns).sort((a, b) => a - b);
  const length = turns.length ? `, median ${turns[turns.length >> 1]} turns` : "";
  element("title").textContent = wanted ? `${found.length} of ${title}${length}` : `${title}${length}`;
  element("games").append(...[...games].sort(ORDERS[element("order").value]).map((game) => rows.get(game)));
}

for (const name of Object.keys(ORDERS)) element("order").add(new Option(name, name));
for (const [id, event] of [["order", "change"], ["filter", "input"]]) element(id).addEventListener(event, show);
show();
watchTheme(element("theme"), () => curves.forEach((curve) => curve.recolour()));
