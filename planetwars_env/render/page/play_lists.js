// Lists beside the board: the orders of this turn and of every turn, each of which can be taken back, and what happened, the
// newest turn first.
"use strict";

// ``orders``: [source, destination, ...] by ids; ``describe`` puts one in words; ``onUndo``: called with an order's place, null
// while nothing can be taken back; ``turns``: of an order's flight; ``onLight``: called with the one that is pointed at, or
// null. Those that land first come first.
function showOrders(box, list, orders, describe, onUndo, turns, onLight) {
  box.hidden = !orders.length;
  const sorted = [...orders.entries()].sort(([, one], [, other]) => turns(one) - turns(other));
  list.replaceChildren(
    ...sorted.map(([i, order]) => {
      const said = describe(order);
      const row = made("li", said);
      row.addEventListener("pointerenter", () => onLight(order));
      row.addEventListener("pointerleave", () => onLight(null));
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
