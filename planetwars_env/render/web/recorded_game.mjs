// A recorded game as the pages show it: its moves are played again in the module, as far as somebody looks, with what
// each player saw. Only a few numbers per turn are kept; the chance to win and sentences come when they are asked for.
import { aheadOf, countsOf } from "./chance.mjs";
import { Engine, Position, ownerOf } from "./engine.mjs";
import { checkFits, withCommas } from "./graph.mjs";
import { layOut, radiusOf } from "./layout.mjs";
import { addressOf, fromBase64, packed, unpacked } from "./packing.mjs";
import { ReplayError, readReplay } from "./replay_file.mjs";
import { storyOf, turningPoints, worstTurns } from "./story.mjs";

// The bytes of a file as `Player.unpack` takes them.
export const pack = packed;
const TIMES = 3; // a position that occurs so often is told
// For which a move is dropped (R8): the first one that holds.
const REASONS = [
  "no edge joins the planets",
  "less than one person",
  "nobody of the player's on the planet",
  "more people than are there",
];
const NOTHING = { people: null, owner: null, size: null, habitability: null, base: null, radius: null };
const HIDDEN = { visible: false, ...NOTHING };

// What plays games again. ``wasm``: packed, and compiled while games are read; ``chances``: win_probability.json.
export class Player {
  constructor({ wasm, manifest, chances }) {
    this.manifest = manifest;
    this._engine = unpacked(wasm).then((bytes) => Engine.load(bytes, manifest, chances));
  }

  // ``replay``: packed.
  async unpack(replay) {
    return this.read(fromBase64(replay));
  }

  // ``bytes``: of a replay's file.
  async read(bytes) {
    const replay = await readReplay(bytes, this.manifest);
    return new RecordedGame(await this._engine, replay, layOut(replay.graph));
  }
}

// ``replay``: checked, {graph, rules, players, max_turns, moves, winner, cut_off, forfeit, console}; ``drawn``: its
// graph as `layOut` has it.
export class RecordedGame {
  constructor(engine, replay, drawn) {
    const { graph, rules, max_turns: maxTurns } = replay;
    this.replay = replay;
    this.graph = drawn;
    this._weights = engine.chances[rules.name];
    this._last = maxTurns ?? rules.max_turns; // turn, or null
    this._win = this._console = this._repetition = null;
    this._index = new Map(graph.planets.map(({ id }, p) => [id, p]));
    this._ways = new Map();
    for (const { a, b, weight } of graph.edges) {
      this._ways.set(`${a} ${b}`, weight * rules.turns_per_weight);
      this._ways.set(`${b} ${a}`, weight * rules.turns_per_weight);
    }
    const { radii, limits } = engine.manifest;
    this.planets = graph.planets.map(({ size, habitability, base }) => {
      return [size, habitability, base, radiusOf(size, radii)];
    });
    checkFits(graph, rules, limits);
    this.position = new Position(engine, graph, rules, this._last);
    this.position.endTurn();
    this._played = [];
    this._frame(0);
  }

  // The turns before frame ``at`` with these players, as the address of the page to play on has a game (kept_game.mjs).
  forAddress(at, players) {
    const { graph, rules, max_turns, moves } = this.replay;
    return addressOf({ graph, rules, players, seed: 0, max_turns, moves: moves.slice(0, at) });
  }

  get length() {
    return this.replay.moves.length + 1;
  }

  // A turn that has just been played: these moves were made on it.
  push(moves) {
    const frame = this._frame(this.length - 1);
    this.replay.moves.push(moves);
    this._carryOut(frame, this.length - 2);
    this._win = this._repetition = null;
    this._frame(this.length - 1);
  }

  // The game has ended so.
  end(winner, cut_off) {
    Object.assign(this.replay, { winner, cut_off });
    this._win = null;
  }

  // Whether the rules had ended the game before frame ``at``.
  overAt(at) {
    return this._frame(at).over;
  }

  // A frame, for which the game is played again as far as that. {over, people, visible: for each planet who sees it (1,
  // 2, 3 for both), counts: chance.mjs, flying, leaving: shuttles that take off, accepted: which moves were legal}.
  _frame(at) {
    while (this._played.length <= at) {
      const next = this._played.length;
      const before = this._played.at(-1);
      const { over, people, visible } = this._look();
      const flown = [...(before?.flying ?? []), ...(before?.leaving ?? [])];
      const flying = flown.filter(({ lands }) => lands > this.turn(next));
      const counts = countsOf(this.replay.graph.planets, people, flying.map((one) => [one.player, one.people]));
      const frame = { over, people, visible, counts, flying, leaving: [], accepted: [] };
      if (next < this.replay.moves.length) this._carryOut(frame, next);
      this._played.push(frame);
    }
    return this._played[at];
  }

  // ReplayError for a game that has moves after its end.
  check() {
    this._frame(this.length - 1);
  }

  // All frames.
  get _frames() {
    this.check();
    return this._played;
  }

  _look() {
    const { position } = this;
    const [one, two] = [position.visible(1), position.visible(2)];
    const visible = one.map((seen, p) => Number(seen) + 2 * Number(two[p]));
    return { over: position.over, people: position.people(), visible };
  }

  _carryOut(frame, at) {
    const { moves } = this.replay;
    if (frame.over) {
      const had = `but the replay has ${moves.length} turns of moves`;
      throw new ReplayError(`the game is over on turn ${this.turn(at)}, ${had}`);
    }
    const accepted = moves[at].map((move) => this.position.send(move));
    const launched = moves[at].length ? this.position.launched() : [];
    this.position.endTurn();
    // Shuttles that take off on this turn, one for each directed edge.
    const leaving = launched.map(([source, destination, people]) => {
      const flight = this._ways.get(`${source} ${destination}`);
      const [from, to] = [this._index.get(source), this._index.get(destination)];
      return { from, to, player: 1 + (at % 2), people, lands: at + 1 + flight, flight };
    });
    Object.assign(frame, { accepted, leaving });
  }

  // Of a frame, counted from 0; beside a longer game the last one stays.
  turn(number) {
    return Math.min(number + 1, this.length, this._last ?? Infinity);
  }

  get turns() {
    return this.turn(this.length - 1);
  }

  // Of every frame [people of 1, of 2, planets of 1, of 2, growth of 1, of 2].
  get totals() {
    return this._frames.map(({ counts }) => counts.slice(0, 3).flat());
  }

  // What ``viewer`` (1, 2, or 0 for all) sees on frame ``number``, counted from 0, as drawing.js takes it.
  state(number, viewer) {
    const { people, visible, flying, leaving } = this._frame(number);
    const sees = (mask) => !viewer || (mask & viewer) !== 0;
    const turn = this.turn(number);
    const planets = people.map((there, p) => {
      if (!sees(visible[p])) return HIDDEN;
      const [size, habitability, base, radius] = this.planets[p];
      return { visible: true, people: [...there], owner: ownerOf(there), size, habitability, base, radius };
    });
    const shown = (shuttles, mask) => {
      return shuttles.filter((one) => sees(mask(one))).map(({ lands, ...one }) => ({ ...one, left: lands - turn }));
    };
    // A player knows its own orders, but not whether anybody leaves a hidden planet; others see who lands in sight.
    const shuttles = [
      ...shown(flying, ({ to }) => visible[to]),
      ...shown(leaving, ({ player, from }) => player & visible[from]),
    ];
    return { turn, planets, shuttles };
  }

  get over() {
    const { winner, cut_off } = this.replay;
    return Boolean(winner || cut_off) || this._frames.at(-1).over;
  }

  // The probability that player 1 wins, on each frame, in thousandths: the mean of both players' last turns. Empty for
  // rules without coefficients.
  get win() {
    if (!this._weights) return [];
    this._win ??= aheadOf(this._frames.map(({ counts }) => counts), this._weights, this.replay.winner);
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
    const running = this._frames.filter(({ over }) => !over);
    for (const [at, { people, flying }] of running.entries()) {
      const turn = at + 1;
      const there = flying.map(({ from, to, people: number, lands }) => `${from},${to},${number},${lands - turn}`);
      const key = `${turn % 2}|${people.join()}|${there.join(";")}`;
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
    const { players } = this.replay;
    return players.map((name, i) => this.told(i + 1, `${name} (player ${i + 1})`)).filter(Boolean);
  }

  // The same of one player, whatever it is called.
  told(player, name) {
    const dropped = REASONS.map(() => 0);
    let sent = 0;
    this._frames.slice(0, -1).forEach(({ people, accepted }, at) => {
      if (1 + (at % 2) !== player) return;
      const moves = this.replay.moves[at];
      sent += moves.length;
      moves.forEach(([source, destination, number], i) => {
        if (accepted[i]) return;
        const joined = this._ways.has(`${source} ${destination}`);
        const there = () => people[this._index.get(source)][player - 1];
        dropped[!joined ? 0 : number < 1 ? 1 : there() ? 3 : 2]++;
      });
    });
    return describeMoves(name, sent, dropped);
  }
}

// One sentence on the moves of ``name``; empty where it sent none. ``dropped``: by reason.
function describeMoves(name, sent, dropped) {
  if (!sent) return "";
  const lost = dropped.reduce((sum, count) => sum + count, 0);
  const said = dropped.map((count, i) => (count ? `${withCommas(count)}: ${REASONS[i]}` : ""));
  const reasons = said.filter(Boolean).join("; ");
  if (lost === sent) return `None of the ${withCommas(sent)} moves of ${name} is legal, so it never moved (${reasons})`;
  const told = lost ? `${withCommas(lost)} ${lost === 1 ? "was" : "were"} dropped (${reasons})` : "none was dropped";
  return `${name} sent ${withCommas(sent)} ${sent === 1 ? "move" : "moves"}; ${told}`;
}
