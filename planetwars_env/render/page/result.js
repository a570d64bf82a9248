// Panel after a game: who has won and why, the people of both players over the turns, and what to play next.
"use strict";

class ResultPanel {
  // ``page``: a PlayPage; ``choices``: setup.py, whose bots and agents are in order of strength.
  constructor(page, choices) {
    this.page = page;
    this.choices = choices;
    this.box = element("result");
    this.score = new Map();
    const on = (id, action) => element(id).addEventListener("click", action);
    on("result-watch", () => page.look.play());
    on("result-series", () => this._play(page.series.next()));
    on("result-again", () => this._again(page.game.players));
    on("result-sides", () => this._again([...page.game.players].reverse()));
    on("result-next", () => this._next());
  }

  // A new game on the page.
  begin() {
    this.box.hidden = true;
    this.counted = false;
    this.curves = null;
    element("result-curve-box").replaceChildren();
    element("result-story").textContent = "";
    element("result-worst").hidden = true;
  }

  show(now, status) {
    this.box.hidden = !now.over;
    if (!now.over) return;
    const { game, names, look } = this.page;
    this._count(now);
    this.page.series.end(now.winner);
    const { series } = this.page;
    element("result-series-text").textContent = series.text(names);
    element("result-series-text").hidden = !series.now;
    element("result-series").hidden = series.decided;
    element("result-who").textContent = now.winner ? `${names[now.winner - 1]} ${names[now.winner - 1] === "you" ? "have" : "has"} won` : status;
    const why = now.winner && !/ha(s|ve) won$/.test(status) ? `${status}, on` : "On";
    element("result-how").textContent = `${why} turn ${now.turn}. ${this._scoreText()}`;
    this._showCurve(now);
    this.curves?.show((look.past?.turn ?? now.turn) - 1);
    const people = game.players.filter((player) => player === "you").length;
    element("result-watch").textContent = look.playing ? "pause" : "watch it again";
    element("result-sides").hidden = Boolean(game.you);
    element("result-next").hidden = Boolean(game.you) || people !== 1 || !this._stronger(this._opponent());
    element("result-next").textContent = this.page.guide.on ? "now rings against ai1" : `against ${this._stronger(this._opponent())}`;
    element("result-next").classList.toggle("main", this.page.guide.on);
  }

  recolour() {
    this.curves?.recolour();
  }

  _showCurve(now) {
    if (this.curves || now.totals.length < 2) return;
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true");
    canvas.title = "who is ahead; drag to look at a turn";
    element("result-curve-box").replaceChildren(canvas);
    this.curves = new Curves(canvas, now.totals, (at) => this.page.look.seek(Math.max(1, Math.min(now.turn, at + 1))));
    const { game } = this.page;
    // A game that the module cannot hold has no more to tell.
    this.page.connection.recorded().then((recorded) => this.page.game === game && this._tell(recorded), () => {});
  }

  // What decided the game, where its rules have a curve of who is ahead.
  _tell(recorded) {
    const { game, names } = this.page;
    if (!recorded.win.length) return;
    const marks = replayEvents(recorded, 0, "").filter(isMarked);
    this.curves.pick({ values: recorded.win.map((part) => part / 1000), part: true, marks });
    const story = recorded.story(names);
    element("result-story").textContent = story && story[0].toUpperCase() + story.slice(1);
    const player = 1 + game.players.indexOf("you");
    const worst = player && !this.page._two() && !game.you ? recorded.worstTurns(player) : [];
    const first = element("result-worst").firstChild;
    element("result-worst").hidden = !worst.length;
    element("result-worst").replaceChildren(first, ...worst.map(({ at, from, to }) => {
      const button = made("button", `turn ${recorded.turn(at)}: ${from} → ${to} %`);
      button.title = "play on from there, with a hint beside what you did";
      button.addEventListener("click", () => this.page.playFrom(recorded.turn(at), recorded.replay.moves[at]));
      return button;
    }));
  }

  // Games won on this page by each player against the other one, whatever the sides.
  _count(now) {
    if (this.counted) return;
    this.counted = true;
    const key = this._pair();
    const score = this.score.get(key) ?? {};
    const winner = now.winner ? this.page.names[now.winner - 1] : "nobody";
    this.score.set(key, { ...score, [winner]: (score[winner] ?? 0) + 1 });
  }

  _pair() {
    return [...this.page.names].sort().join("\n");
  }

  _scoreText() {
    const { names } = this.page;
    const score = this.score.get(this._pair()) ?? {};
    const games = Object.values(score).reduce((sum, count) => sum + count, 0);
    if (games < 2 || names[0] === names[1]) return "";
    return `After ${games} games: ${names.map((name) => `${name} ${score[name] ?? 0}`).join(", ")}.`;
  }

  _opponent() {
    return this.page.game.players.find((player) => player !== "you") ?? "";
  }

  _stronger(name) {
    const { bots, agents } = this.choices;
    const learned = Object.keys(agents).filter((agent) => agents[agent].includes(this.page.game.rules));
    const ladder = [...bots, ...learned];
    return ladder[ladder.indexOf(name) + 1] ?? "";
  }

  _next() {
    const { players } = this.page.game;
    if (!this.page.guide.on) return this._again(players.map((player) => (player === "you" ? player : this._stronger(player))));
    this.page.guide.end();
    const game = { players: ["you", "ai1"], graph: "rings", rules: "PLANETWARS", seed: null, max_turns: null, start: null };
    this.page.send({ do: "new", ...game });
  }

  _again(players) {
    this.page.series.want(1);
    this._play(players);
  }

  _play(players) {
    const { start } = this.page.game;
    this.page.send({ do: "new", players, graph: "", rules: "", seed: null, max_turns: null, start });
  }
}
