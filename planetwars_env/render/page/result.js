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
    canvas.title = "people of both players; drag to look at a turn";
    element("result-curve-box").replaceChildren(canvas);
    this.curves = new Curves(canvas, now.totals, (at) => this.page.look.seek(Math.max(1, Math.min(now.turn, at + 1))));
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
    if (!this.page.guide.on) return this._again(this.page.game.players.map((player) => (player === "you" ? player : this._stronger(player))));
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
