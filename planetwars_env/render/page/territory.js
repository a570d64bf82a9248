// Territory of both players on the ground of a drawing: a glow behind their planets, at the end all over the board;
// edges between two planets of one owner in its colour, and tails of shuttles, as thick as the force.

// The glow is soft, so that a picture of it with fewer pixels serves.
const COARSE = 4;
const GLOW = { reach: 44, seen: 0.4, remembered: 0.15, won: 0.2 };
const TAIL = { length: 42, least: 1.5, most: 11 };

class Territory {
  constructor() {
    this.picture = document.createElement("canvas");
    this.painted = "";
  }

  // ``drawing``: a Drawing whose state is about to be drawn.
  paint(drawing) {
    const { context, view, state, radii, players } = drawing;
    const owners = state.planets.map(ownerNow);
    const key = JSON.stringify([owners, state.winner, view.places, radii, view.width, view.height, players]);
    if (key !== this.painted) this._glow(drawing, owners);
    this.painted = key;
    context.drawImage(this.picture, 0, 0, view.width, view.height);
    this._edges(drawing, owners);
  }

  // It is painted again when a planet changes hands or the window moves.
  _glow({ view, state, players, radii }, owners) {
    this.picture.width = Math.ceil(view.width / COARSE);
    this.picture.height = Math.ceil(view.height / COARSE);
    const context = this.picture.getContext("2d");
    context.scale(this.picture.width / view.width, this.picture.height / view.height);
    if (state.winner) {
      context.globalAlpha = GLOW.won;
      context.fillStyle = players[state.winner];
      context.fillRect(0, 0, view.width, view.height);
    }
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

// Whose planet it is, or was when it was seen last; 0 for nobody's.
function ownerNow({ owner, last }) {
  return owner ?? last?.owner ?? 0;
}
