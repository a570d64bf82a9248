// Log of the planets that changed owner, as far as the page sees them.
"use strict";

class OwnershipLog {
  // ``names``: of both players; ``watching``: nobody at the page plays.
  begin(game, names) {
    this.graph = game.graph;
    this.names = names;
    this.watching = !game.players.includes("you");
    this.clear();
  }

  // ``turns``: [turn, what happened], the newest first.
  clear() {
    this.turns = [];
  }

  // Players read of everything since they last moved, watchers of the latest turns.
  note(before, now) {
    if (!before?.state || !now.state || before.viewer !== now.viewer || before.yours) this.clear();
    if (!before?.state || !now.state || before.viewer !== now.viewer || now.over) return;
    const events = now.state.planets.map((planet, i) => {
      return this._event(before.state.planets[i].owner ?? null, planet.owner ?? null, this.graph.planets[i][0], now.viewer);
    });
    const text = events.filter(Boolean).join(", ");
    if (text) this.turns = [[now.turn, text], ...this.turns].slice(0, 10);
  }

  text() {
    if (!this.watching) return this.turns.map(([, text]) => text).join(", ");
    return this.turns.map(([turn, text]) => `turn ${turn}: ${text}`).join("; ");
  }

  // A planet that comes into sight or leaves it has not changed its owner, unless it is or was the viewer's own.
  _event(was, is, id, viewer) {
    if (was === is || (was === null && is !== viewer)) return "";
    const own = (player) => player && player === viewer;
    if (own(is)) return this.watching ? `${this.names[is - 1]} has taken ${id}` : `${id} is yours now`;
    if (own(was)) return this.watching ? `${this.names[was - 1]} has lost ${id}` : `${id} is lost`;
    if (is === null) return "";
    return is ? `${this.names[is - 1]} has taken ${id}` : `${id} is neutral now`;
  }
}
