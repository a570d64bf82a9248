// Pages of a folder of games share this file: it brings all that is the same in them.
"use strict";

const { style, body } = PARTS;
document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
document.querySelector("p").outerHTML = body;
