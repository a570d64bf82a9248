// Pages of a folder share this file, and frames of a notebook this script: it brings all that is the same in them.
"use strict";

const { style, body } = PARTS;
document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
document.querySelector("p").outerHTML = body;
const ownText = document.currentScript.textContent;
addEventListener("message", ({ source, data }) => {
  if (ownText && data === "planetwars?") source.postMessage({ planetwars: ownText }, "*");
});
