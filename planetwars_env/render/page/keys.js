// Keys of a page: [names of the keys, what is said of them (empty: nothing), action(key, shift)].

const KEY_NAMES = { " ": "space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

// The line that names them.
function showKeys(line, keys) {
  const said = keys.filter(([, text]) => text).map(([names, what]) => [names, what]);
  const called = (name) => KEY_NAMES[name] ?? (name.length === 1 ? name.toUpperCase() : name);
  const part = (name) => [name === "…" ? name : made("kbd", "", called(name)), " "];
  fillList(line, said, () => said.flatMap(([names, what], i) => {
    const shown = names.length > 2 ? [names[0], "…", names.at(-1)] : what === "undo" ? names.slice(0, 1) : names;
    return [i ? " · " : "", ...shown.flatMap(part), what];
  }));
}

// The action of a key event, null where the key belongs to what has the focus, or does nothing now.
function keyAction(event, keys) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const { tagName, type } = event.target;
  const typing = tagName === "SELECT" || (tagName === "INPUT" && type === "number");
  const sliding = tagName === "INPUT" && (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End");
  const pressing = ["BUTTON", "A", "SUMMARY"].includes(tagName) && (event.key === " " || event.key === "Enter");
  if (pressing || sliding || (typing && event.key !== "Enter" && event.key !== "Escape")) return null;
  // A key held down moves on the graph, but ends no turn after turn.
  if (event.repeat && !event.key.startsWith("Arrow") && !"+-".includes(event.key)) return null;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = keys.find(([names]) => names.includes(name));
  return found ? () => found[2](name, event.shiftKey) : null;
}

// ``action``: of the event, null for none.
function carryOut(event, action) {
  if (!action) return;
  event.preventDefault();
  action();
}
