// Lists beside the board: the orders of this turn and of every turn, each of which can be taken back, and what
// happened, the newest turn first.

// ``orders``: [source, destination, ...] by ids; ``describe`` puts one in words, and perhaps in a second text what comes
// of it; ``onUndo``: called with an order's place, null while nothing can be taken back; ``turns``: of an order's
// flight; ``onLight``: called with the one that is pointed at, or null. Those that land first come first.
function showOrders(id, orders, describe, onUndo, turns, onLight) {
  if (id !== "orders") element(`${id}-box`).hidden = !orders.length;
  const sorted = [...orders.entries()].sort(([, one], [, other]) => turns(one) - turns(other));
  element(id).replaceChildren(
    ...sorted.map(([i, order]) => {
      const [said, comes = ""] = describe(order);
      const row = made("li", "", said, made("span", "soft", comes));
      row.addEventListener("pointerenter", () => onLight(order));
      row.addEventListener("pointerleave", () => onLight(null));
      if (onUndo) row.append(madeButton("×", `take back: ${said}`, () => onUndo(i)));
      return row;
    }),
  );
}

function describeOrder([source, target, people]) {
  return [`${grouped(people)} from #${source} to #${target}`];
}

function describeStanding([source, target, percent]) {
  return [`${percent} % from #${source} to #${target}`];
}

// ``events``: [turn, [sentence, ...]], the newest first.
function showEvents(events) {
  const row = ([turn, sentences]) => made("li", "", made("b", "", `turn ${turn}`), ` ${sentences.join("; ")}`);
  fillList(element("events"), events, () => events.map(row));
}
