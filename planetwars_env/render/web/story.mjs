// What decided a game, by its curve *ahead*: for every frame the probability that player 1 wins, in thousandths.

// Frames for which a side must stay ahead, and thousandths over one half that it must reach, to have turned the game.
const TURN = { stays: 8, least: 100 };
// Frames after a turn within which nothing makes its fall good, and the thousandths that such a fall has at least.
const FALL = { lasts: 8, least: 40, most: 3 };

// Frames from which the other player is ahead and stays there: {at, player}.
export function turningPoints(win) {
  const runs = [];
  win.forEach((part, at) => {
    const player = part > 500 ? 1 : part < 500 ? 2 : (runs.at(-1)?.player ?? 0);
    if (runs.at(-1)?.player !== player) runs.push({ at, player, most: 0 });
    Object.assign(runs.at(-1), { most: Math.max(runs.at(-1).most, Math.abs(part - 500)), end: at });
  });
  const lasting = runs.filter(
    ({ at, end, most }) => (end - at >= TURN.stays || end === win.length - 1) && most >= TURN.least,
  );
  return lasting
    .filter(({ player }, i) => i && player !== lasting[i - 1].player)
    .map(({ at, player }) => ({ at, player }));
}

// The turns of ``player`` after which it fell most, and for long: {at, from, to} in order of the falls, in per cent.
export function worstTurns(win, player) {
  const own = win.map((part) => (player === 1 ? part : 1000 - part));
  const falls = own.flatMap((from, at) => {
    const later = own.slice(at + 2, at + 2 + FALL.lasts);
    const to = Math.max(...later);
    return at % 2 === player - 1 && later.length > 2 && from - to >= FALL.least ? [{ at, from, to }] : [];
  });
  const worst = [];
  for (const fall of falls.sort((a, b) => b.from - b.to - (a.from - a.to))) {
    if (worst.length < FALL.most && worst.every(({ at }) => Math.abs(at - fall.at) > FALL.lasts)) worst.push(fall);
  }
  return worst.map(({ at, from, to }) => ({ at, from: Math.round(from / 10), to: Math.round(to / 10) }));
}

// The game in a sentence. ``game``: a RecordedGame that has a winner and a curve; ``names``: of the players, one may be
// "you".
export function storyOf(game, names) {
  const { winner } = game.replay;
  const points = turningPoints(game.win);
  const last = points.findLast(({ player }) => player === winner);
  const name = names[winner - 1];
  if (!last) return `${name} led from the start.`;
  const loser = names[2 - winner];
  const lost = lostAt(game, last.at, winner);
  const took =
    lost === null ? "" : `, then lost #${game.graph.planets[lost][0]}${isHub(game.graph, lost) ? ", the hub" : ""}`;
  return `${loser} led until turn ${game.turn(last.at)}${took}${took ? "" : `, then ${name} did`}.`;
}

// The largest planet that ``winner`` takes from the other player about that frame, null for none.
function lostAt(game, at, winner) {
  let lost = null;
  for (let frame = Math.max(1, at - TURN.stays); frame <= Math.min(game.length - 1, at + TURN.stays); frame++) {
    const [before, now] = [game.state(frame - 1, 0), game.state(frame, 0)];
    now.planets.forEach(({ owner, size }, planet) => {
      const taken = owner === winner && before.planets[planet].owner === 3 - winner;
      if (taken && (lost === null || size > game.planets[lost][0])) lost = planet;
    });
  }
  return lost;
}

// Whether more edges end there than at any other planet.
function isHub({ planets, edges }, planet) {
  const degrees = planets.map((_, p) => edges.filter(([a, b]) => a === p || b === p).length);
  return degrees.every((degree, p) => p === planet || degree < degrees[planet]);
}
