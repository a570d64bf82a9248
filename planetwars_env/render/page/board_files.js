// Boards of the editor on their way: loaded by name, saved and played by the server, all else in the page
// (web/answers.mjs).

class BoardFiles {
  // ``page``: an EditorPage; ``data``: pages.py, editor_page.
  constructor(page, { choices, boards, local }) {
    this.page = page;
    this.answers = new Answers(local);
    this.dot = "";
    this.choices = choices;
    offerGraphs(choices, choices.saved[0] ?? "rings");
    const { person, bots, agents } = choices;
    offer("player-2", "file-2", { bots, agents: Object.keys(agents), people: [person] }, "a file or folder …", "ai1");
    for (const rules of choices.rules) element("rules").add(new Option(rules, rules));
    on("load", "click", () => this.load(chosenGraph(choices)));
    takeFiles(element("open-file"), (file) => this._open(file));
    on("download", "click", () => this.download());
    on("play", "click", () => this._play());
    on("save", "click", () => this._save(false));
    on("replace", "click", () => this._save(true));
    element("save-box").hidden = !boards;
    element("save-folder").textContent = boards;
  }

  // The first fault of the board, or null.
  check() {
    const { dot, fault } = this._answered(() => this.answers.check(this.page.model.data()));
    this.dot = dot ?? "";
    this.page.showFault(fault ?? null);
  }

  _answered(answer) {
    try {
      return answer();
    } catch ({ message }) {
      return { error: message };
    }
  }

  async load(name) {
    this._take(await ask(`/editor/load?graph=${encodeURIComponent(name)}`));
  }

  // Planets apart from each other and from passing edges, as the page to play on draws them.
  spread() {
    const { places, error } = this._answered(() => this.answers.spread(this.page.model.data()));
    if (error) this.page.tell(error);
    else this.page.change((model) => model.spread(places));
  }

  async _open(file) {
    const text = await file.text();
    this._take(this._answered(() => this.answers.read(text, file.name)));
  }

  _take({ board, error }) {
    this.page.tell(error ?? `${board.name || "The board"} is loaded.`);
    if (board) this.page.take(board);
  }

  download() {
    this.check();
    if (!this.dot) return this.page.tell("A board that breaks the rules cannot be saved.");
    download(`${fileName(this.page.model.board.name) || "board"}.dot`, this.dot, "text/vnd.graphviz");
  }

  async _save(replace) {
    const { saved, exists, error } = await ask("/editor/save", { board: this.page.model.data(), replace });
    element("replace").hidden = !exists;
    this.page.tell(error ?? (exists ? `${exists} is there already: replace it?` : `${saved} is saved.`));
  }

  async _play() {
    const players = ["you", chosen("player-2", "file-2")];
    if (element("side").value === "2") players.reverse();
    const wanted = { players, graph: "", rules: element("rules").value, seed: null, max_turns: null, start: null };
    const found = await ask("/game", { ...wanted, from: { graph: this.page.model.data() }, session: "" });
    if (found.error) return this.page.tell(found.error);
    // The play page opens it (web/kept_game.mjs).
    sessionStorage.setItem("game", JSON.stringify(found));
    location.href = "/";
  }
}
