// Controls of the move in the hand: how many people, and the button that sends them.
"use strict";

class MovePanel {
  // ``input``: a MoveInput; ``onSend``: called by the button.
  constructor(input, onSend) {
    this.input = input;
    const on = (id, event, action) => element(id).addEventListener(event, action);
    for (const button of element("fractions").children) {
      button.addEventListener("click", () => input.setFraction(fractionOf(button)));
    }
    on("slider", "input", (event) => input.setPeople(Number(event.target.value)));
    on("number", "input", (event) => input.setPeople(Number(event.target.value)));
    on("number", "blur", () => this.show(input.move()));
    on("send", "click", onSend);
  }

  // ``move``: [source, target, people] by ids, null without one.
  show(move) {
    element("move").classList.toggle("empty", !move);
    if (!move) return;
    const { input } = this;
    const turns = input.turns();
    const number = element("number");
    element("way").textContent = `#${move[0]} → #${move[1]}, ${turns} ${turns === 1 ? "turn" : "turns"}`;
    element("slider").hidden = input.blind;
    element("slider").max = input.limit();
    element("slider").value = input.people;
    number.max = input.limit();
    // Somebody who types may empty the field; any other number is the one on the button.
    if (document.activeElement !== number || number.value !== "") number.value = input.people;
    element("fractions").hidden = input.blind;
    for (const button of element("fractions").children) {
      button.setAttribute("aria-pressed", fractionOf(button) === input.fraction);
    }
    element("send").textContent = `send ${input.people.toLocaleString("en")}`;
  }
}

function fractionOf(button) {
  const { fraction } = button.dataset;
  return fraction === "but one" ? fraction : Number(fraction);
}
