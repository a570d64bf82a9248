// Ground of a drawing: stars in the dark, and the territory of both players: a glow behind their planets, at the end
// all over the board; edges between two planets of one owner in its colour, and tails of shuttles, as thick as the
// force.

// The glow is soft, so that a picture of it with fewer pixels serves.
const COARSE = 4;
const GLOW = { reach: 44, seen: 0.4, remembered: 0.15, won: 0.2, rim: 70 };
// Pixels of a tile, and how many stars are in it.
const STARS = { tile: 512, count: 90 };
const TAIL = { length: 42, least: 1.5, most: 11 };

class Territory {
  constructor() {
    this.picture = document.createElement("canvas");
    this.glow = document.createElement("canvas");
    this.painted = "";
  }

  // ``drawing``: a Drawing whose state is about to be drawn. The ground is painted again when a planet changes hands or
  // the window moves.
  paint(drawing) {
    const { context, view, state, radii, players, colours, canvas } = drawing;
    // Whose planets they are, or were when they were seen last; 0 for nobody's.
    const owners = state.planets.map(({ owner, last }) => owner ?? last?.owner ?? 0);
    const ground = [colours.ground, state.winner, view.places, radii, canvas.width, canvas.height, players, owners];
    const key = JSON.stringify(ground);
    if (key !== this.painted) this._ground(drawing, owners);
    this.painted = key;
    context.drawImage(this.picture, 0, 0, view.width, view.height);
    this._edges(drawing, owners);
  }

  _ground({ canvas, view, state, players, radii, colours, sky }, owners) {
    const { width, height } = Object.assign(this.picture, { width: canvas.width, height: canvas.height });
    const context = this.picture.getContext("2d");
    for (const fill of [colours.ground, ...(sky ? [context.createPattern(sky, "repeat")] : [])]) {
      context.fillStyle = fill;
      context.fillRect(0, 0, width, height);
    }
    if (state.winner) {
      context.globalAlpha = GLOW.won;
      context.fillStyle = players[state.winner];
      context.fillRect(0, 0, width, height);
      context.globalAlpha = 1;
    }
    this._glow({ view, state, players, radii }, owners);
    context.drawImage(this.glow, 0, 0, width, height);
  }

  _glow({ view, state, players, radii }, owners) {
    this.glow.width = Math.ceil(view.width / COARSE);
    this.glow.height = Math.ceil(view.height / COARSE);
    const context = this.glow.getContext("2d");
    context.scale(this.glow.width / view.width, this.glow.height / view.height);
    owners.forEach((owner, i) => {
      if (!owner) return;
      const [x, y] = view.places[i];
      const far = 2.2 * radii[i] + GLOW.reach * view.scale;
      const light = context.createRadialGradient(x, y, 0, x, y, far);
      light.addColorStop(0, players[owner]);
      light.addColorStop(1, `${players[owner]}00`);
      context.globalAlpha = state.planets[i].people ? GLOW.seen : GLOW.remembered;
      context.fillStyle = light;
      context.fillRect(x - far, y - far, 2 * far, 2 * far);
    });
    this._fade(context, view.width, view.height);
  }

  // Towards the rim, so that no glow is cut off there.
  _fade(context, width, height) {
    context.globalCompositeOperation = "destination-out";
    context.globalAlpha = 1;
    const rims = [[0, 0, 1, 0], [width, 0, -1, 0], [0, 0, 0, 1], [0, height, 0, -1]];
    for (const [x, y, dx, dy] of rims) {
      const dark = context.createLinearGradient(x, y, x + dx * GLOW.rim, y + dy * GLOW.rim);
      for (const [at, part] of [[0, 1], [0.3, 0.65], [0.65, 0.2], [1, 0]]) dark.addColorStop(at, `rgb(0 0 0 / ${part})`);
      context.fillStyle = dark;
      context.fillRect(0, 0, width, height);
    }
  }

  _edges({ context, view, graph, players, colours }, owners) {
    const ways = [[], [], []];
    for (const [a, b] of graph.edges) ways[owners[a] === owners[b] ? owners[a] : 0].push([a, b]);
    ways.forEach((edges, owner) => {
      context.strokeStyle = owner ? players[owner] : colours.line;
      context.globalAlpha = owner ? 0.75 : 1;
      context.lineWidth = owner ? 2 : 1.2;
      context.beginPath();
      for (const [a, b] of edges) {
        context.moveTo(...view.places[a]);
        context.lineTo(...view.places[b]);
      }
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  // ``marks``: of shuttleMarks.
  tails({ context, view, players, radii }, marks) {
    context.lineCap = "round";
    for (const { x, y, way, ships, from, player, people } of marks) {
      const length = Math.min(TAIL.length * view.scale, ships[0].at - radii[from]);
      const end = [x - way.ux * length, y - way.uy * length];
      const light = context.createLinearGradient(...end, x, y);
      light.addColorStop(0, `${players[player]}00`);
      light.addColorStop(1, players[player]);
      context.strokeStyle = light;
      context.lineWidth = Math.min(TAIL.most, TAIL.least + Math.sqrt(people) / 3) * view.scale;
      context.beginPath();
      context.moveTo(...end);
      context.lineTo(x, y);
      context.stroke();
    }
    context.lineCap = "butt";
  }
}

// A tile of stars, the same on every board.
function starTile(colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = STARS.tile;
  const sky = tile.getContext("2d");
  sky.fillStyle = colour;
  for (let star = 1; star <= STARS.count; star++) {
    const [x, y, bright] = [12.9898, 78.233, 37.719].map((step) => Math.abs(43758.5453 * Math.sin(star * step)) % 1);
    sky.globalAlpha = 0.15 + 0.5 * bright ** 2;
    sky.beginPath();
    sky.arc(x * STARS.tile, y * STARS.tile, 0.5 + 0.9 * bright ** 5, 0, 2 * Math.PI);
    sky.fill();
  }
  return tile;
}
