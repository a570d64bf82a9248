// List of games with links to their pages, and of each the curve of the probability to win; it can be searched and
// sorted.

const { title, games } = JSON.parse(element("data").textContent);
const curves = [];

function row({ link, players, winner, told, win }) {
  const [one, two] = players.map((name, i) =>
    made("span", `${["one", "two"][i]} ${winner === i + 1 ? "won" : ""}`, name),
  );
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const open = made("a", "", made("span", "", one, " against ", two, made("small", "", told)), svg);
  open.href = link;
  svg.classList.add("curve");
  svg.ariaHidden = "true";
  if (win.length) {
    const curve = new Curves(svg, () => {});
    curve.pick({ values: win.map((part) => part / 1000), part: true });
    curves.push(curve);
  }
  return made("li", "", open);
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
for (const [id, event] of [["order", "change"], ["filter", "input"]]) on(id, event, show);
show();
