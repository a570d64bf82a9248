// A recorded game as the pages show it: its moves are played again in the module, and every turn is then available,
// with what each player saw. Only a few numbers per turn are kept; the chance to win and sentences come when they are
// asked for.
import { aheadOf, countsOf } from "./chance.mjs";
import { Engine, Position, ownerOf } from "./engine.mjs";
import { checkFits } from "./graph.mjs";
import { UNKNOWN_RADIUS, layOut, radiusOf } from "./layout.mjs";
import { MoveCounts } from "./move_counts.mjs";
import { fromBase64, packed, unpacked } from "./packing.mjs";
import { ReplayError, readReplay } from "./replay_file.mjs";
import { storyOf, turningPoints, worstTurns } from "./story.mjs";

// The bytes of a file as `Player.unpack` takes them.
export const pack = packed;
const TIMES = 3; // a position that occurs so often is told

// What plays games again. ``wasm``: packed, and compiled while games are read; ``chances``: win_probability.json.
export class Player {
  constructor({ wasm, manifest, chances }) {
    this.manifest = manifest;
    this.chances = chances;
    this._engine = unpacked(wasm).then((bytes) => Engine.load(bytes, manifest));
  }

  // ``replay``: packed; ``positions``: what pages.py wrote of a game that the module cannot hold, or null.
  async unpack(replay, positions = null) {
    return this.read(fromBase64(replay), positions);
  }

  // ``bytes``: of a replay's file.
  async read(bytes, positions = null) {
    const replay = await readReplay(bytes, this.manifest);
    const graph = layOut(replay.graph);
    return new RecordedGame(await this._engine, this.chances, replay, graph, positions);
  }
}

// ``replay``: checked; ``drawn``: its graph as `layOut` has it; ``positions``: those of every turn, where the module
// cannot hold the game.
export class RecordedGame {
  constructor(engine, chances, replay, drawn, positions = null) {
    const { graph, rules } = replay;
    this.replay = replay;
    this._weights = chances[rules.name];
    this._win = null;
    this._console = null;
    this._repetition = null;
    this._told = null;
    this._index = new Map(graph.planets.map(({ id }, p) => [id, p]));
    this._ways = new Map();
    for (const { a, b, weight } of graph.edges) {
      this._ways.set(`${a} ${b}`, weight * rules.turns_per_weight);
      this._ways.set(`${b} ${a}`, weight * rules.turns_per_weight);
    }
    const { radii } = engine.manifest;
    this.planets = graph.planets.map(({ size, habitability, base }) => {
      return [size, habitability, base, radiusOf(size, radii)];
    });
    this.graph = drawn;
    this._frames = positions ?? playedAgain(engine, replay);
    this.length = this._frames.length;
    this._addUp();
  }

  // Shuttles by the turns on which they fly, and totals: [people of 1, of 2, planets of 1, of 2, growth of 1, of 2].
  _addUp() {
    this.shuttles = [];
    this.totals = [];
    this._counts = [];
    this._flying = [];
    let flying = [];
    this._frames.forEach(({ people }, at) => {
      const turn = this.turn(at);
      flying = flying.filter((shuttle) => shuttle.lands > turn);
      const counts = countsOf(this.replay.graph.planets, people, flying.map((one) => [one.player, one.people]));
      this._counts.push(counts);
      this.totals.push(counts.slice(0, 3).flat());
      const leaving = this._leaving(at);
      this.shuttles.push(...leaving);
      flying = [...flying, ...leaving];
      this._flying.push(flying);
    });
  }

  // Shuttles that take off on this turn, one for each directed edge.
  _leaving(at) {
    return this._frames[at].launched.map(([source, destination, people]) => {
      const flight = this._ways.get(`${source} ${destination}`);
      const [from, to] = [this._index.get(source), this._index.get(destination)];
      return { from, to, player: 1 + (at % 2), people, lands: at + 1 + flight, flight };
    });
  }

  // Of a frame, counted from 0; beside a longer game the last one stays.
  turn(number) {
    return this._frames[Math.min(number, this.length - 1)].turn;
  }

  get turns() {
    return this._frames.at(-1).turn;
  }

  // What ``viewer`` (1, 2, or 0 for all) sees on frame ``number``, counted from 0, as drawing.js takes it.
  state(number, viewer) {
    const { people, visible } = this._frames[number];
    const sees = (mask) => !viewer || (mask & viewer) !== 0;
    const turn = this.turn(number);
    const planets = people.map((there, p) => {
      if (!sees(visible[p])) return { visible: false, people: null, radius: null };
      const [size, habitability, base, radius] = this.planets[p];
      return { visible: true, people: [...there], owner: ownerOf(there), size, habitability, base, radius };
    });
    const shuttles = [];
    for (const { lands, ...shuttle } of this._flying[number]) {
      const left = lands - turn;
      const leaves = left === shuttle.flight && number < this.length - 1;
      // A player knows its own orders, but not whether anybody leaves a hidden planet; others see who lands in sight.
      const mask = leaves ? shuttle.player & visible[shuttle.from] : visible[shuttle.to];
      if (sees(mask)) shuttles.push({ ...shuttle, left });
    }
    return { turn, planets, shuttles };
  }

  get over() {
    const { winner, cut_off } = this.replay;
    return Boolean(winner || cut_off) || this._frames.at(-1).over;
  }

  // The probability that player 1 wins, on each frame, in thousandths: the mean of both players' last turns. Empty for
  // rules without coefficients.
  get win() {
    const weights = this._weights;
    if (!weights) return [];
    this._win ??= aheadOf(this._counts, weights, this.replay.winner);
    return this._win;
  }

  // As of story.mjs.
  get turningPoints() {
    return turningPoints(this.win);
  }

  worstTurns(player) {
    return worstTurns(this.win, player);
  }

  // A sentence; empty for a game without a winner, or rules without a curve.
  story(names) {
    return this.replay.winner && this.win.length ? storyOf(this, names) : "";
  }

  // What strategies told, with the marks on planets of the graph, by index.
  get console() {
    this._console ??= this.replay.console.map((notes) => {
      const marks = notes.marks.filter(([planet]) => this._index.has(planet));
      return { ...notes, marks: marks.map(([planet, text]) => [this._index.get(planet), text]) };
    });
    return this._console;
  }

  get forfeit() {
    const { forfeit, winner, turns, players } = this.replay;
    if (!forfeit) return "";
    const name = (player) => (player ? `${players[player - 1]} (player ${player})` : "both players");
    return `${winner ? `${name(winner)} wins: ` : ""}${name(forfeit[0])} forfeited on turn ${turns}: ${forfeit[1]}`;
  }

  // A sentence on the first position that occurred three times; empty if none did.
  get repetition() {
    this._repetition ??= this._repeated();
    return this._repetition;
  }

  _repeated() {
    const turns = new Map();
    for (let at = 0; at < this.length && !this._frames[at].over; at++) {
      const turn = at + 1;
      const flying = this._flying[at].filter(({ lands, flight }) => lands - turn < flight);
      const there = flying.map(({ from, to, people, lands }) => `${from},${to},${people},${lands - turn}`);
      const key = `${turn % 2}|${this._frames[at].people.join()}|${there.join(";")}`;
      const same = turns.get(key) ?? [];
      turns.set(key, same);
      same.push(turn);
      if (same.length === TIMES) {
        const player = turn % 2 ? 1 : 2;
        const said = `${this.replay.players[player - 1]} (player ${player}) was to move in the same position`;
        return `${said} on turns ${same[0]}, ${same[1]} and ${same[2]}`;
      }
    }
    return "";
  }

  // A sentence per player on the moves that it sent, and on those that were dropped.
  get moves() {
    this._told ??= [1, 2].flatMap((player) => {
      const { players, graph, moves } = this.replay;
      const accounts = moves.flatMap((turn, at) => {
        if (at % 2 === player % 2) return [];
        const { people, accepted } = this._frames[at];
        const planets = accepted.every(Boolean) ? [] : graph.planets.map(({ id }, p) => ({ id, people: people[p] }));
        return [{ player, views: { 0: { view: { edges: graph.edges, planets }, moves: turn, accepted } } }];
      });
      return [MoveCounts.of(accounts).describe(`${players[player - 1]} (player ${player})`)].filter(Boolean);
    });
    return this._told;
  }
}

// By turns, and at the end: the turn, whether the game is over, people, for each planet who sees it (1, 2, 3 for both),
// which moves were legal, and what they launched: [source, destination, people].
function playedAgain(engine, { graph, rules, max_turns, moves }) {
  checkFits(graph, rules, engine.manifest.limits);
  const position = new Position(engine, graph, rules, max_turns ?? rules.max_turns);
  position.endTurn();
  const frames = [];
  const keep = (ordered) => {
    const { turn, over } = position;
    const [one, two] = [position.visible(1), position.visible(2)];
    const visible = one.map((seen, p) => Number(seen) + 2 * Number(two[p]));
    const people = position.people();
    const accepted = ordered.map((move) => position.send(move));
    frames.push({ turn, over, people, visible, accepted, launched: ordered.length ? position.launched() : [] });
  };
  for (const turn of moves) {
    if (position.over) {
      const had = `but the replay has ${moves.length} turns of moves`;
      throw new ReplayError(`the game is over on turn ${position.turn}, ${had}`);
    }
    keep(turn);
    position.endTurn();
  }
  keep([]);
  return frames;
}
