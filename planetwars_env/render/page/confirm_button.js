// Button that asks for confirmation: the first click shows the question, the second one confirms it.
"use strict";

const TWICE = {
  // Milliseconds. A double click is one touch; a question that nobody answers goes away.
  least: 400,
  most: 5000,
};

class ConfirmButton {
  constructor(button, question, onSure) {
    this.button = button;
    this.plain = button.textContent;
    this.question = question;
    this.asked = null;
    button.addEventListener("click", (event) => {
      if (this.asked === null) this._ask(event.timeStamp);
      else if (event.timeStamp - this.asked >= TWICE.least) {
        this.takeBack();
        onSure();
      }
    });
    button.addEventListener("keydown", (event) => {
      if (event.repeat) event.preventDefault();
    });
    for (const kind of ["pointerdown", "keydown"]) {
      document.addEventListener(kind, (event) => event.target !== button && this.takeBack(), true);
    }
  }

  takeBack() {
    if (this.asked === null) return;
    clearTimeout(this.timer);
    this.asked = null;
    this._say(this.plain);
  }

  _ask(time) {
    this.asked = time;
    this.timer = setTimeout(() => this.takeBack(), TWICE.most);
    this._say(this.question);
  }

  _say(text) {
    this.button.textContent = text;
    this.button.classList.toggle("asking", this.asked !== null);
  }
}
