// Earlier turns of a game that no person plays any more: dragged to, stepped through and played, while the game itself
// goes on.

class LookBack {
  // ``ask``: gives an earlier turn, {turn, viewer, state}; ``onShow``: called when another turn is to be shown.
  constructor(ask, onShow) {
    this.ask = ask;
    this.onShow = onShow;
    on("scrubber", "input", (event) => this.seek(Number(event.target.value)));
    this.curves = new Curves(element("ahead"), (at) => this.seek(at + 1));
    this.begin();
  }

  begin() {
    this.stop();
    this.now = null;
    // The turn that is shown; null: the turn that is played now.
    this.past = null;
    this.marks = [];
  }

  // ``now``: the latest state.
  hold(now) {
    const changed = this.past && this.past.viewer !== now.viewer;
    this.now = now;
    element("scrubber-box").hidden = !now.may_look_back || now.turn < 2;
    element("scrubber").max = now.turn;
    // Through a fog the true position is not known.
    element("ahead").toggleAttribute("hidden", Boolean(now.viewer) || now.turn < 2);
    const part = now.ahead.length > 0;
    const values = part ? now.ahead.map((one) => one / 1000) : now.totals;
    const turns = now.turning.map(({ at, player }) => ({ at, player, kind: "turn" }));
    if (now.may_look_back) this.curves.pick({ values, part, marks: this.marks.length ? this.marks : turns });
    if (!now.may_look_back) this.leave();
    else if (changed) this._go(this.past.turn);
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
    if (!this.past) return;
    this.past = null;
    this._showPlace();
    this.onShow();
  }

  // Turn after turn, from the one that is shown or from the first one.
  play() {
    if (this.playing) return this.stop();
    if (!this.past) this._go(1);
    this.playing = setInterval(() => this.past && this._go(this.past.turn + 1), 1000 / Math.min(16, this.now.speed));
    this.onShow();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
  }

  _go(turn) {
    if (turn >= this.now.turn) return this.leave();
    this.past = this.ask(Math.max(1, turn));
    this._showPlace();
    this.onShow();
  }

  _showPlace() {
    const turn = this.past?.turn ?? this.now?.turn ?? 1;
    element("scrubber").value = turn;
    this.curves.show(turn - 1);
  }
}
