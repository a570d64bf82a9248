// Panel after a game: who has won and why, the people of both players over the turns, and what to play next;
// and series of games.

class ResultPanel {
  // ``page``: a PlayPage, whose choices of bots and agents are in order of strength.
  constructor(page) {
    this.page = page;
    this.box = element("result");
    // Names of who won the games of two players on this page, by the two.
    this.won = {};
    on("result-series", "click", () => this._play(page.series.next()));
    on("result-again", "click", () => this._again(page.game.players));
    on("result-sides", "click", () => this._again([...page.game.players].reverse()));
    on("result-next", "click", () => this._next());
  }

  show(now, status) {
    const ends = now.over && this.box.hidden;
    this.box.hidden = !now.over;
    if (ends) this._fill(now, status);
    element("result-watch").textContent = this.page.look.playing ? "pause" : "watch it again";
  }

  // A game is over, or one that is over was opened.
  _fill(now, status) {
    const { game, names, series, guide } = this.page;
    const winner = names[now.winner - 1];
    const [said, reason] = status.split(/: (.*)/);
    element("result-who").textContent = winner ? `${winner} ${winner === "you" ? "have" : "has"} won` : said;
    element("result-who").className = ["", "one", "two"][now.winner];
    const gaveUp = / given up$/.test(said) ? `${asSentence(said)} on` : "On";
    element("result-how").textContent = `${reason ?? `${gaveUp} turn ${now.turn}`}. ${this._score(winner ?? "nobody")}`;
    series.end(now.winner);
    element("result-series-text").textContent = series.text(names);
    element("result-series").hidden = series.decided;
    this._tell(this.page.connection.session.record);
    const people = game.players.filter((player) => player === "you").length;
    const stronger = this._stronger(game.players.find((player) => player !== "you") ?? "");
    const goesOn = !game.you && people === 1 && stronger;
    element("result-sides").hidden = Boolean(game.you);
    element("result-next").hidden = !goesOn;
    element("result-next").textContent = guide.on ? "now rings against ai1" : `against ${stronger}`;
    const stays = !goesOn || winner !== "you";
    element("result-next").classList.toggle("main", !stays);
    element("result-again").classList.toggle("main", stays && series.decided);
  }

  // What decided the game, where its rules have a curve of who is ahead.
  _tell(recorded) {
    const { game, names, look, now } = this.page;
    const known = recorded.win.length > 0;
    element("result-story").textContent = known ? asSentence(recorded.story(names)) : "";
    const player = 1 + game.players.indexOf("you");
    const alone = known && player && !this.page._two() && !game.you;
    const buttons = (alone ? recorded.worstTurns(player) : []).map(({ at, from, to }) => {
      const again = () => this.page.playFrom(recorded.turn(at), recorded.replay.moves[at]);
      const said = `turn ${recorded.turn(at)}: ${from} → ${to} %`;
      return madeButton(said, `${said}; play on from there, with a hint beside what you did`, again);
    });
    element("result-worst").hidden = !buttons.length;
    element("result-worst").replaceChildren(`Your worst ${buttons.length === 1 ? "turn" : "turns"}: `, ...buttons);
    if (!known) return;
    look.marks = replayEvents(recorded, 0, "").filter(isMarked);
    look.hold(now);
  }

  // How often each of these two has won on this page, whatever the sides.
  _score(winner) {
    const { names } = this.page;
    const winners = (this.won[[...names].sort().join("\n")] ??= []);
    winners.push(winner);
    if (winners.length < 2 || names[0] === names[1]) return "";
    const score = names.map((name) => `${name} ${winners.filter((one) => one === name).length}`);
    return `After ${winners.length} games: ${score.join(", ")}.`;
  }

  _stronger(name) {
    const { choices: { bots, agents }, game } = this.page;
    const learned = Object.keys(agents).filter((agent) => agents[agent].includes(game.rules));
    const ladder = [...bots, ...learned];
    return ladder[ladder.indexOf(name) + 1] ?? "";
  }

  _next() {
    const { players } = this.page.game;
    const stronger = players.map((player) => (player === "you" ? player : this._stronger(player)));
    if (!this.page.guide.on) return this._again(stronger);
    this.page.guide.end();
    this.page.newGame(["you", "ai1"], { graph: "rings", rules: "PLANETWARS" });
  }

  _again(players) {
    this.page.series.want(1);
    this._play(players);
  }

  _play(players) {
    this.page.newGame(players, { start: this.page.game.start });
  }
}

// Names stay as they are.
function asSentence(text) {
  return text.replace(/^you/, "You");
}

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
