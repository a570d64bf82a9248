// Boards of the editor on their way: checked, loaded, saved and played by the server; files are opened and downloaded here.
"use strict";

class BoardFiles {
  // ``page``: an EditorPage; ``data``: pages.py, editor_page.
  constructor(page, { choices, boards }) {
    this.page = page;
    this.number = 0;
    this.dot = "";
    this.choices = choices;
    offerGraphs(choices, choices.saved[0] ?? "rings");
    const { person, bots, agents } = choices;
    offer("player-2", "file-2", { bots, agents: Object.keys(agents), people: [person] }, "a file or folder …", "ai1");
    for (const rules of choices.rules) element("rules").add(new Option(rules, rules));
    const on = (id, event, action) => element(id).addEventListener(event, action);
    on("load", "click", () => this.load(chosenGraph(choices)));
    on("open-file", "change", (event) => this._open(event.target.files[0]).then(() => (event.target.value = "")));
    on("download", "click", () => this.download());
    on("play", "click", () => this._play());
    on("save", "click", () => this._save(false));
    on("replace", "click", () => this._save(true));
    element("save-box").hidden = !boards;
    element("save-folder").textContent = boards;
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) this._open(event.dataTransfer.files[0]);
    });
  }

  // The first fault of the board, or null; an older answer that comes later than a newer one counts for nothing.
  async check() {
    const number = ++this.number;
    const found = await ask("/editor/check", this.page.model.data());
    if (number !== this.number) return;
    this.dot = found.dot ?? "";
    this.page.showFault(found.error ? { subject: "graph", position: 0, text: found.error } : found.fault);
  }

  async load(name) {
    this._take(await ask(`/editor/load?graph=${encodeURIComponent(name)}`));
  }

  // Planets apart from each other and from passing edges, as the page to play on draws them.
  async spread() {
    const { places, error } = await ask("/editor/spread", this.page.model.data());
    if (error) this.page.tell(error);
    else this.page.change((model) => model.spread(places));
  }

  async _open(file) {
    if (file) this._take(await ask(`/editor/read?name=${encodeURIComponent(file.name)}`, file));
  }

  _take({ board, error }) {
    this.page.tell(error ?? `${board.name || "The board"} is loaded.`);
    if (board) this.page.take(board);
  }

  async download() {
    await this.check();
    if (!this.dot) return this.page.tell("A board that breaks the rules cannot be saved.");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.dot], { type: "text/vnd.graphviz" }));
    link.download = `${this.page.model.board.name.replace(/[^a-zA-Z0-9]+/g, "-").replace(/^-|-$/g, "") || "board"}.dot`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
    remember(found);
    location.href = "/";
  }
}
