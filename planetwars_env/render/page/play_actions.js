// What the play page can do (keys.js).

function playActions(page) {
  const { input, look, line } = page;
  const yours = () => page.now.yours;
  const owns = () => yours() && input.own.length > 0;
  const aims = () => yours() && input.moves().length > 0;
  const places = () => page.drawing.view.places;
  const looksBack = () => page.now.may_look_back && page.now.turn > 1;
  const click = (id) => () => element(id).click();
  return [
    {
      keys: ["ArrowLeft", "ArrowRight"], said: "from", can: owns,
      run: (key, more) => input.nextSource(key === "ArrowLeft" ? -1 : 1, more, places()),
    },
    {
      keys: ["ArrowUp", "ArrowDown"], said: "to", can: owns,
      run: (key) => input.nextTarget(key === "ArrowUp" ? -1 : 1, places()),
    },
    { keys: ["a"], said: "from all", can: () => owns() && input.own.length > 1, run: () => input.select(input.own) },
    {
      keys: ["1", "2", "3", "4", "5"], said: "how many", can: aims,
      run: (key) => element("fractions").children[Number(key) - 1].click(),
    },
    { keys: ["+"], can: () => input.move() !== null, run: () => input.setPeople(input.people + 1) },
    { keys: ["-"], can: () => input.move() !== null, run: () => input.setPeople(input.people - 1) },
    { id: "send", keys: ["Enter"], said: "send", can: aims, run: () => page.sendMove() },
    { id: "every-turn", keys: ["r"], said: "every turn", can: () => !input.blind && aims(), run: () => page.keepSending() },
    { id: "put-back", keys: ["Escape"], said: "cancel", can: () => input.sources.length > 0, run: () => input.clear() },
    { keys: ["Escape"], said: "no hint", can: () => line.thinking || line.advised.length, run: () => line.forget() },
    {
      id: "undo", keys: ["u", "Backspace"], said: "undo", can: () => yours() && page.now.orders.length > 0,
      run: () => page.undo(-1),
    },
    { id: "end", keys: ["e"], said: "end turn", can: yours, run: () => page.end() },
    {
      id: "until", keys: ["g"], said: "until news", can: () => yours() || page.untilNews.since,
      run: () => page.untilNews.toggle(),
    },
    {
      id: "to-front", keys: ["v"], said: () => (page.now.front ? "no longer to the front" : "all to the front"), can: yours,
      run: () => page.act((session) => session.sendToFront(!page.now.front)),
    },
    { id: "hint", keys: ["h"], said: "hint", can: yours, run: () => line.askHint() },
    { id: "advice-do", keys: ["d"], said: "do this", can: yours, run: () => line.follow() },
    { id: "several", can: yours, run: () => page.selectMore(!page.drawing.gestures.selecting) },
    {
      id: "pause", keys: [" ", "p"], said: () => (page.now.paused ? "go on" : "pause"),
      run: () => page.pause(!page.now.paused),
    },
    {
      id: "result-watch", keys: [" "], said: () => (look.playing ? "pause" : "watch it again"), can: looksBack,
      run: () => look.play(),
    },
    { keys: ["ArrowLeft"], said: "a turn back", can: looksBack, run: () => look.step(-1) },
    { keys: ["ArrowRight"], said: "a turn on", can: () => look.past !== null, run: () => look.step(1) },
    { id: "live", keys: ["Escape"], said: "now", can: () => look.past !== null, run: () => look.leave() },
    { id: "step", keys: ["ArrowRight"], said: "one turn", run: () => page.step() },
    { id: "fog-0", run: () => page.see(0) },
    { id: "fog-1", run: () => page.see(1) },
    { id: "fog-2", keys: ["f"], said: "fog", run: (key) => page.see(key ? (page.now.viewer + 1) % 3 : 2) },
    { keys: ["m"], said: "memory", can: () => page.now.viewer > 0, run: click("memory") },
    { id: "fit", keys: ["0"], said: "show all", run: () => page.drawing.gestures.showAll() },
    {
      id: "take-back", keys: ["b"], said: "take back", can: () => page.now.turn > 1,
      run: () => page.connection.ask({ do: "take back" }),
    },
    { id: "save-replay", keys: ["s"], said: "save", run: () => page.save(false) },
    { id: "save-page", run: () => page.save(true) },
    { id: "help", keys: ["?"], said: "legend", run: () => page.legend.toggle() },
    { id: "new", keys: ["n"], said: "new game", run: () => page.setup.open() },
    { id: "play-on", run: () => page.setup.open(look.past?.turn ?? page.now.turn) },
    { id: "really", run: () => page.connection.ask({ do: "give up" }) },
    { id: "console-ask", run: () => page.connection.ask({ do: "console", on: true }) },
    { keys: ["t"], said: "light, dark", run: click("theme") },
  ];
}
