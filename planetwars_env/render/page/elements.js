// Elements of pages: found by their ids, listened to, and made; numbers in words; files.

/** @returns {any} */
function element(id) {
  return document.getElementById(id);
}

function on(id, event, action) {
  element(id).addEventListener(event, action);
}

// ``content``: texts and elements.
/** @returns {any} */
function made(kind, name, ...content) {
  const one = Object.assign(document.createElement(kind), { className: name });
  one.append(...content);
  return one;
}

// ``label``: its title, and what is read of it.
function madeButton(text, label, onClick) {
  const button = made("button", "", text);
  Object.assign(button, { title: label, ariaLabel: label });
  button.addEventListener("click", onClick);
  return button;
}

// Draws frames with 0 to 1 as so many milliseconds go by, until ``draw`` returns false.
function animate(milliseconds, draw) {
  const begun = performance.now();
  const tick = (time) => {
    const part = Math.min(1, Math.max(0, (time - begun) / milliseconds));
    if (draw(part) !== false && part < 1) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

// Whether a button is pressed.
function press(button, pressed) {
  button.setAttribute("aria-pressed", pressed);
}

// A number with its noun; ``many``: more than one of it.
function counted(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

// A number with commas; the browser's own way takes ten milliseconds at first.
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

// Fills a list, unless it shows the same already: somebody may be pointing at a row. ``rows``: a function that makes
// them.
function fillList(list, content, rows) {
  const text = JSON.stringify(content);
  if (list.told === text) return;
  list.told = text;
  list.replaceChildren(...rows());
}

// A choice of speeds, in order, whatever was chosen elsewhere.
function offerSpeed(speed) {
  const options = [...element("speed").options];
  if (options.some(({ value }) => Number(value) === speed)) return;
  const next = options.findIndex(({ value }) => Number(value) > speed);
  element("speed").add(new Option(`${counted(speed, "turn")}/s`, speed), next < 0 ? null : next);
}

// Saves a file.
function download(name, text, type) {
  const link = made("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A name for a file.
function fileName(text) {
  return text.replace(/[^a-zA-Z0-9]+/g, "-").replace(/^-|-$/g, "");
}

// Files that somebody drops on the page or chooses; ``onFile``: called with each one.
function takeFiles(input, onFile) {
  input.addEventListener("change", () => {
    if (input.files.length) onFile(input.files[0]);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) onFile(event.dataTransfer.files[0]);
  });
}
