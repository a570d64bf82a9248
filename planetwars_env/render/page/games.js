// List of games with links to their pages, and of each the curve of the probability to win.
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

const rows = games.map(row);
element("title").textContent = title;
element("games").append(...rows);
element("filter").addEventListener("input", (event) => {
  const wanted = event.target.value.trim().toLowerCase();
  for (const one of rows) one.hidden = !one.textContent.toLowerCase().includes(wanted);
});
watchTheme(element("theme"), () => curves.forEach((curve) => curve.recolour()));
