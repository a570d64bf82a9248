// Earlier turns of a game that no person plays any more: dragged to, stepped through and played, while the game itself goes on.
"use strict";

class LookBack {
  // ``send``: asks the server; ``onShow``: called when another turn is to be shown.
  constructor(send, onShow) {
    this.send = send;
    this.onShow = onShow;
    element("scrubber").addEventListener("input", (event) => this.seek(Number(event.target.value)));
    element("live").addEventListener("click", () => this.leave());
    this.begin();
  }

  begin() {
    this.stop();
    this.now = null;
    // The turn that is shown, as the server told it; null: the turn that is played now.
    this.past = null;
    this.wanted = null;
    this.asked = null;
  }

  // ``now``: the latest state.
  hold(now) {
    const changed = this.past && this.past.viewer !== now.viewer;
    this.now = now;
    element("scrubber-box").hidden = !now.may_look_back || now.turn < 2;
    element("scrubber").max = now.turn;
    if (!now.may_look_back) this.leave();
    else if (changed) this._ask(this.past.turn);
    this._showPlace();
  }

  seek(turn) {
    this.stop();
    this._go(turn);
  }

  step(turns) {
    if (this.now?.may_look_back) this.seek((this.past?.turn ?? this.now.turn) + turns);
  }

  leave() {
    this.stop();
    this.wanted = null;
    if (!this.past) return;
    this.past = null;
    this._showPlace();
    this.onShow();
  }

  // Turn after turn, from the one that is shown or from the first one.
  play() {
    if (this.playing) return this.stop();
    if (!this.past) this._go(1);
    this.playing = setInterval(() => this._next(), 1000 / Math.min(16, this.now.speed));
    this.onShow();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
  }

  receive(message) {
    this.asked = null;
    if (this.wanted === null) return;
    if (this.wanted !== message.turn || message.viewer !== this.now.viewer) return this._ask(this.wanted);
    this.past = message;
    this._showPlace();
    this.onShow();
  }

  // The answer to a question that has come to nothing.
  fail() {
    this.asked = null;
  }

  _next() {
    if (!this.past || this.asked !== null) return;
    if (this.past.turn + 1 >= this.now.turn) this.leave();
    else this._go(this.past.turn + 1);
  }

  _go(turn) {
    if (turn >= this.now.turn) return this.leave();
    this._ask(Math.max(1, turn));
  }

  // One question at a time: the answer shows whether another one is wanted by then.
  _ask(turn) {
    this.wanted = turn;
    if (this.asked !== null) return;
    this.asked = turn;
    this.send({ do: "look", at: turn });
  }

  _showPlace() {
    element("live").disabled = !this.past;
    element("scrubber").value = this.past?.turn ?? this.now?.turn ?? 1;
  }
}
