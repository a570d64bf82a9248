// Elements of pages: found by their ids, and made of a text and a class.
"use strict";

/** @returns {any} */
function element(id) {
  return document.getElementById(id);
}

function made(kind, text = "", name = "") {
  return Object.assign(document.createElement(kind), { textContent: text, className: name });
}

// Saves a file.
function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A name for a file.
function fileName(text) {
  return text.replace(/[^a-zA-Z0-9]+/g, "-").replace(/^-|-$/g, "");
}
