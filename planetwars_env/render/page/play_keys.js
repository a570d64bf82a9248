// Keys of the play page: what each does at this moment. A key that does nothing now is neither taken nor shown.

const FRACTIONS = [0.25, 0.5, 0.75, "but one", 1];

// As in keys.js, for the page as it stands.
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
