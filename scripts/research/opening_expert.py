"""Teaches an agent with two sends the openings of an expert: python -m scripts.research.opening_expert runs/opening

The expert sees the whole board, which no player does. It changes a turn's sends one by one, plays every change on by a simple
rule beside an opponent that never moves, and keeps those that leave more people (docs/experiments/two-sends.md).
"""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from torch import Tensor

import planetwars_env as pw
from planetwars_env.arena.games import open_player
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.codec.actions import carry_out_turn, number_sent
from planetwars_env.codec.layout import FRACTION_COUNT, PLANET_SLOTS
from planetwars_env.codec.limits import CLASSIC, FRACTIONS
from planetwars_env.codec.one_game import OneGameCodec
from planetwars_env.engine import columns
from planetwars_env.engine.kernel import kernel, part
from planetwars_env.engine.state import Array, Board, State, copy_game
from planetwars_env.engine.turn import end_turn, player_to_move, send
from planetwars_env.engine.visibility import owns
from planetwars_env.learn.agent import Agent, load_weights, save_agent
from planetwars_env.learn.config import load_config
from scripts.research.opening_growth import growths, means

CONFIG = Path(__file__).with_name("two-sends.yaml")
HORIZON, SWEEPS, FAR = 10, 2, 3
"""Turns that a change is played on; rounds of changes; from so many turns to the opponent on, planets are left alone."""
OPENING, LATER, GAMES = 11, 45, 250
"""Own turns of the games with the expert; of those without; games side by side."""
LED = 0.7, 0.3, 0.0
"""Part of the games in which the expert's sends are carried out, in each round; in the others those of the learner."""
SURE = 0.9
"""Probability of the expert's choice in what is learned."""


@kernel
def improve(state, board, codec, players, seen, actions, space, front):
    """Change ``actions`` [N, 2 P] of games that run, planet by planet, where the player has more people in the end."""
    planets, fractions = codec.sizes[PLANET_SLOTS], codec.sizes[FRACTION_COUNT]
    for g in range(players.shape[0]):
        me, b = players[g], state.status[g, columns.BOARD]
        offsets = board.edge_offsets[b]
        _measure_front(state, board, g, 1 - me, front[g])
        best = _worth(state, board, codec, g, me, seen, actions, space)
        for _ in range(SWEEPS):
            for p in range(board.info[b, columns.PLANETS]):
                if front[g, p] <= FAR or not owns(state, g, me, p):
                    continue
                for slot in range(planets + p, -1, -planets):
                    found = actions[g, slot]
                    for choice in range(1 + (offsets[p + 1] - offsets[p]) * fractions):
                        k, people = (choice - 1) % fractions, state.people[g, me, p]
                        if choice > 0 and k > 0 and number_sent(codec, k, people) == number_sent(codec, k - 1, people):
                            continue
                        actions[g, slot] = choice
                        worth = _worth(state, board, codec, g, me, seen, actions, space)
                        if worth > best:
                            best, found = worth, choice
                    actions[g, slot] = found


@part
def _measure_front(state, board, g, opponent, front):
    """Turns from every planet to the nearest that the opponent has or flies to; beyond FAR: any larger number."""
    b = state.status[g, columns.BOARD]
    for p in range(board.info[b, columns.PLANETS]):
        reached = state.people[g, opponent, p] > 0 or _incoming(state, g, opponent, p) > 0
        front[p] = 0 if reached else FAR + 1
    for _ in range(FAR):
        for e in range(board.info[b, columns.EDGES]):
            source, target = board.edges[b, columns.SOURCE, e], board.edges[b, columns.TARGET, e]
            front[source] = min(front[source], front[target] + board.edges[b, columns.TURNS, e])


@part
def _worth(state, board, codec, g, me, seen, actions, space):
    """People after `HORIZON` turns, four times those on the way there in the mean, and two turns' births."""
    copy_game(state, g, space, 0)
    carry_out_turn(space, board, codec, 0, me, actions, g, seen, g)
    end_turn(space, board, 0)
    total, now = 0.0, 0.0
    for _ in range(HORIZON):
        if player_to_move(space, 0) == me:
            _spread(space, board, me)
        end_turn(space, board, 0)
        now = float(space.totals[0, columns.PEOPLE_1 + me]) + float(space.totals[0, columns.FLYING_1 + me])
        total += now
    births, b = 0.0, space.status[0, columns.BOARD]
    for p in range(board.info[b, columns.PLANETS]):
        people = space.people[0, me, p]
        if people > 0:
            births += min(float(board.planets[b, columns.SIZE, p]), np.ceil(people * board.growth[b, p])) - people
    return 4 * total / HORIZON + now + 2 * births


@part
def _spread(space, board, me):
    """One person to each free neighbour, the nearest first, while one stays."""
    b = space.status[0, columns.BOARD]
    for p in range(board.info[b, columns.PLANETS]):
        for weight in range(1, FAR + 2):
            for e in range(board.edge_offsets[b, p], board.edge_offsets[b, p + 1]):
                q = board.edges[b, columns.TARGET, e]
                near = min(board.edges[b, columns.WEIGHT, e], FAR + 1) == weight
                free = space.people[0, 0, q] + space.people[0, 1, q] == 0 and _incoming(space, 0, me, q) == 0
                if near and free and space.people[0, me, p] > 1:
                    send(space, board, 0, me, e, 1)


@part
def _incoming(state, g, player, p):
    people = 0
    for slot in range(state.arrivals.shape[1]):
        people += state.arrivals[g, slot, player, p]
    return people


def expert_turn(state: State, board: Board, codec: Any, players: Array, seen: Array, actions: Array) -> Array:
    """Return the expert's actions [N, 2 P], beginning with ``actions``, and where it leaves planets alone [N, P] bool."""
    space = State(*(np.zeros((1, *array.shape[1:]), array.dtype) for array in state))
    front = np.zeros((len(players), codec.sizes[PLANET_SLOTS]), np.int32)
    improve(state, board, codec, players, seen, actions, space, front)
    return front <= FAR


def collected(agent: Agent, led: float, seed: int, turns: int) -> dict[str, Array]:
    """Return positions of games on ``train`` with the probabilities to learn; without an expert after `OPENING` own turns."""
    rng, kept = np.random.default_rng(seed), []
    pool = pw.load_pool("train")
    for first in range(0, len(pool), GAMES // 2):
        graphs = pool[first : first + GAMES // 2]
        more: dict[str, Any] = {"graphs": graphs, "observation": "tensors", "sends": 2, "autoreset_mode": "disabled"}
        games = pw.make_vec(num_envs=2 * len(graphs), opponent=["noop", "graph-planetwars", "ai3"], **more)
        games.unwrapped.set_opponents(weights=[0.5, 0.3, 0.2])
        places = {"graph": np.repeat(np.arange(len(graphs)), 2), "player": np.tile([1, 2], len(graphs))}
        observation, _ = games.reset(seed=seed + first, options=places)
        batch, leads = games.unwrapped._batch, rng.random(2 * len(graphs)) < led
        for turn in range(turns):
            probabilities = agent.probabilities(observation)
            actions = probabilities.argmax(2)
            if turn < OPENING:
                expert, seen = actions.copy(), batch.observation()
                alone = expert_turn(batch.state, batch.board, batch.codec, batch.players.copy(), seen, expert)
                game, slot = np.nonzero(np.tile(~alone, 2) & (probabilities[..., 0] < 1))
                probabilities[game, slot] *= 1 - SURE
                probabilities[game, slot, expert[game, slot]] += SURE
                actions = np.where(leads[:, None], expert, actions)
            if turn < OPENING or turn % 6 == 0:
                part = {name: np.array(array) for name, array in observation.items()}
                kept.append({**part, "wanted": probabilities.astype(np.float16)})
            observation, *_ = games.step(actions)
    return joined(kept)


def joined(parts: list[dict[str, Array]]) -> dict[str, Array]:
    """Return positions of several parts as one."""
    return {name: np.concatenate([one[name] for one in parts]) for name in parts[0]}


def learn(agent: Agent, start: str, positions: dict[str, Array], passes: int, seed: int) -> None:
    """Give ``agent`` the weights of ``start``, and train it on ``positions``; its values stay those of ``start``."""
    torch.manual_seed(seed)
    load_weights(agent.network, start)
    before = Agent("before", agent.config)
    load_weights(before.network, start)
    rng, count = np.random.default_rng(seed), len(positions["wanted"])
    optimizer, steps = torch.optim.Adam(agent.network.parameters(), eps=1e-5), passes * count // 256
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * (1 - step / steps) + 1e-5
        rows = rng.choice(count, 256, replace=False)
        observation = {name: torch.from_numpy(part[rows]) for name, part in positions.items() if name != "wanted"}
        policy, value = agent.network(observation)
        policy = policy.normalised()
        wanted: Tensor = torch.from_numpy(positions["wanted"][rows]).float().flatten(0, 1)[policy.rows]
        with torch.no_grad():
            kept = before.network(observation)[1]
        loss = -(wanted * policy.logits.clamp(min=-20)).sum() / len(rows) + (value - kept).square().mean() / 2
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(agent.network.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            typer.echo(f"{step:,} of {steps:,} minibatches of 256 positions, loss {loss.item():.2f}")


def expert_moves(game: pw.Game, _: pw.View) -> list[pw.Move]:
    """Return the expert's moves in a game."""
    board, state = game.arrays
    codec = OneGameCodec(CLASSIC, FRACTIONS, 0, sends=2)
    seen, actions = codec.observe(state, board, game.player - 1)[0][None], np.zeros((1, codec.slots), np.int64)
    expert_turn(state, board, codec.arrays, np.array([game.player - 1]), seen, actions)
    return game.decode(actions[0], sends=2)


def opening_expert(
    out: Annotated[Path, typer.Argument(help="The folder of the agent.")],
    start: Annotated[str, typer.Option(help="The agent that learns.")] = "graph-planetwars",
    passes: Annotated[int, typer.Option(min=1, help="Over all positions, in each round.")] = 10,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Teach an agent the expert's openings; ten minutes. Then print the people of both beside an idle opponent on ``test``."""
    torch.set_num_threads(1)
    agent = Agent("learner", load_config(CONFIG))
    load_weights(agent.network, start)
    positions = [collected(agent, 0.0, seed, LATER)]
    for number, led in enumerate(LED):
        positions.append(collected(agent, led, seed + number + 1, OPENING))
        learn(agent, start, joined(positions), passes, seed)
    out.mkdir(parents=True, exist_ok=True)
    save_agent(out, agent.config, agent.network.state_dict(), {"steps": "0"})
    playing, graphs = open_player(resolve_player(str(out))), pw.load_pool("test")
    for name, turn in (("expert", expert_moves), (str(out), lambda game, _: playing.moves(game))):
        cells = (f"{people:.1f} ± {half:.1f}" for people, half in means(growths(playing, graphs, turn)))
        typer.echo(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    typer.run(opening_expert)
