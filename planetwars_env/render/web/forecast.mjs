// Forecasts from a view (R9): what the planets in sight will hold if nobody sends anything more.
import { Position, ownerOf } from "./engine.mjs";
import { checkedGraph } from "./graph.mjs";

// The largest number of people that a forecast sends, and the turns that are looked ahead, at most.
const MOST = 1_000_000;
const FARTHEST = 200;

// The forecast from a view of a game on ``setup``'s graph; null on a graph as large as graphs may be, which has no room
// for two more planets.
export function makeForecast(engine, setup, view) {
  const away = Math.max(...view.planets.map(({ id }) => id)) + 1;
  const known = view.planets.map(({ id, size, habitability }) => {
    return { id, size: size ?? 1, habitability: habitability ?? 0 };
  });
  // A planet far away for each player keeps both alive.
  const far = [1, 2].map((base) => ({ id: away + base - 1, size: MOST, habitability: 0, base }));
  const edges = [...view.edges, { a: away, b: away + 1, weight: 1 }];
  try {
    const graph = checkedGraph({ planets: [...known, ...far], edges }, engine.manifest.limits);
    return new Forecast(new Position(engine, graph, setup.rules, null), view);
  } catch {
    return null;
  }
}

class Forecast {
  constructor(position, view) {
    this._position = position;
    this._view = view;
  }

  // The viewer's planets that the shuttles in sight will take from it: [index, turns until then], as they fall.
  falls() {
    const me = this._view.player;
    const own = this._view.planets.flatMap(({ owner }, p) => (owner === me ? [p] : []));
    const ids = new Set(own.map((p) => this._view.planets[p].id));
    const threats = this._view.shuttles.filter(([, destination, player]) => player !== me && ids.has(destination));
    const last = Math.max(0, ...threats.map((shuttle) => shuttle[4]));
    const found = new Map();
    this._suppose();
    for (let turn = 1; turn <= Math.min(last, FARTHEST); turn++) {
      this._position.endTurn();
      const people = this._position.people();
      for (const p of own) if (!found.has(p) && ownerOf(people[p]) !== me) found.set(p, turn);
    }
    return [...found];
  }

  // The forecast of a move of the viewer, null where the fog hides the destination: people of both players there as it
  // lands, without it and with it. ``least``: the fewest people who make the planet the sender's, 0 if it is without
  // them, -1 if no number does.
  outcome([source, destination, people]) {
    const me = this._view.player;
    const target = this._view.planets.findIndex(({ id }) => id === destination);
    if (!this._view.planets[target].visible) return null;
    const { turns } = this._position.edges[this._position.edge(source, destination)];
    const landed = (number) => {
      this._suppose({ [source]: MOST });
      if (number) this._position.send([source, destination, number]);
      return this._wait(turns)[target];
    };
    const takes = (number) => ownerOf(landed(number)) === me;
    let [low, high] = takes(MOST) ? [0, MOST] : [-1, -1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (takes(middle)) high = middle;
      else low = middle + 1;
    }
    return { turns, without: landed(0), after: landed(Math.min(people, MOST)), least: low };
  }

  // The people on every planet after so many turns; ``landing``: whether shuttles land.
  later(turns, landing = true) {
    this._suppose({}, landing ? this._view.shuttles : []);
    return this._wait(turns);
  }

  _wait(turns) {
    for (let turn = 0; turn < turns; turn++) this._position.endTurn();
    return this._position.people();
  }

  // ``more``: people of the viewer on planets, by id, in place of those who are there.
  _suppose(more = {}, shuttles = this._view.shuttles) {
    const side = this._view.player - 1;
    const planets = this._view.planets.map(({ id, people }) => {
      const now = [...(people ?? [0, 0])];
      if (id in more) now[side] = more[id];
      return { people: now };
    });
    const far = [{ people: [1, 0] }, { people: [0, 1] }];
    this._position.suppose({ turn: this._view.turn, planets: [...planets, ...far], shuttles });
  }
}
