// Forecast of the move in the hand: asked of the server, one question at a time, and told in words.
"use strict";

class Aim {
  // ``send``: asks the server; ``onChange``: called when there is an answer.
  constructor(send, onChange) {
    this.send = send;
    this.onChange = onChange;
    this.begin();
  }

  begin() {
    // Questions: {turn, orders, move} as text; ``wanted``: about the move in the hand, ``asked``: not yet answered.
    this.wanted = null;
    this.asked = null;
    this.found = null;
  }

  // ``move``: [source, target, people] by ids, null without one; the answer depends on the turn's ``orders`` too.
  want(turn, orders, move) {
    const question = move && JSON.stringify({ turn, orders, move });
    if (question === this.wanted) return;
    this.wanted = question;
    this._ask();
  }

  receive({ outcome }) {
    this.found = { question: this.asked, outcome };
    this.asked = null;
    if (this.found.question !== this.wanted) this._ask();
    else this.onChange();
  }

  // The question has come to nothing.
  fail() {
    this.asked = null;
  }

  // Of the move in the hand, null where the fog hides it or it is not yet known.
  get outcome() {
    return this.wanted && this.found?.question === this.wanted ? this.found.outcome : null;
  }

  _ask() {
    if (this.asked || !this.wanted) return;
    this.asked = this.wanted;
    const { turn, move } = JSON.parse(this.wanted);
    this.send({ do: "aim", turn, move });
  }
}

// ``player``: who sends; ``names``: of both.
function describeOutcome({ turns, without, after, least }, people, player, names) {
  const owner = ([first, second]) => (first > second ? 1 : second > first ? 2 : 0);
  const told = (there) => (there[0] && there[1] ? `${there[0]} and ${there[1]}` : String(there[0] + there[1]));
  const before = owner(without);
  const whose = before === player ? "of yours" : before ? `of ${names[before - 1]}` : "of nobody";
  const then = without[0] + without[1] ? `${told(without)} ${whose}` : "nobody";
  const need = least > 0 ? `${least} ${least === 1 ? "takes" : "take"} it` : least < 0 ? "no number takes it" : "";
  const winner = owner(after);
  const end = winner === player ? `yours with ${told(after)}` : winner ? `${names[winner - 1]}'s with ${told(after)}` : "nobody's";
  return [`in ${turns} ${turns === 1 ? "turn" : "turns"}: ${then} there`, need, `your ${people} ${people === 1 ? "makes" : "make"} it ${end}`].filter(Boolean).join("; ");
}
