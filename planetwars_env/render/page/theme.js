// Light and dark colours: as the system has them, until the reader chooses. Calls back after every change.
"use strict";

function watchTheme(button, onChange) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  system.addEventListener("change", onChange);
  button.addEventListener("click", () => {
    const dark = (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
    onChange();
  });
}
