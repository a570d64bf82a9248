"""Teaches an agent with two sends to split its early sends: python -m scripts.research.imitate_split runs/split

On the first turns the target of a planet's first send is one person to the nearest free neighbour, elsewhere what the agent
with one send does: nothing. `two-sends.yaml` trains on from the result (docs/experiments/two-sends.md).
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer

import planetwars_env as pw
from planetwars_env.codec.layout import ARRIVALS, EDGE_EXISTS, EDGE_WEIGHT, MY_FLIGHT, MY_PEOPLE, NEUTRAL, PEOPLE_SCALE
from planetwars_env.engine.state import Array
from planetwars_env.learn.agent import Agent, load_weights, save_agent
from planetwars_env.learn.config import load_config
from planetwars_env.learn.network import PolicyNetwork

CONFIG = Path(__file__).with_name("two-sends.yaml")
Observation = dict[str, Array]
_OPENING, _LATER, _GAMES, _SPLITS = 13, 45, 48, 3
"""Own turns with splits; own turns of the games without; games side by side; batches of games with splits."""
_SURE = 0.95
"""Probability of a split in the targets."""


def imitate_split(
    out: Annotated[Path, typer.Argument(help="The folder of the agent.")],
    start: Annotated[
        str, typer.Option(help="The agent with one send whose weights it begins with.")
    ] = "graph-planetwars",
    minibatches: Annotated[int, typer.Option(min=1, help="Of 192 positions each.")] = 1800,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Teach an agent with two sends to split its early sends; under two minutes."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    agent = Agent("split", load_config(CONFIG))
    load_weights(agent.network, start)
    observations, targets, values = positions(agent, seed)
    optimizer, rng = torch.optim.Adam(agent.network.parameters(), eps=1e-5), np.random.default_rng(seed)
    for step in range(minibatches):
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * (1 - step / minibatches) + 2e-5
        rows = rng.integers(0, len(targets), 192)
        policy, value = agent.network({name: torch.from_numpy(part[rows]) for name, part in observations.items()})
        policy = policy.normalised()
        wanted = targets[rows].flatten(0, 1)[policy.rows]
        loss = -(wanted * policy.logits.clamp(min=-50)).sum() / len(rows) + (value - values[rows]).square().mean() / 2
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(agent.network.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            typer.echo(f"{step:,} of {minibatches:,} minibatches, loss {loss.item():.2f}")
    out.mkdir(parents=True, exist_ok=True)
    save_agent(out, agent.config, agent.network.state_dict(), {"steps": "0"})


def positions(agent: Agent, seed: int) -> tuple[Observation, torch.Tensor, torch.Tensor]:
    """Return observations of n positions, the probabilities [n, slots, choices] to imitate, and values [n] to keep."""
    opponents = ["noop", "ai3", "advisor", "ai2"]
    games = pw.make_sb3_vec_env(num_envs=_GAMES, opponent=opponents, observation="tensors", sends=2, graphs="train")
    seen: list[Observation] = []
    targets, values = [], []
    for number in range(_SPLITS + 1):
        splits = number < _SPLITS
        games.seed(seed + 100 * number)
        observation = games.reset()
        for turn in range(_OPENING if splits else _LATER):
            probabilities, value = judged(agent.network, observation)
            actions = probabilities.argmax(-1).numpy()
            first = nearest_free(agent, observation, actions) if splits else np.zeros_like(actions)
            game, slot = np.nonzero(first)
            actions[game, slot] = first[game, slot]
            if splits or (turn >= _OPENING and turn % 3 == 0):
                probabilities[game, slot] *= 1 - _SURE
                probabilities[game, slot, first[game, slot]] += _SURE
                seen.append({name: part.copy() for name, part in observation.items()})
                targets.append(probabilities)
                values.append(value)
            observation, *_ = games.step(actions)
    joined = {name: np.concatenate([one[name] for one in seen]) for name in seen[0]}
    return joined, torch.cat(targets), torch.cat(values)


def judged(network: PolicyNetwork, observation: Observation) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the probabilities [n, slots, choices] and values [n] of observations."""
    with torch.no_grad():
        policy, values = network(
            {name: torch.from_numpy(np.ascontiguousarray(part)) for name, part in observation.items()}
        )
        return policy.normalised().dense().exp(), values


def nearest_free(agent: Agent, observation: Observation, actions: Array) -> Array:
    """Return actions [n, slots] whose first sends are one person to the nearest free neighbour; 0 elsewhere.

    A planet splits that has sent more than one person, or keeps at least two. A neighbour is free if nobody owns it and the
    player neither flies nor sends there.
    """
    planets, edges, index = observation["planets"], observation["edges"], observation["edge_index"]
    count, shares, horizon = agent.limits.planets, len(agent.fractions), agent.limits.horizon
    first = np.zeros_like(actions)
    for game in range(len(actions)):
        alive = int(edges[game, :, EDGE_EXISTS].sum())
        source, target = index[game, :alive].T
        begins = np.searchsorted(source, np.arange(count + 1))
        free = (planets[game, :, NEUTRAL] > 0) & (planets[game, :, ARRIVALS : ARRIVALS + horizon].sum(1) == 0)
        free[target[edges[game, :alive, MY_FLIGHT] > 0]] = False
        sent = actions[game, count:]
        free[[target[begins[planet] + (sent[planet] - 1) // shares] for planet in np.flatnonzero(sent)]] = False
        people = np.rint(planets[game, :, MY_PEOPLE] / PEOPLE_SCALE).astype(int)
        for planet in np.flatnonzero(people > 1):
            share = agent.fractions[(sent[planet] - 1) % shares] if sent[planet] else 0
            moved = max(1, int(share * people[planet])) if share else 0
            reached = [edge for edge in range(begins[planet], begins[planet + 1]) if free[target[edge]]]
            if reached and (moved > 1 or people[planet] - moved >= 2):
                edge = min(reached, key=lambda one: edges[game, one, EDGE_WEIGHT])
                free[target[edge]] = False
                first[game, planet] = 1 + (edge - begins[planet]) * shares
    return first


if __name__ == "__main__":
    typer.run(imitate_split)
