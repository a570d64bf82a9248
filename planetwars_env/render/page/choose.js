// Lists of names to choose from, with a field for what stands in none of them.

const OTHER = "other…";

// A list of names in groups, and a field for what stands in none of them.
function offer(list, field, groups, other, chosenNow) {
  const select = element(list);
  for (const [label, names] of Object.entries(groups)) {
    if (!names.length) continue;
    select.append(Object.assign(made("optgroup", "", ...names.map((name) => new Option(name, name))), { label }));
  }
  select.add(new Option(other, OTHER));
  const known = Object.values(groups).flat().includes(chosenNow);
  select.value = known ? chosenNow : OTHER;
  element(field).value = known ? "" : chosenNow;
  const show = () => {
    element(field).hidden = select.value !== OTHER;
  };
  select.addEventListener("change", show);
  show();
}

function chosen(list, field) {
  const { value } = element(list);
  return value === OTHER ? element(field).value.trim() : value;
}

// The lists #graph, #graph-number (of a pool) and #graph-file. ``choices``: setup.py; ``graph``: the one that is chosen
// now.
function offerGraphs({ saved, graphs, pools }, graph) {
  const [pool, number] = graph.split("/");
  const known = pool in pools ? pool : graph;
  offer("graph", "graph-file", { saved, graphs, pools: Object.keys(pools) }, "a .dot file …", known);
  if (known !== graph) element("graph-number").value = number;
  const showNumber = () => {
    const count = pools[element("graph").value];
    element("graph-number").hidden = !count;
    element("graph-number").max = count - 1;
    element("graph-number").title = `0 to ${count - 1}; empty: any`;
  };
  on("graph", "change", showNumber);
  showNumber();
}

function chosenGraph({ pools }) {
  const name = chosen("graph", "graph-file");
  const number = element("graph-number").value;
  return name in pools && number !== "" ? `${name}/${Math.trunc(Number(number))}` : name;
}
