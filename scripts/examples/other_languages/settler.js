// The settler in JavaScript: settler.py says what it does, docs/languages.md what the messages hold.
// planetwars evaluate "cmd:node settler.js"

const readline = require("node:readline");

let me = 0;
const around = new Map(); // id of a planet: ids of its neighbours

function begin(game) {
  me = game.player;
  game.planets.forEach((planet) => around.set(planet.id, []));
  for (const { a, b } of game.edges) {
    around.get(a).push(b);
    around.get(b).push(a);
  }
}

const population = (planet) => planet.people[0] + planet.people[1];

function takeTurn(view) {
  const visible = new Map(view.planets.map((planet) => [planet.id, planet]));
  const moves = [];
  for (const planet of view.planets.filter((one) => one.owner === me)) {
    const half = Math.floor(planet.people[me - 1] / 2);
    const neighbours = around.get(planet.id).map((id) => visible.get(id));
    const others = neighbours.filter((one) => one.owner !== me);
    if (others.length > 0) {
      const [target] = others.sort((a, b) => population(a) - population(b) || a.id - b.id);
      if (half > population(target)) moves.push([planet.id, target.id, half]);
    } else if (half > 0) {
      const own = neighbours.sort((a, b) => a.id - b.id);
      moves.push([planet.id, own[view.turn % own.length].id, half]);
    }
  }
  return { moves };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  let answer = {};
  if (request.type === "hello") answer = { name: "settler.js" };
  if (request.type === "begin") begin(request);
  if (request.type === "turn") answer = takeTurn(request);
  console.log(JSON.stringify(answer));
});
