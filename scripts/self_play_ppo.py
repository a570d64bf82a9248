"""Self-play PPO on one page: a graph network learns PlanetWars from nothing but games against itself. Plain torch.

    python scripts/self_play_ppo.py --seed 0 --out runs/self-play

Axes: N games, T steps of a rollout, B positions, P planets, E slots for edges, M edges that exist, R planets that may
send, C choices of a planet (wait, or send a fraction of its people along one of its edges), H width.
"""

import argparse
import copy
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

import planetwars_env as pw

PLANET = {feature.name: column for column, feature in enumerate(pw.FEATURES["planets"])}
EDGE = {feature.name: column for column, feature in enumerate(pw.FEATURES["edges"])}
FRACTIONS = len(pw.Policy.fractions)
FORM = "derived"  # the tensors, with forecasts, ways to the front and margins


@dataclass
class Args:
    """Hyper-parameters under CleanRL's names."""

    seed: int = 0
    total_timesteps: int = 600_000  # a step is the turn of one player
    num_envs: int = 128
    num_steps: int = 32
    update_epochs: int = 2
    minibatch_size: int = 512
    learning_rate: float = 3e-3  # falls to a thirtieth with the run
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    ent_coef: float = 0.01  # falls to 0 with the run
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    shaping: float = 1.0  # the scale of pw.Shaped; 0: only the result of a game counts
    width: int = 32
    rounds: int = 2
    opponents: str = "self,self,self,copy"  # one is drawn for each game; copy: a frozen copy; bots by their names
    copy_every: int = 20  # updates between two copies
    eval_every: int = 25  # updates between two evaluations
    test_games: int = 200  # against each bot, at the end
    out: str = "runs/self-play"


def prepare(observation: dict[str, np.ndarray]) -> dict[str, Tensor]:
    """Return what the network reads: the observation's features with the derived ones, and where each edge belongs."""
    tensors = {key: torch.from_numpy(part) for key, part in observation.items()}
    planets, edges, index, mask = (tensors[key] for key in ("planets", "edges", "edge_index", "action_mask"))
    (B, P, _), E = planets.shape, edges.shape[1]
    exists = edges[..., EDGE["exists"]] > 0
    source = torch.where(exists, index[..., 0], P).long()  # ascending: slots without an edge come last
    slot = torch.where(exists, torch.arange(E) - torch.searchsorted(source, source), -1)  # among its planet's edges
    source, target = source.clamp(max=P - 1), index[..., 1].long()
    planets = torch.cat([planets, tensors["derived_planets"], tensors["clock"][:, None].expand(B, P, 2)], -1)
    edges = torch.cat([edges, tensors["derived_edges"]], -1)
    mask = mask.view(B, P, -1) > 0
    return {"planets": planets, "edges": edges, "source": source, "target": target, "slot": slot, "mask": mask}


class GraphNetwork(nn.Module):
    """Message passing along edges, then a score for every choice, and the value of the position."""

    def __init__(self, width: int, rounds: int) -> None:
        super().__init__()
        shown = prepare(pw.make_vec("PlanetWars-v0", num_envs=1, observation=FORM).reset(seed=0)[0])
        planet, edge = shown["planets"].shape[-1], shown["edges"].shape[-1]
        self.embed = nn.Linear(planet, width)
        self.messages = nn.ModuleList(nn.Linear(2 * width + edge, width) for _ in range(rounds))
        self.updates = nn.ModuleList(nn.Linear(4 * width, width) for _ in range(rounds))
        self.order, self.send = nn.Linear(2 * width + edge, width), nn.Linear(width, FRACTIONS)
        self.wait = nn.Linear(width, 1)
        self.value = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1))
        for layer in (self.send, self.wait):
            nn.init.orthogonal_(layer.weight, 0.01)
        nn.init.constant_(self.wait.bias, 2.0)  # a beginner that sends from every planet on every turn never grows

    def forward(self, inputs: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Return which of the B * P planets may send [R], the log-probabilities of their choices [R, C], values [B]."""
        exists = inputs["planets"][..., PLANET["exists"]].unsqueeze(-1)
        B, P, _ = exists.shape
        kept = (inputs["slot"].flatten() >= 0).nonzero().squeeze(1)
        source, target = ((inputs[end] + P * torch.arange(B)[:, None]).flatten()[kept] for end in ("source", "target"))
        edges, slot = inputs["edges"].flatten(0, 1)[kept], inputs["slot"].flatten()[kept]
        x = (torch.relu(self.embed(inputs["planets"])) * exists).flatten(0, 1)
        for message, update in zip(self.messages, self.updates, strict=True):
            sent = torch.relu(message(torch.cat([x.index_select(0, source), x.index_select(0, target), edges], 1)))
            heard = torch.zeros_like(x).index_add(0, source, sent)
            board = pool(x, exists).repeat_interleave(P, 0)
            x = (x + torch.relu(update(torch.cat([x, heard, board], 1)))) * exists.flatten(0, 1)
        # A row of scores for each planet that may send: waiting, then its edges, each with all fractions.
        able = inputs["mask"][..., 1:].any(-1).flatten()
        rows, row, own = able.nonzero().squeeze(1), able.cumsum(0) - 1, able[source]
        orders = torch.cat([x.index_select(0, source[own]), x.index_select(0, target[own]), edges[own]], 1)
        sends = self.send(torch.relu(self.order(orders)))
        mask = inputs["mask"].flatten(0, 1)[rows]
        degree = mask.shape[1] // FRACTIONS
        place = row[source[own]] * degree + slot[own]
        table = sends.new_zeros(len(rows) * degree, FRACTIONS).index_copy(0, place, sends)
        scores = torch.cat([self.wait(x.index_select(0, rows)), table.view(len(rows), degree * FRACTIONS)], 1)
        log_probs = torch.log_softmax(scores.masked_fill(~mask, -1e9), 1)
        return rows, log_probs, self.value(pool(x, exists)).squeeze(1)


def pool(x: Tensor, exists: Tensor) -> Tensor:
    """Return the mean and the maximum over the planets of each graph [B, 2 H]."""
    x = x.view(*exists.shape[:2], -1)
    return torch.cat([x.sum(1) / exists.sum(1), x.amax(1)], 1)


class NetworkPolicy(pw.Policy):
    """A network as a player, for `pw.evaluate` and as an opponent; ``sample``: it samples instead of playing greedily."""

    observation = FORM

    def __init__(self, network: GraphNetwork, name: str = "self-play", sample: bool = False) -> None:
        self.network, self.name, self.sample = network, name, sample

    def act(self, observation: dict[str, np.ndarray]) -> np.ndarray:
        """Return the actions [B, P]."""
        return self.choose(prepare(observation))["actions"].numpy()

    @torch.no_grad()
    def choose(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return one choice a planet [B, P] (0, wait, where there is no other), its log-probability, and the values."""
        rows, log_probs, values = self.network(inputs)
        choices = torch.multinomial(log_probs.exp(), 1) if self.sample and len(rows) else log_probs.argmax(1, True)
        actions, taken = torch.zeros(inputs["mask"].shape[:2], dtype=torch.long), torch.zeros(inputs["mask"].shape[:2])
        actions.view(-1)[rows], taken.view(-1)[rows] = choices.squeeze(1), log_probs.gather(1, choices).squeeze(1)
        return {"actions": actions, "log_probs": taken, "values": values}


def load_policy(path: str | Path, sample: bool = False) -> NetworkPolicy:
    """Load the policy that a run saved."""
    saved = torch.load(path, weights_only=True)
    network = GraphNetwork(saved["args"]["width"], saved["args"]["rounds"])
    network.load_state_dict(saved["network"])
    return NetworkPolicy(network, sample=sample)


def advantages_of(args: Args, rewards: Tensor, values: Tensor, signs: Tensor, following: Tensor) -> Tensor:
    """Generalised advantages [T, N] of the players who moved; ``following`` [N]: the values after the last step.

    ``signs`` [T, N]: 1 if the same player moves next, -1 if the other one does, whose gain is this one's loss, 0 at the end.
    """
    advantages, ahead = torch.zeros_like(values), torch.zeros_like(following)
    for t in reversed(range(len(values))):
        error = rewards[t] + args.gamma * signs[t] * following - values[t]
        advantages[t] = ahead = error + args.gamma * args.gae_lambda * signs[t] * ahead
        following = values[t]
    return advantages


def report(policy: NetworkPolicy, steps: int) -> None:
    """Print the win rates on the graphs for validation."""
    results = pw.evaluate(policy, ["ai1", "ai3"], "validation", games=50)
    print(f"{steps:,} steps, {time.process_time():.0f} s", *results, sep="; ", flush=True)


def main(args: Args, report: Callable[[NetworkPolicy, int], None] = report) -> None:
    """Train, save the policy, and measure it on graphs that no training uses; call ``report`` on the way."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # for networks this small, threads wait for each other more than they help
    agent, past = NetworkPolicy(GraphNetwork(args.width, args.rounds), sample=True), []
    network, frozen = agent.network, copy.deepcopy(agent)
    optimizer = torch.optim.Adam(network.parameters(), eps=1e-5)
    opponents = [frozen if name == "copy" else name for name in args.opponents.split(",")]
    task = {"opponent": opponents, "reward": pw.Shaped(args.gamma, args.shaping), "autoreset_mode": "SAME_STEP"}
    envs = pw.make_vec("PlanetWars-v0", num_envs=args.num_envs, observation=FORM, **task)
    observation, infos = envs.reset(seed=args.seed)
    batch_size = args.num_envs * args.num_steps
    updates = -(-args.total_timesteps // batch_size)
    for update in range(updates):
        progress, steps = update / updates, []
        optimizer.param_groups[0]["lr"] = args.learning_rate * 30**-progress
        for _ in range(args.num_steps):
            inputs, mover = prepare(observation), infos["player"]
            played = agent.choose(inputs)
            observation, rewards, terminated, truncated, infos = envs.step(played["actions"].numpy())
            if truncated.any():  # a game that was cut off would have gone on: the same player's last value is added
                last = {key: np.stack([one[key] for one in infos["final_obs"][truncated]]) for key in observation}
                rewards[truncated] += args.gamma * agent.choose(prepare(last))["values"].numpy()
            signs = np.where(infos["player"] == mover, 1, -1) * ~(terminated | truncated)
            steps.append(inputs | played | {"rewards": torch.tensor(rewards).float(), "signs": torch.tensor(signs)})
        data = {key: torch.stack([step[key] for step in steps]) for key in steps[0]}
        following = agent.choose(prepare(observation))["values"]
        advantages = advantages_of(args, data["rewards"], data["values"], data["signs"], following)
        data["returns"] = advantages + data["values"]
        data["advantages"] = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        data = {key: part.flatten(0, 1) for key, part in data.items()}
        for _ in range(args.update_epochs):
            for chosen in torch.randperm(batch_size).split(args.minibatch_size):
                batch = {key: part[chosen] for key, part in data.items()}
                rows, log_probs, values = network(batch)
                taken = log_probs.gather(1, batch["actions"].view(-1, 1)[rows]).squeeze(1)
                ratio = (taken - batch["log_probs"].view(-1)[rows]).exp()  # each planet's choice is clipped by itself
                gain = batch["advantages"][rows // batch["actions"].shape[1]]  # with the advantage of the whole turn
                policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef) * gain).sum()
                value_loss = (values - batch["returns"]).square().sum() / 2
                entropy = -(log_probs.exp() * log_probs).sum() * (1 - progress)
                optimizer.zero_grad()
                ((policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy) / len(chosen)).backward()
                nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
                optimizer.step()
        if (update + 1) % args.copy_every == 0:
            past.append(copy.deepcopy(network.state_dict()))
            frozen.network.load_state_dict(past[int(torch.randint(len(past), ()))])
        if (update + 1) % args.eval_every == 0:
            report(NetworkPolicy(network), (update + 1) * batch_size)
    Path(args.out).mkdir(parents=True, exist_ok=True)
    torch.save({"args": asdict(args), "network": network.state_dict()}, Path(args.out) / "policy.pt")
    print(f"{args.total_timesteps:,} steps in {time.process_time():.0f} s of CPU time")
    for sample in (False, True):
        print("sampled:" if sample else "greedy:")
        print(*pw.evaluate(load_policy(Path(args.out) / "policy.pt", sample), games=args.test_games), sep="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in fields(Args):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    main(Args(**vars(parser.parse_args())))
