// A page in a notebook: each part of its script is in the output of one cell, whose frame gives it to the others.

{
  // By name, in order; empty where another cell has it.
  const parts = PARTS;
  const missing = () => Object.keys(parts).filter((name) => !parts[name]);
  const asking = setInterval(askFrames, 500);

  function askFrames() {
    if (!missing().length) return start();
    for (const name of missing()) {
      for (let i = 0; i < parent.length; i++) parent[i].postMessage({ planetwars: name }, "*");
    }
  }

  function start() {
    clearInterval(asking);
    const script = document.createElement("script");
    script.textContent = Object.values(parts).join("\n");
    document.body.append(script);
  }

  addEventListener("message", ({ source, data }) => {
    const { planetwars: name, text } = data ?? {};
    if (!Object.hasOwn(parts, name)) return;
    if (typeof text !== "string") {
      if (parts[name]) source.postMessage({ planetwars: name, text: parts[name] }, "*");
    } else if (!parts[name]) {
      parts[name] = text;
      if (!missing().length) start();
    }
  });
  askFrames();
}
