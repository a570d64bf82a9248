// Lists beside the board: the orders of this turn and of every turn, each of which can be taken back, and what happened, the
// newest turn first.
"use strict";

// ``orders``: in words; ``onUndo``: called with an order's place, null while nothing can be taken back.
function showOrders(box, list, orders, onUndo) {
  box.hidden = !orders.length;
  list.replaceChildren(
    ...orders.map((said, i) => {
      const row = document.createElement("li");
      row.append(said);
      if (onUndo) row.append(smallButton("×", `take back: ${said}`, () => onUndo(i)));
      return row;
    }),
  );
}

function describeOrder([source, target, people]) {
  return `${grouped(people)} from #${source} to #${target}`;
}

function describeStanding([source, target, percent]) {
  return `${percent} % from #${source} to #${target}`;
}

// ``events``: [turn, [sentence, ...]], the newest first. Only the turns that are new are added.
function showEvents(box, list, events) {
  box.hidden = !events.length;
  const text = JSON.stringify(events);
  if (list.told === text) return;
  list.told = text;
  list.replaceChildren(
    ...events.map(([turn, sentences]) => {
      const row = document.createElement("li");
      const title = made("b", `turn ${turn}`);
      row.append(title, ` ${sentences.join("; ")}`);
      return row;
    }),
  );
}

function smallButton(text, label, action) {
  const button = made("button", text);
  button.title = label;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", action);
  return button;
}
