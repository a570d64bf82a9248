// Controls of the move in the hand: how many people, and the button that sends them.

class MovePanel {
  // ``input``: a MoveInput.
  constructor(input) {
    this.input = input;
    for (const button of element("fractions").children) {
      button.addEventListener("click", () => input.setFraction(fractionOf(button)));
    }
    on("slider", "input", (event) => input.setPeople(Number(event.target.value)));
    on("number", "input", (event) => input.setPeople(Number(event.target.value)));
    on("number", "blur", () => this.show());
  }

  show() {
    const { input } = this;
    const moves = input.moves();
    element("move").classList.toggle("empty", !moves.length);
    if (!moves.length) return;
    const { many } = input;
    element("way").textContent = many
      ? `${moves.length} planets → #${input.graph.planets[input.target][0]}`
      : this._way(moves[0]);
    element("move").classList.toggle("many", many);
    if (!many) this._showPeople(input);
    element("fractions").hidden = element("every-turn").hidden = input.blind;
    for (const button of element("fractions").children) {
      press(button, fractionOf(button) === input.fraction);
    }
    const people = moves.reduce((sum, [, , count]) => sum + count, 0);
    element("send").textContent = `send ${grouped(people)}`;
    element("every-turn").title = `send ${input.percent} % on this turn and every later one (R); one person stays`;
  }

  _way([source, target]) {
    return `#${source} → #${target}, ${counted(this.input.turns(), "turn")}`;
  }

  _showPeople(input) {
    const number = element("number");
    element("slider").hidden = input.blind;
    element("slider").max = input.limit();
    element("slider").value = input.people;
    number.max = input.limit();
    // Somebody who types may empty the field; any other number is the one on the button.
    if (document.activeElement !== number || number.value !== "") number.value = input.people;
  }
}

function fractionOf(button) {
  const { fraction } = button.dataset;
  return fraction === "but one" ? fraction : Number(fraction);
}
