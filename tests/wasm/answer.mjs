// Answers questions of the tests in node: node answer.mjs FOLDER QUESTIONS ANSWERS. FOLDER holds the module, QUESTIONS
// is a JSON list of {do, ...}, ANSWERS gets one answer for each; an Error becomes {error, kind}.
import { readFileSync, writeFileSync } from "node:fs";
import { Answers } from "../../planetwars_env/render/web/answers.mjs";
import { smoothed } from "../../planetwars_env/render/web/chance.mjs";
import { Engine } from "../../planetwars_env/render/web/engine.mjs";
import { checkFits, checkedGraph } from "../../planetwars_env/render/web/graph.mjs";
import { layOut } from "../../planetwars_env/render/web/layout.mjs";
import { Player } from "../../planetwars_env/render/web/recorded_game.mjs";
import { PERSON, Referee } from "../../planetwars_env/render/web/referee.mjs";
import { Session } from "../../planetwars_env/render/web/session.mjs";
import { turningPoints, worstTurns } from "../../planetwars_env/render/web/story.mjs";

const [folder, questions, answers] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(`${folder}/planetwars.wasm.json`, "utf8"));
const engine = await Engine.load(readFileSync(`${folder}/planetwars.wasm`), manifest);
const chances = JSON.parse(readFileSync(`${folder}/win_probability.json`, "utf8"));
const player = new Player({ wasm: readFileSync(`${folder}/planetwars.wasm`, "base64"), manifest, chances });

const DO = {
  graph({ data, rules }) {
    const graph = checkedGraph(data, manifest.limits);
    checkFits(graph, manifest.rules[rules ?? "PLANETWARS"], manifest.limits);
    return graph;
  },

  // A game of bots and agents to its end.
  async game({ setup, agents }) {
    const referee = new Referee(engine, setup, agents);
    while (!referee.over) referee.advance();
    return referee.replay();
  },

  // A game of persons: what is accepted of their moves, and the replay.
  async moves({ setup, moves }) {
    const referee = new Referee(engine, { ...setup, players: [PERSON, PERSON] });
    for (const turn of moves) if (!referee.over) referee.play(turn);
    if (!referee.over) await referee.ask({ do: "give up" });
    const replay = await referee.replay();
    const recorded = await player.read(new TextEncoder().encode(JSON.stringify(replay)));
    const accepted = moves.map((_, at) => (at < replay.moves.length ? recorded._frames[at].accepted : null));
    return { accepted, replay };
  },

  layout({ data }) {
    return layOut(checkedGraph(data, manifest.limits));
  },

  // What the board editor is answered: ``what`` is done with a board or the text of a file, or a ``path`` is asked.
  async editor({ what, path, board, text }) {
    const answers = new Answers({ manifest, graphs: {}, turn_limits: {} });
    if (path) return answers.answer(path, board);
    try {
      return answers[what](text ?? board, "mine.dot");
    } catch ({ message }) {
      return { error: message };
    }
  },

  // A recorded game as its page shows it; ``every``: of how many turns one is asked for.
  async recorded({ replay, every }) {
    const game = await player.read(new TextEncoder().encode(JSON.stringify(replay)));
    const states = Array.from({ length: game.length }, (_, at) => {
      const asked = at % every === 0 || at === game.length - 1;
      return asked ? [0, 1, 2].map((viewer) => game.state(at, viewer)) : null;
    });
    const { win, totals, repetition, moves, console, forfeit, over, turns } = game;
    return { states, win, totals, repetition, moves, console, forfeit, over, turns };
  },

  // The message of a session after each of its steps, [action, argument, ...], and what the step returned. An action is
  // a method of the session, or a message to its referee.
  async session({ setup, steps, agents }) {
    const referee = new Referee(engine, setup, agents, (message) => session.receive(message));
    const session = new Session(engine, (message) => referee.ask(message), agents, { id: referee.id, own: setup.own });
    referee.begin();
    const found = [];
    for (const [action, ...given] of steps) {
      let answer;
      try {
        answer = await (session[action] ? session[action](...given) : referee.ask({ do: action }));
      } catch (fault) {
        answer = { error: fault.message };
      }
      found.push({ answer: answer ?? null, message: session.message() });
    }
    return found;
  },

  // What decided a game, by its curve.
  story({ win }) {
    const worst = [1, 2].map((player) => worstTurns(win, player));
    return { turning: turningPoints(win), worst, smooth: smoothed(win) };
  },

  // What a setup leads to that may be anything.
  try({ setup, moves }) {
    const referee = new Referee(engine, setup);
    return referee.personToMove ? referee.play(moves).player : referee.status();
  },
};

async function answer({ do: what, ...question }) {
  try {
    return await DO[what](question);
  } catch (fault) {
    return { error: fault.message, kind: fault.constructor.name };
  }
}

const found = [];
for (const question of JSON.parse(readFileSync(questions, "utf8"))) found.push(await answer(question));
writeFileSync(answers, JSON.stringify(found));
