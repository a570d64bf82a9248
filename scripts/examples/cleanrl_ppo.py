"""PPO in one file in the style of CleanRL: torch only, action masks, the native vector environment. Try --help."""

from functools import partial
from typing import Annotated

import numpy as np
import typer
from exam import GAMMA, REWARD, Graphs, Progress, examine, need, task_on
from gymnasium.vector import AutoresetMode

import planetwars_env as pw

need("agents", "torch")

import torch
from torch import Tensor, nn

GAMES, ROLLOUT, EPOCHS, MINIBATCHES = 16, 128, 4, 4
LEARNING_RATE, GAE_LAMBDA, CLIP, ENTROPY, VALUE_WEIGHT, MAX_GRAD_NORM = 3e-3, 0.95, 0.2, 0.01, 0.5, 0.5


class ActorCritic(nn.Module):
    """Two perceptrons of one flat observation: scores of the ``choices`` of every slot, and the value."""

    def __init__(self, features: int, slots: int, choices: int) -> None:
        super().__init__()
        self.shape = (slots, choices)
        self.actor = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, slots * choices))
        self.critic = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, rows: Tensor, masks: Tensor) -> tuple[torch.distributions.Categorical, Tensor]:
        """Distributions [N, slots] over legal choices, and values [N]."""
        scores = self.actor(rows).masked_fill(~masks, -1e9).view(-1, *self.shape)
        return torch.distributions.Categorical(logits=scores), self.critic(rows).squeeze(1)


def advantages_of(rewards: Tensor, values: Tensor, last: Tensor, goes_on: Tensor) -> Tensor:
    """Generalised advantages [T, N]; ``last`` [N] is the value after the rollout, ``goes_on`` [T, N] is 0 where a game ended."""
    advantages, ahead, following = torch.zeros_like(rewards), torch.zeros_like(last), last
    for t in reversed(range(len(rewards))):
        error = rewards[t] + GAMMA * following * goes_on[t] - values[t]
        ahead = error + GAMMA * GAE_LAMBDA * goes_on[t] * ahead
        advantages[t], following = ahead, values[t]
    return advantages


def main(
    steps: Annotated[int, typer.Option(min=1, help="Environment steps.")] = 80_000,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    graphs: Annotated[Graphs, typer.Option(help="Learned and examined on.")] = Graphs.K4,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
) -> None:
    """Train against random on one graph, then measure; exit status 1 if that is not clearly better than chance.

    \b
    Examples:
      python scripts/examples/cleanrl_ppo.py
      python scripts/examples/cleanrl_ppo.py --graphs rings --steps 400000
      python scripts/examples/cleanrl_ppo.py --steps 30000 --seed 7
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    envs = pw.PlanetWarsVectorEnv(
        GAMES, observation="flat", autoreset_mode=AutoresetMode.SAME_STEP, reward=REWARD, **task_on(graphs)
    )
    rows, turns = envs.single_observation_space, envs.single_action_space
    network = ActorCritic(rows.shape[0], len(turns.nvec), int(turns.nvec[0]))  # pyright: ignore
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE, eps=1e-5)
    progress = Progress()
    seen, _ = envs.reset(seed=seed)
    for update in range(1, 1 + -(-steps // (GAMES * ROLLOUT))):
        rollout, seen = collect(envs, network, seen, progress)
        learn(network, optimizer, rollout)
        progress.tell(update * GAMES * ROLLOUT)
    examine(partial(draw, network), games, seed, task_on(graphs))


@torch.no_grad()
def draw(network: ActorCritic, observation: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    """Actions drawn from the network's probabilities."""
    return network(torch.from_numpy(observation), torch.from_numpy(action_masks))[0].sample().numpy()


@torch.no_grad()
def collect(envs: pw.PlanetWarsVectorEnv, network: ActorCritic, seen: np.ndarray, progress: Progress):
    """One rollout: (rows, masks, actions, log-probabilities, advantages, returns), each [T * N, ...], and what is seen now."""
    kept = []
    for _ in range(ROLLOUT):
        rows, masks = torch.from_numpy(seen), torch.from_numpy(envs.action_masks())
        chances, values = network(rows, masks)
        actions = chances.sample()
        seen, rewards, terminated, truncated, infos = envs.step(actions.numpy())
        if truncated.any():  # a game that was cut off would have gone on: its last value stands for the rest
            cut = torch.from_numpy(np.stack(infos["final_obs"][truncated]))
            rewards[truncated] += GAMMA * network.critic(cut).squeeze(1).numpy()
        done = terminated | truncated
        if done.any():
            progress.count(infos["final_info"]["opponent_planets"][done])
        goes_on = torch.from_numpy(~done).float()
        kept.append(
            (rows, masks, actions, chances.log_prob(actions).sum(1), values, torch.from_numpy(rewards).float(), goes_on)
        )
    rows, masks, actions, log_probs, values, rewards, goes_on = (torch.stack(part) for part in zip(*kept, strict=True))
    last = network.critic(torch.from_numpy(seen)).squeeze(1)
    advantages = advantages_of(rewards, values, last, goes_on)
    parts = (rows, masks, actions, log_probs, advantages, advantages + values)
    return tuple(part.flatten(0, 1) for part in parts), seen


def learn(network: ActorCritic, optimizer: torch.optim.Optimizer, rollout: tuple[Tensor, ...]) -> None:
    """PPO's clipped objective, a few epochs over one rollout."""
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(rollout[0])).chunk(MINIBATCHES):
            rows, masks, actions, old, advantages, returns = (part[chosen] for part in rollout)
            chances, values = network(rows, masks)
            ratio = (chances.log_prob(actions).sum(1) - old).exp()
            gain = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = (values - returns).square().mean()
            entropy = chances.entropy().sum(1).mean()
            optimizer.zero_grad()
            (policy_loss + VALUE_WEIGHT * value_loss - ENTROPY * entropy).backward()
            nn.utils.clip_grad_norm_(network.parameters(), MAX_GRAD_NORM)
            optimizer.step()


if __name__ == "__main__":
    typer.run(main)
