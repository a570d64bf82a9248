// Fields of the board editor for what is selected: a planet with its edges, or one edge.

class BoardFields {
  // ``page``: an EditorPage.
  constructor(page) {
    this.page = page;
    this.shown = "";
    for (const field of ["size", "habitability"]) {
      on(field, "input", () => page.change((model) => model.set(page.selected.planet, field, typed(element(field)))));
    }
    on("base", "change", (event) => {
      page.setBase(Number(event.target.value));
      page.drawing.canvas.focus(); // a list that keeps the focus would take the keys of the editor
    });
  }

  show() {
    const { model, selected } = this.page;
    const { planet, edge } = selected;
    element("planet-fields").hidden = planet === undefined;
    element("remove").hidden = planet === undefined;
    const called = edge ? `edge #${edge[0]} – #${edge[1]}` : "nothing selected";
    element("selected-title").textContent = planet !== undefined ? `planet #${planet}` : called;
    element("selected-help").hidden = planet !== undefined || Boolean(edge);
    if (planet !== undefined) {
      const shown = model.planet(planet);
      for (const field of ["size", "habitability"]) setValue(element(field), shown[field]);
      element("base").value = shown.base;
    }
    const isAt = ({ a, b }) => a === planet || b === planet || (edge?.includes(a) && edge.includes(b));
    const edges = model.board.edges.filter(isAt);
    this._showEdges(edges, planet);
  }

  // The rows stay while they are of the same edges: somebody may be typing in one.
  _showEdges(edges, planet) {
    const list = element("edges");
    const key = JSON.stringify([planet, edges.map(({ a, b }) => [a, b])]);
    if (key !== this.shown) list.replaceChildren(...edges.map((edge) => this._row(edge, planet)));
    this.shown = key;
    edges.forEach((edge, i) => setValue(list.children[i].querySelector("input"), edge.weight));
  }

  _row({ a, b }, planet) {
    const { page } = this;
    const said = planet === undefined ? "weight" : `to #${a === planet ? b : a}, weight`;
    const field = Object.assign(made("input", ""), { type: "number", min: 1 });
    field.addEventListener("input", () => page.change((model) => model.setWeight(a, b, typed(field))));
    const cut = () => page.change((model) => model.cut(a, b));
    const button = madeButton("×", `delete the edge between #${a} and #${b}`, cut);
    return made("li", "row", made("label", "row", said, field), button);
  }
}

// A number, or the text as it stands, which the server finds wrong.
function typed(field) {
  return field.value === "" || Number.isNaN(Number(field.value)) ? field.value : Number(field.value);
}

// Not while somebody types the same number in other letters.
function setValue(field, value) {
  if (field !== document.activeElement || typed(field) !== value) field.value = value;
}
