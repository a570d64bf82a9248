// What the board editor can do (keys.js).

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function editorActions(page) {
  const { model } = page;
  const planet = () => page.selected.planet !== undefined;
  const joins = () => page.joining !== null;
  return [
    { keys: ["p"], said: "new planet", run: () => page.placeByKey() },
    {
      keys: Object.keys(WAYS), said: "choose; with shift move", can: () => model.board.planets.length,
      run: (key, shift) => (shift && planet() ? page.nudge(WAYS[key]) : page.step(WAYS[key])),
    },
    { keys: ["e"], said: () => (joins() ? "end the edge here" : "begin an edge"), can: planet, run: () => page.join() },
    { keys: ["Enter"], can: () => planet() && joins(), run: () => page.join() },
    { keys: ["Enter"], said: "its size", can: () => planet() && !joins(), run: () => element("size").select() },
    { keys: ["1", "2"], said: "base", can: planet, run: (key) => page.setBase(Number(key)) },
    { keys: ["0"], said: "no base", can: planet, run: () => page.setBase(0) },
    { keys: ["Delete"], said: "delete", can: () => planet() || page.selected.edge, run: () => page.remove() },
    { keys: ["Backspace"], can: () => planet() || page.selected.edge, run: () => page.remove() },
    { keys: ["Escape"], said: "cancel", can: () => planet() || page.selected.edge, run: () => page.select({}) },
    { id: "remove", run: () => page.remove() },
    { id: "undo", keys: ["u"], said: "undo", can: () => model.past.length, run: () => page.travel(-1) },
    { id: "redo", keys: ["r"], said: "redo", can: () => model.future.length, run: () => page.travel(1) },
    { id: "clear", run: () => page.begin((board) => board.clear()) },
    { id: "spread", run: () => page.files.spread() },
    { id: "fault-show", run: () => page.showFaulty() },
    { id: "fit", keys: ["0"], run: () => page.drawing.gestures.showAll() },
    { keys: ["t"], said: "light, dark", run: () => element("theme").click() },
  ];
}

// As everywhere: Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y; in a field of text they belong to it.
function undoByKey(event, page) {
  const typing = event.target.tagName === "INPUT" && event.target.type !== "range";
  if (!(event.ctrlKey || event.metaKey) || typing) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  page.travel(key === "y" || event.shiftKey ? 1 : -1);
}
