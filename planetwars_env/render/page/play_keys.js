// Keys of the play page: what each does at this moment. A key that does nothing now is neither taken nor shown.

const FRACTIONS = [0.25, 0.5, 0.75, "but one", 1];

// [names of the keys, what is said of them (empty: nothing), action(key)] for the page as it stands.
function keysOf(page) {
  const { input, now, look } = page;
  if (!now) return [];
  const keys = [];
  if (now.yours) keys.push(...movingKeys(page, input, now));
  else if (!element("watch-buttons").hidden) {
    const pause = () => element("pause").click();
    keys.push([[" ", "p"], now.paused ? "go on" : "pause", pause]);
  }
  if (now.may_look_back && now.turn > 1) {
    if (now.over) keys.push([[" "], look.playing ? "pause" : "watch it again", () => look.play()]);
    keys.push([["ArrowLeft"], "a turn back", () => look.step(-1)]);
  }
  if (look.past) keys.push([["ArrowRight"], "a turn on", () => look.step(1)], [["Escape"], "now", () => look.leave()]);
  else if (!element("watch-buttons").hidden) keys.push([["ArrowRight"], "one turn", () => page.step()]);
  if (!element("fog").hidden)
    keys.push([["f"], "fog", () => page.send({ do: "viewer", viewer: (now.viewer + 1) % 3 })]);
  if (now.viewer) keys.push([["m"], "memory", () => element("memory").click()]);
  if (page.drawing.view.zoomed) keys.push([["0"], "show all", () => page.drawing.gestures.showAll()]);
  const back = element("take-back");
  if (!element("help-buttons").hidden && !back.disabled) keys.push([["b"], "take back", () => back.click()]);
  if (!element("save").hidden) keys.push([["s"], "save", () => element("save-replay").click()]);
  keys.push([["?"], "legend", () => page.legend.toggle()]);
  if (!element("new").hidden) keys.push([["n"], "new game", () => page.setup.open()]);
  keys.push([["t"], "light, dark", () => element("theme").click()]);
  return keys;
}

function movingKeys(page, input, now) {
  const keys = [];
  if (input.own.length) {
    const { places } = page.drawing.view;
    const along = (key, shift) => input.nextSource(key === "ArrowLeft" ? -1 : 1, shift, places);
    const aim = (key) => input.nextTarget(key === "ArrowUp" ? -1 : 1, places);
    keys.push([["ArrowLeft", "ArrowRight"], "from", along], [["ArrowUp", "ArrowDown"], "to", aim]);
  }
  if (input.own.length > 1) keys.push([["a"], "from all", () => input.select(input.own)]);
  if (input.moves().length) {
    keys.push([["1", "2", "3", "4", "5"], "how many", (key) => input.setFraction(FRACTIONS[Number(key) - 1])]);
    if (input.move()) keys.push([["+", "-"], "", (key) => input.setPeople(input.people + (key === "+" ? 1 : -1))]);
    keys.push([["Enter"], "send", () => page.sendMove()]);
    if (!input.blind) keys.push([["r"], "every turn", () => page.keepSending()]);
  }
  if (input.sources.length) keys.push([["Escape"], "cancel", () => input.clear()]);
  else if (page.line.thinking || page.line.advised.length) keys.push([["Escape"], "no hint", () => page.line.forget()]);
  if (now.orders.length) keys.push([["u", "Backspace"], "undo", () => page.undo(-1)]);
  keys.push([["e"], "end turn", () => page.act("end")]);
  if (!element("until").hidden) keys.push([["g"], "until news", () => page.untilNews.toggle()]);
  keys.push([["v"], now.front ? "no longer to the front" : "all to the front", () => element("to-front").click()]);
  if (!element("help-buttons").hidden) keys.push([["h"], "hint", () => page.line.askHint()]);
  return keys;
}

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
