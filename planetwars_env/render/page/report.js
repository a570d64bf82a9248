// A report: while games are played it loads itself again every few seconds, with what was open still open.

// A click on a heading sorts its table by that column: numbers the largest first, and another click the other way
// round.
for (const table of document.querySelectorAll("table:not(.matrix)")) {
  const [head, ...body] = table.rows;
  if (body.length > 1)
    [...head.cells].forEach((cell, column) => cell.addEventListener("click", () => sort(table, cell, column)));
}

function sort(table, heading, column) {
  const [head, ...body] = table.rows;
  const text = (row) => row.cells[column]?.textContent.trim() ?? "";
  const number = (row) => parseFloat(text(row).replaceAll(",", "").replace("−", "-"));
  const up = heading.ariaSort === "descending";
  for (const one of head.cells) one.ariaSort = null;
  heading.ariaSort = up ? "ascending" : "descending";
  const inWords = (one, other) => text(one).localeCompare(text(other), "en", { numeric: true });
  body.sort((one, other) => number(other) - number(one) || inWords(one, other));
  table.tBodies[0].append(...(up ? body.reverse() : body));
}

// A long table has a field that leaves the rows with its text.
const LONG = 12;
for (const box of document.querySelectorAll(".scroll:has(table:not(.matrix))")) {
  const rows = [...box.querySelectorAll("tr")].slice(1);
  if (rows.length < LONG) continue;
  const field = made("input", "");
  Object.assign(field, { type: "search", placeholder: "search", ariaLabel: "show rows with this text" });
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  box.before(field);
}

const refresh = JSON.parse(element("data").textContent).refresh;
if (refresh) {
  const sections = [...document.querySelectorAll("details")];
  const place = `planetwars-open-${location.pathname}`;
  const open = keptInTab(place) ?? [];
  for (const one of sections) one.open = open.includes(one.firstElementChild.textContent);
  setInterval(() => {
    // Somebody searches.
    if (document.querySelector("input:not(:placeholder-shown)")) return;
    keepInTab(place, sections.filter((one) => one.open).map((one) => one.firstElementChild.textContent));
    location.reload();
  }, 1000 * refresh);
}
