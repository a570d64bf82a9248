// Board editor: a click places a planet, a drag moves one or, onto another one, joins the two. The server checks every
// change.

const EDITOR = {
  // Milliseconds after a change before the server is asked.
  wait: 120,
  room: 14,
};

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// What to do with so many planets.
const INVITATIONS = [
  "Click here: the first planet is player 1's base.",
  "Click again: the second one is player 2's base.",
  "Drag one planet onto the other: an edge joins them.",
];

class EditorPage {
  constructor(data) {
    this.picture = new BoardPicture(data.radii);
    this.model = new BoardModel();
    this.selected = {};
    this.held = new Map();
    this.joining = null;
    this.fault = null;
    this.fields = new BoardFields(this);
    this.files = new BoardFiles(this, data);
    this.list = new PlanetList();
    this.model.board = keptInTab("board") ?? this.model.board;
    this.drawing = new Drawing(element("canvas"), this.picture.graph(this.model.board, this.held));
    this.actions = new Actions(editorActions(this), element("keys"));
    this._listenTo(this.drawing.gestures);
    this._prepare();
    this.refresh();
    this.files.check();
    const asked = new URLSearchParams(location.search).get("graph");
    if (asked) this.files.load(asked);
  }

  // Changes the board by a method of its model.
  change(action) {
    const said = action(this.model);
    this._changed();
    return said;
  }

  // A board from elsewhere.
  take(board) {
    this.begin((model) => model.load(board));
  }

  begin(action) {
    this.selected = {};
    this.joining = null;
    action(this.model);
    this.picture.frame = null;
    this._changed();
    this.drawing.gestures.showAll();
  }

  // {planet: id}, {edge: [a, b]} or {}.
  select(selected) {
    this.selected = selected;
    if (selected.planet === undefined) this.joining = null;
    this.refresh();
  }

  setBase(player) {
    const { planet } = this.selected;
    if (planet !== undefined) this.tell(this.change((model) => model.setBase(planet, player)));
  }

  remove() {
    const { planet, edge } = this.selected;
    this.select({});
    if (planet !== undefined) this.change((model) => model.remove(planet));
    else if (edge) this.change((model) => model.cut(...edge));
  }

  travel(steps) {
    this.model.travel(steps);
    this._changed();
  }

  // By keys: begins an edge at the selected planet, or ends it there.
  join() {
    const { planet } = this.selected;
    if (this.joining === null || this.joining === planet) this.joining = this.joining === null ? planet : null;
    else this._join(this.joining, planet);
    this.refresh();
  }

  // By keys: beside the selected planet, else about the middle; where there is room.
  placeByKey() {
    const { unit, planets } = this.model.board;
    const near = this.model.planet(this.selected.planet);
    const [x, y] = near ? [near.x, near.y] : this.picture.middle(this.model.board);
    const free = (place) => planets.every((one) => Math.hypot(one.x - place[0], one.y - place[1]) * unit > 70);
    for (let part = near ? 8 : 0; ; part += 1) {
      const [far, turn] = [(Math.floor(part / 8) * 100) / unit, (part * Math.PI) / 4];
      const place = [x + Math.cos(turn) * far, y + Math.sin(turn) * far];
      if (free(place)) return this._place(...place);
    }
  }

  // By keys: the selected planet goes some pixels that way.
  nudge([dx, dy]) {
    const { planet } = this.selected;
    if (planet === undefined) return;
    const [x, y] = this.drawing.view.places[this._index(planet)];
    this.change((model) => model.move(planet, ...this._pointAt(x + dx * 8, y + dy * 8), `nudge ${planet}`));
  }

  // By keys: the nearest planet that way; without a selection the first one.
  step([dx, dy]) {
    const { places } = this.drawing.view;
    const { planets } = this.model.board;
    if (!planets.length) return;
    const { planet } = this.selected;
    if (planet === undefined) return this.select({ planet: planets[0].id });
    const [x, y] = places[this._index(planet)];
    const far = places.map(([px, py]) => {
      const along = (px - x) * dx + (py - y) * dy;
      return along > 1 ? along + 2 * Math.abs((px - x) * dy - (py - y) * dx) : Infinity;
    });
    const nearest = Math.min(...far);
    if (nearest < Infinity) this.select({ planet: planets[far.indexOf(nearest)].id });
  }

  tell(text) {
    element("told").textContent = text || "";
  }

  // ``fault``: {subject, position, text} by the server, or null.
  showFault(fault) {
    this.fault = fault;
    const { planets, edges } = this.model.board;
    const fine = `The board keeps the rules: ${counted(planets.length, "planet")}, ${counted(edges.length, "edge")}.`;
    const begun = planets.length ? fault?.text : "A new board: no planets yet.";
    element("fault").textContent = begun ?? fine;
    element("fault-box").classList.toggle("wrong", Boolean(fault) && planets.length > 0);
    element("fault-show").hidden = !fault || fault.subject === "graph";
    for (const id of ["download", "save", "play", "spread"]) element(id).disabled = Boolean(fault);
    this.refresh();
  }

  refresh() {
    const { board } = this.model;
    if (this.selected.planet !== undefined && !this.model.planet(this.selected.planet)) this.selected = {};
    if (this.selected.edge && !edgeBetween(board, ...this.selected.edge)) this.selected = {};
    if (!this.drawing) return;
    element("invitation").classList.toggle("first", !board.planets.length);
    element("invitation").textContent = board.edges.length ? "" : (INVITATIONS[board.planets.length] ?? "");
    this._draw();
    this._emphasise();
    this.list.show(this.drawing.graph, this.drawing.state, ["player 1", "player 2"]);
    this.fields.show();
    setValue(element("name"), board.name);
    element("mirror").value = board.mirror;
    this.actions.show();
  }

  _draw() {
    const { board } = this.model;
    this.drawing.change(this.picture.graph(board, this.held), this.picture.state(board, this.fault));
  }

  _emphasise() {
    const { planet, edge } = this.selected;
    const { edges } = this.model.board;
    const from = this.joining ?? planet;
    const targets = this.joining === null || planet === this.joining ? [] : [this._index(planet)];
    this.drawing.rubber = targets.length ? [this._index(from), ...this.drawing.view.places[targets[0]]] : null;
    const drawn = edge ? edges.indexOf(edgeBetween(this.model.board, ...edge)) : null;
    this.drawing.emphasise(from === undefined ? [] : [this._index(from)], targets, drawn);
  }

  _changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.files.check(), EDITOR.wait);
    element("replace").hidden = true;
    this.refresh();
    keepInTab("board", this.model.board);
  }

  _index(id) {
    return this.model.board.planets.findIndex((planet) => planet.id === id);
  }

  // In the board's coordinates.
  _pointAt(x, y) {
    const { unit } = this.model.board;
    const [a, b] = this.drawing.view.pointAt(x, y);
    return [a / unit, -b / unit];
  }

  _place(x, y) {
    const id = this.change((model) => model.place(x, y));
    this.select({ planet: id });
  }

  _join(a, b) {
    const fresh = this.change((model) => model.join(a, b));
    this.tell(fresh ? "" : `#${a} and #${b} are joined already.`);
    this.joining = null;
    this.select({ edge: [a, b] });
  }

  _listenTo(gestures) {
    gestures.mayDouble = false;
    gestures.mayDrag = () => true;
    gestures.onPick = (planet, touch, more, place) => this._pick(planet, touch, place);
    gestures.onDrag = (from, _, place) => this._drag(from, place);
    gestures.onDrop = (from, _, shift, place) => this._drop(from, place);
  }

  _pick(planet, touch, place) {
    this.tell("");
    if (planet !== null) return this.select({ planet: this.model.board.planets[planet].id });
    const edge = this.drawing.edgeAt(...place, touch ? EDITOR.room : 8);
    if (edge === null) return this._place(...this._pointAt(...place));
    const { a, b } = this.model.board.edges[edge];
    this.select({ edge: [a, b] });
  }

  // Beside all others the planet moves; over another one it stays, and a line shows the edge to be.
  _drag(from, place) {
    const { id } = this.model.board.planets[from];
    this.held = new Map();
    const over = this.drawing.planetAt(...place, EDITOR.room, from);
    if (over === null) this.held = this.model.moved(id, ...this._pointAt(...place));
    this._draw();
    this.drawing.rubber = over === null ? null : [from, ...place];
    this.drawing.emphasise([from], over === null ? [] : [over]);
  }

  _drop(from, place) {
    const { planets } = this.model.board;
    const { id } = planets[from];
    this.held = new Map();
    this.drawing.rubber = null;
    if (!place) return this.refresh();
    this._draw();
    const over = this.drawing.planetAt(...place, EDITOR.room, from);
    if (over !== null) return this._join(id, planets[over].id);
    this.change((model) => model.move(id, ...this._pointAt(...place)));
    this.select({ planet: id });
  }

  _prepare() {
    for (const [mirror, text] of Object.entries(MIRRORS)) element("mirror").add(new Option(text, mirror));
    on("mirror", "change", (event) =>
      this.change((model) => model.setMirror(event.target.value, this.picture.middle(this.model.board))),
    );
    on("name", "input", () => this.change((model) => model.rename(element("name").value)));
    document.addEventListener("keydown", (event) => {
      this.actions.press(event);
      undoByKey(event, this);
    });
  }

  showFaulty() {
    const { subject, position } = this.fault;
    const { planets, edges } = this.model.board;
    this.select(
      subject === "planet" ? { planet: planets[position].id } : { edge: [edges[position].a, edges[position].b] },
    );
  }
}

// What the editor can do (keys.js).
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

const page = new EditorPage(pageData);
