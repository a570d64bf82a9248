// Small pages share this script: it brings what is the same in them.

const { style, body } = PARTS;
document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
document.querySelector("p").outerHTML = body;
