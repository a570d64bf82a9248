// Panel after a game: who has won and why, the people of both players over the turns, and what to play next.

class ResultPanel {
  // ``page``: a PlayPage; ``choices``: setup.py, whose bots and agents are in order of strength.
  constructor(page, choices) {
    this.page = page;
    this.choices = choices;
    this.box = element("result");
    this.won = {};
    on("result-series", "click", () => this._play(page.series.next()));
    on("result-again", "click", () => this._again(page.game.players));
    on("result-sides", "click", () => this._again([...page.game.players].reverse()));
    on("result-next", "click", () => this._next());
  }

  // A new game on the page.
  begin() {
    this.box.hidden = true;
    this.counted = this.surveyed = false;
    element("result-story").textContent = "";
    element("result-worst").hidden = true;
  }

  show(now, status) {
    this.box.hidden = !now.over;
    if (!now.over) return;
    const { game, names, look, series, guide } = this.page;
    const winner = names[now.winner - 1];
    if (!this.counted) this._winners.push(winner ?? "nobody");
    this.counted = true;
    series.end(now.winner);
    element("result-series-text").textContent = series.text(names);
    element("result-series-text").hidden = !series.now;
    element("result-series").hidden = series.decided;
    const [said, reason] = status.split(/: (.*)/);
    element("result-who").textContent = winner ? `${winner} ${winner === "you" ? "have" : "has"} won` : said;
    element("result-who").className = ["", "one", "two"][now.winner];
    const gaveUp = / given up$/.test(said) ? `${asSentence(said)} on` : "On";
    element("result-how").textContent = `${reason ?? `${gaveUp} turn ${now.turn}`}. ${this._scoreText()}`;
    this._survey();
    const people = game.players.filter((player) => player === "you").length;
    element("result-watch").textContent = look.playing ? "pause" : "watch it again";
    element("result-sides").hidden = Boolean(game.you);
    const stronger = this._stronger(game.players.find((player) => player !== "you") ?? "");
    element("result-next").hidden = Boolean(game.you) || people !== 1 || !stronger;
    element("result-next").textContent = guide.on ? "now rings against ai1" : `against ${stronger}`;
    const stays = element("result-next").hidden || winner !== "you";
    element("result-next").classList.toggle("main", !stays);
    element("result-again").classList.toggle("main", stays && series.decided);
  }

  _survey() {
    if (this.surveyed) return;
    this.surveyed = true;
    this._tell(this.page.connection.session.record);
  }

  // What decided the game, where its rules have a curve of who is ahead.
  _tell(recorded) {
    const { game, names, look, now } = this.page;
    if (!recorded.win.length) return;
    look.marks = replayEvents(recorded, 0, "").filter(isMarked);
    look.hold(now);
    element("result-story").textContent = asSentence(recorded.story(names));
    const player = 1 + game.players.indexOf("you");
    const worst = player && !this.page._two() && !game.you ? recorded.worstTurns(player) : [];
    const first = element("result-worst").firstChild;
    element("result-worst").hidden = !worst.length;
    element("result-worst").replaceChildren(first, ...worst.map(({ at, from, to }) => {
      const again = () => this.page.playFrom(recorded.turn(at), recorded.replay.moves[at]);
      const said = `turn ${recorded.turn(at)}: ${from} → ${to} %`;
      return madeButton(said, `${said}; play on from there, with a hint beside what you did`, again);
    }));
  }

  // Names of who won the games of these two on this page, whatever the sides.
  get _winners() {
    return (this.won[[...this.page.names].sort().join("\n")] ??= []);
  }

  _scoreText() {
    const { names } = this.page;
    const winners = this._winners;
    if (winners.length < 2 || names[0] === names[1]) return "";
    const score = names.map((name) => `${name} ${winners.filter((winner) => winner === name).length}`);
    return `After ${winners.length} games: ${score.join(", ")}.`;
  }

  _stronger(name) {
    const { bots, agents } = this.choices;
    const learned = Object.keys(agents).filter((agent) => agents[agent].includes(this.page.game.rules));
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
