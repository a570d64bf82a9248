// Light and dark colours: as the system has them, and dark where a game is watched, until the reader chooses by the
// button #theme; the choice is remembered. The document hears an event "recolour" after every change.

{
  const root = document.documentElement;
  const changed = () => document.dispatchEvent(new Event("recolour"));
  const chosen = stored("theme");
  if (["light", "dark"].includes(chosen)) root.dataset.theme = chosen;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  on("theme", "click", () => {
    root.dataset.theme = getComputedStyle(root).colorScheme === "dark" ? "light" : "dark";
    store("theme", root.dataset.theme);
    changed();
  });
}

// What the browser may refuse, such as storage to a page in a frame of a notebook; null then.
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}

// Storage of the reader's choices: cookies, which all ports of a machine share, and for a page from a file its storage.
// Where there is neither, they last until the page is closed.
function stored(key) {
  return attempt(() => {
    const cookie = document.cookie.split("; ").find((one) => one.startsWith(`planetwars-${key}=`));
    return cookie ? cookie.split("=")[1] : localStorage.getItem(`planetwars-${key}`);
  });
}

function store(key, value) {
  attempt(() => {
    document.cookie = `planetwars-${key}=${value}; max-age=31536000; path=/; SameSite=Strict`;
    localStorage.setItem(`planetwars-${key}`, value);
  });
}

// What a tab keeps until it is closed, if it can; null for nothing.
function keptInTab(key) {
  return attempt(() => JSON.parse(sessionStorage.getItem(key)));
}

function keepInTab(key, value) {
  attempt(() => sessionStorage.setItem(key, JSON.stringify(value)));
}
