// Series of games between the same two players, who change sides after every game: best of so many. It outlives a
// reload.

class Series {
  constructor() {
    // {best, players: as they began, wins: of each, games, swapped, last: the winner that was counted, or null}
    this.now = keptInTab("series");
    this.wanted = undefined;
  }

  // The next game belongs to a new series, to none (``best`` 1), or is the next one of this series.
  want(best, players) {
    this.wanted = best > 1 ? { best, players, wins: [0, 0], games: 0, swapped: false, last: null } : null;
  }

  next() {
    this.wanted = { ...this.now, swapped: !this.now.swapped, last: null };
    return this.now.swapped ? this.now.players : [...this.now.players].reverse();
  }

  // A game has begun, or goes on: what was counted of it is counted once more when it ends.
  begin() {
    if (this.wanted !== undefined) this.now = this.wanted;
    else if (this.now && this.now.last !== null) this._count(-1);
    this.wanted = undefined;
    keepInTab("series", this.now);
  }

  // ``winner``: 1, 2, or 0 for a draw.
  end(winner) {
    if (!this.now || this.now.last !== null) return;
    this.now.last = winner ? (winner - 1) ^ Number(this.now.swapped) : -1;
    this._count(1);
    keepInTab("series", this.now);
  }

  get decided() {
    return !this.now || Math.max(...this.now.wins) > this.now.best / 2 || this.now.games >= this.now.best;
  }

  // ``names``: of the players of the game that is shown.
  text(names) {
    if (!this.now) return "";
    const { best, players, wins, games, swapped } = this.now;
    const alike = players[0] === players[1];
    const called = alike ? ["who began", "the other"] : swapped ? [...names].reverse() : names;
    const score = called.map((name, i) => `${name} ${wins[i]}`).join(", ");
    if (!this.decided) return `Best of ${best}, after game ${games}: ${score}.`;
    const winner = wins[0] === wins[1] ? "nobody" : called[Number(wins[1] > wins[0])];
    return `Best of ${best}: ${score}; ${winner} ${winner === "you" ? "have" : "has"} won it.`;
  }

  _count(by) {
    const { last, wins } = this.now;
    if (last >= 0) wins[last] += by;
    this.now.games += by;
    if (by < 0) this.now.last = null;
  }
}
