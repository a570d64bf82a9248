// Button that asks for confirmation: the first click shows the question, the second one confirms it.

const TWICE = {
  // Milliseconds. A double click is one touch; a question that nobody answers goes away.
  least: 400,
  most: 5000,
};

class ConfirmButton {
  constructor(button, question, onSure) {
    this.button = button;
    this.plain = button.textContent;
    this.asked = null;
    button.addEventListener("click", ({ timeStamp }) => {
      if (this.asked === null) {
        this._say(question, timeStamp);
        this.timer = setTimeout(() => this.takeBack(), TWICE.most);
      } else if (timeStamp - this.asked >= TWICE.least) {
        this.takeBack();
        onSure();
      }
    });
    button.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
    for (const kind of ["pointerdown", "keydown"]) {
      document.addEventListener(kind, (event) => event.target !== button && this.takeBack(), true);
    }
  }

  takeBack() {
    clearTimeout(this.timer);
    this._say(this.plain, null);
  }

  // ``asked``: when, null: not now.
  _say(text, asked) {
    this.asked = asked;
    this.button.textContent = text;
    this.button.classList.toggle("asking", asked !== null);
  }
}
