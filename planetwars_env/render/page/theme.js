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

// Storage of the reader's choices: cookies, which all ports of a machine share, and for a page from a file its storage.
// A page in a frame of a notebook has neither: then they last until it is closed.
function stored(key) {
  try {
    const cookie = document.cookie.split("; ").find((one) => one.startsWith(`planetwars-${key}=`));
    return cookie ? cookie.split("=")[1] : localStorage.getItem(`planetwars-${key}`);
  } catch {
    return null;
  }
}

function store(key, value) {
  try {
    document.cookie = `planetwars-${key}=${value}; max-age=31536000; path=/; SameSite=Strict`;
    localStorage.setItem(`planetwars-${key}`, value);
  } catch {
    // Not remembered.
  }
}

// What a tab keeps until it is closed, if it can; null for nothing.
function keptInTab(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
}

function keepInTab(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It is lost when the page is left.
  }
}
