// Keys of the board editor: what each does at this moment.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// As in keys.js.
function editorKeys(page) {
  const { selected, model, joining } = page;
  const keys = [[["p"], "new planet", () => page.placeByKey()]];
  const go = (key) => (page.shift && selected.planet !== undefined ? page.nudge(WAYS[key]) : page.step(WAYS[key]));
  if (model.board.planets.length) keys.push([Object.keys(WAYS), "choose; with shift move", go]);
  if (selected.planet !== undefined) {
    keys.push([["e"], joining === null ? "begin an edge" : "end the edge here", () => page.join()]);
    if (joining !== null) keys.push([["Enter"], "", () => page.join()]);
    else keys.push([["Enter"], "its size", () => element("size").select()]);
    keys.push([["1", "2"], "base", (key) => page.setBase(Number(key))], [["0"], "no base", () => page.setBase(0)]);
  }
  if (selected.planet !== undefined || selected.edge) {
    keys.push(
      [["Delete"], "delete", () => page.remove()],
      [["Backspace"], "", () => page.remove()],
      [["Escape"], "cancel", () => page.select({})],
    );
  }
  if (model.past.length) keys.push([["u"], "undo", () => page.travel(-1)]);
  if (model.future.length) keys.push([["r"], "redo", () => page.travel(1)]);
  keys.push([["t"], "light, dark", () => element("theme").click()]);
  return keys;
}

// As everywhere: Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y; in a field of text they belong to it.
function undoKey(event, page) {
  if (!(event.ctrlKey || event.metaKey) || (event.target.tagName === "INPUT" && event.target.type !== "range"))
    return null;
  const key = event.key.toLowerCase();
  if (key === "y" || (key === "z" && event.shiftKey)) return () => page.travel(1);
  return key === "z" ? () => page.travel(-1) : null;
}
