// Events of a replay, as far as a viewer sees them: planets that change hands, attacks that fail, turns of the game.

// {at, kind, player, planet, text, lost} in order of time; kind: taken (from the opponent), base (the same, of a base),
// settled, left, held, turn (of the game), end. ``player``: to whose advantage; 0: nobody's. ``lost``: in a battle,
// [player, people]; else null. Every word follows from the viewer's own states.
function replayEvents(game, viewer, end) {
  const found = [];
  for (let at = 1; at < game.length; at++) found.push(...planetEventsAt(game, at, viewer));
  for (const { at, player } of viewer ? [] : game.turningPoints) {
    const text = `the game turns: from here on ${game.replay.players[player - 1]} is ahead`;
    found.push({ at, kind: "turn", player, planet: null, text });
  }
  found.push({ at: game.length - 1, kind: "end", player: game.replay.winner, planet: null, text: end });
  return found.sort((one, other) => one.at - other.at);
}

// Those of planets on one frame.
function planetEventsAt(game, at, viewer) {
  if (!at) return [];
  const [before, now] = [game.state(at - 1, viewer), game.state(at, viewer)];
  const found = now.planets.flatMap((_, planet) => planetEvents(game, before, now, planet, viewer));
  return found.map((one) => ({ at, ...one }));
}

// Those worth a jump and a mark.
function isMarked({ kind }) {
  return ["taken", "base", "turn", "end"].includes(kind);
}

function planetEvents({ graph, planets, replay: { players, rules } }, before, now, planet, viewer) {
  const was = ownerOf(before.planets[planet]);
  const is = ownerOf(now.planets[planet]);
  const name = `#${graph.planets[planet][0]}`;
  const base = planets[planet][2] === was;
  const landed = (player) =>
    before.shuttles
      .filter((one) => one.to === planet && one.left === 1 && one.player === player)
      .reduce((sum, one) => sum + one.people, 0);
  const event = (kind, player, text, lost = null) => [{ kind, player, planet, text, lost }];
  if (was === is) {
    const people = was && !rules.coexistence ? landed(3 - was) : 0;
    const left = people && now.planets[planet].people[was - 1];
    const text = `${players[was - 1]} holds ${name} against ${people}, ${left} left`;
    return people ? event("held", was, text, [3 - was, people]) : [];
  }
  // A planet that comes into sight or leaves it has not changed its owner, unless it is or was the viewer's own.
  const fallen = base ? "base" : "taken";
  if (is === undefined) return was === viewer ? event(fallen, 3 - was, `${players[was - 1]} loses ${name}`) : [];
  if (was === undefined && is !== viewer) return [];
  if (!is) return event("left", 0, `${name} of ${players[was - 1]} is neutral now`);
  const force = landed(is) ? ` with ${landed(is)}` : "";
  if (!was) return event("settled", is, `${players[is - 1]} takes ${name}${force}`);
  const called = base ? `${name}, the base of ${players[was - 1]}${force && ","}` : `${name} from ${players[was - 1]}`;
  // Where both live on a planet, its old owner's people go on living there.
  const lost = rules.coexistence ? null : [was, before.planets[planet].people[was - 1]];
  return event(fallen, is, `${players[is - 1]} takes ${called}${force}`, lost);
}

// 1, 2, 0 for nobody; undefined: out of sight.
function ownerOf(planet) {
  return planet.visible ? planet.owner : undefined;
}

// List of events; that of the turn that is shown is in sight, and later ones are pale.
class EventList {
  constructor(list, turnOf, onSeek) {
    this.list = list;
    this.turnOf = turnOf;
    this.onSeek = onSeek;
    this.rows = [];
  }

  fill(events) {
    this.rows = events.map((event) => ({ at: event.at, row: this._row(event) }));
    this.list.replaceChildren(...this.rows.map(({ row }) => row));
    this.latest = undefined;
  }

  show(at) {
    const latest = this.rows.filter((one) => one.at <= at).length;
    if (latest === this.latest && at === this.at) return;
    this.rows.forEach(({ row, at: when }, i) => {
      row.classList.toggle("later", i >= latest);
      row.toggleAttribute("aria-current", when === at);
    });
    this.latest = latest;
    this.at = at;
    const row = this.rows[Math.max(0, latest - 1)]?.row;
    if (row) this.list.scrollTop = row.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
  }

  _row(event) {
    const text = made("span", ["", "one", "two"][event.player], event.text);
    const button = made("button", isMarked(event) ? "marked" : "", made("b", "", this.turnOf(event.at)), text);
    button.tabIndex = -1;
    button.addEventListener("click", () => this.onSeek(event.at));
    return made("li", "", button);
  }
}
