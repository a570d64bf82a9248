// Turns that end by themselves until something happens that their player would want to know of.

// Turns of both players.
const QUIET_TURNS = 20;

class UntilNews {
  // ``page``: a PlayPage.
  constructor(page) {
    this.page = page;
    this.button = element("until");
    this.since = null;
    // Whoever touches anything else has seen enough.
    for (const kind of ["pointerdown", "keydown"]) {
      const stop = (/** @type {any} */ { target, key }) => target !== this.button && key !== "g" && this.stop("");
      document.addEventListener(kind, stop, true);
    }
  }

  // ``now``: the latest state.
  hold(now) {
    if (!this.since) return;
    const reason = this._reason(now);
    if (reason) this.since.reason ||= reason;
    if (now.over || now.handover) this.stop("");
    else if (now.yours && this.since.reason) this.stop(this.since.reason);
    else if (now.yours) this.page.end();
  }

  toggle() {
    const { now } = this.page;
    if (this.since) return this.stop("");
    if (!now?.yours) return;
    const attacks = new Set(attacksOn(now).map(([key]) => key));
    this.since = { turn: now.turn, standing: now.standing, attacks, reason: "" };
    this.page.end();
  }

  // ``reason``: empty where the player asked for it.
  stop(reason) {
    if (!this.since) return;
    this.since = null;
    this.page.line.stopped(reason);
  }

  show() {
    this.button.textContent = this.since ? "stop" : "until news";
    press(this.button, Boolean(this.since));
  }

  _reason(now) {
    const { turn, standing, attacks } = this.since;
    const news = now.events.filter(([at]) => at > turn).map(([, said]) => said.map(inSecondPerson).join("; "));
    if (news.length) return news[0];
    const attack = attacksOn(now).find(([key]) => !attacks.has(key));
    if (attack) return `an attack on #${this.page.game.graph.planets[attack[1]][0]} is in sight`;
    if (now.yours && now.standing.length < standing.length) return "a standing order has ended";
    return now.turn - turn >= QUIET_TURNS ? `${QUIET_TURNS} turns have passed` : "";
  }
}

// Shuttles of the opponent that fly to planets of the viewer: [key, planet].
function attacksOn({ state, turn, viewer }) {
  if (!state) return [];
  const attacks = state.shuttles.filter(({ player, to }) => player !== viewer && state.planets[to].owner === viewer);
  return attacks.map(({ from, to, people, left }) => [`${from}-${to}-${people}-${turn + left}`, to]);
}
