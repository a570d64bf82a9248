// A report: its colours, and, while games are played, itself again every few seconds with what was open still open.
"use strict";

watchTheme(element("theme"), () => {});

const refresh = JSON.parse(element("data").textContent).refresh;
if (refresh) {
  const sections = [...document.querySelectorAll("details")];
  const place = `planetwars-open-${location.pathname}`;
  try {
    const open = JSON.parse(sessionStorage.getItem(place) ?? "[]");
    for (const one of sections) one.open = open.includes(one.firstElementChild.textContent);
  } catch {
    // A browser that keeps nothing: they are closed again.
  }
  setTimeout(() => {
    try {
      const open = sections.filter((one) => one.open).map((one) => one.firstElementChild.textContent);
      sessionStorage.setItem(place, JSON.stringify(open));
    } catch {
      // As above.
    }
    location.reload();
  }, 1000 * refresh);
}
