// What a page can do, by buttons and keys: {id: of the button, keys: their names, said: what they do, for the line of
// keys (a text, or a function; without it nothing), can: whether it can be done now, run(key,
// shift): without it the keys are only said}.

const KEY_NAMES = { " ": "space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

class Actions {
  // ``actions``: the first one that has a key and can be done now takes it; ``line``: of their keys.
  constructor(actions, line) {
    this.actions = actions;
    this.line = line;
    for (const { id, run } of actions) if (id) on(id, "click", () => run("", false));
  }

  // A button that is hidden, or in a part that is, does nothing by its key either.
  _open({ id, can }) {
    return (!can || can()) && !(id && element(id).closest("[hidden]"));
  }

  // Which buttons can be pressed now, and the line that names the keys.
  show() {
    for (const { id, can } of this.actions) if (id && can) element(id).disabled = !can();
    const told = this.actions.filter((one) => one.said && this._open(one));
    const said = told.map(({ keys, said }) => [keys, typeof said === "string" ? said : said()]);
    const called = (name) => KEY_NAMES[name] ?? (name.length === 1 ? name.toUpperCase() : name);
    const part = (name) => [name === "…" ? name : made("kbd", "", called(name)), " "];
    fillList(this.line, said, () => said.flatMap(([keys, what], i) => {
      const shown = keys.length > 2 ? [keys[0], "…", keys.at(-1)] : what === "undo" ? keys.slice(0, 1) : keys;
      return [i ? " · " : "", ...shown.flatMap(part), what];
    }));
  }

  // A key belongs to what has the focus, or to the page.
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    const typing = tagName === "SELECT" || (tagName === "INPUT" && type === "number");
    const sliding = tagName === "INPUT" && (event.key.startsWith("Arrow") || ["Home", "End"].includes(event.key));
    const pressing = ["BUTTON", "A", "SUMMARY"].includes(tagName) && (event.key === " " || event.key === "Enter");
    if (pressing || sliding || (typing && event.key !== "Enter" && event.key !== "Escape")) return;
    // A key held down moves on the graph, but ends no turn after turn.
    if (event.repeat && !event.key.startsWith("Arrow") && !"+-".includes(event.key)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = this.actions.find((one) => one.keys?.includes(name) && this._open(one));
    if (!found) return;
    event.preventDefault();
    found.run(name, event.shiftKey);
  }
}
