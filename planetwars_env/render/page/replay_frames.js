// Frames of a replay (frames.py, replay_data) as states for Drawing. The changes are added up once; then any turn is available.
"use strict";

class ReplayFrames {
  constructor(data) {
    this.data = data;
    this.length = data.frames.length;
    this.totals = [];
    this.shuttles = [];
    this._people = [];
    this._seen = [];
    this._flying = [];
    const people = data.planets.map(() => [0, 0, 0]);
    const visible = data.planets.map(() => 0);
    const flying = new Map();
    let totals = [0, 0, 0, 0, 0, 0];
    for (const frame of data.frames) {
      for (const [planet, ...now] of frame.planets ?? []) people[planet] = now;
      for (const [planet, now] of frame.visible ?? []) visible[planet] = now;
      for (const number of frame.gone ?? []) flying.delete(number);
      for (const [number, now] of frame.visibility ?? []) flying.set(number, now);
      for (const shuttle of frame.launched ?? []) {
        flying.set(this.shuttles.length, shuttle[6]);
        this.shuttles.push(shuttle);
      }
      totals = frame.totals ?? totals;
      this.totals.push(totals);
      this._people.push(people.slice());
      this._seen.push(visible.slice());
      this._flying.push([...flying]);
    }
  }

  // A game that reaches its limit ends on the turn on which the last moves were made.
  turn(number) {
    return Math.min(number + 1, this.data.turns);
  }

  // What ``viewer`` (1, 2, or 0 for all) sees on frame ``number``, counted from 0.
  state(number, viewer) {
    const sees = (mask) => !viewer || (mask & viewer) !== 0;
    const turn = this.turn(number);
    const planets = this._people[number].map(([first, second, owner], i) => {
      if (!sees(this._seen[number][i])) return { visible: false, people: null, radius: null };
      const [size, habitability, base, radius] = this.data.planets[i];
      return { visible: true, people: [first, second], owner, size, habitability, base, radius };
    });
    const shuttles = [];
    for (const [id, mask] of this._flying[number]) {
      if (!sees(mask)) continue;
      const [from, to, player, people, lands, flight] = this.shuttles[id];
      shuttles.push({ from, to, player, people, left: lands - turn, flight });
    }
    return { turn, planets, shuttles };
  }
}
