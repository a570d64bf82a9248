"""PPO with an asymmetric critic: the actor sees through the fog of war, the critic sees the state without it. Try --help."""

from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import typer
from exam import GAMMA, HELD_OUT, REWARD, Graphs, Progress, need, task_on
from gymnasium.vector import AutoresetMode

import planetwars_env as pw

need("agents", "torch")

import torch
from cleanrl_ppo import GAMES, ROLLOUT, collect, learn
from torch import Tensor, nn


class Critic(StrEnum):
    """The input of the critic: the state without fog, or what the actor sees."""

    STATE = "state"
    OBSERVATION = "observation"


class Reward(StrEnum):
    """Reward at the end only, or the difference of a potential of the true state too, which tells of what the fog hides."""

    WIN = "win"
    SHAPED = "shaped"


class AsymmetricActorCritic(nn.Module):
    """Two perceptrons of rows that hold the observation and then the state; the actor reads the first half only."""

    def __init__(self, features: int, slots: int, choices: int, sees: Critic) -> None:
        super().__init__()
        self.shape, self.features = (slots, choices), features
        self.valued = slice(features, None) if sees == Critic.STATE else slice(features)
        self.actor = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, slots * choices))
        self.value = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 1))

    def critic(self, rows: Tensor) -> Tensor:
        """Values [N, 1]."""
        return self.value(rows[:, self.valued])

    def forward(self, rows: Tensor, masks: Tensor) -> tuple[torch.distributions.Categorical, Tensor]:
        """Distributions [N, slots] over legal choices, and values [N]."""
        scores = self.actor(rows[:, : self.features]).masked_fill(~masks, -1e9).view(-1, *self.shape)
        return torch.distributions.Categorical(logits=scores), self.critic(rows).squeeze(1)


class JoinedEnvs:
    """The vector environment with observation and state in one row, as `collect` of cleanrl_ppo.py takes it."""

    def __init__(self, games: int, **arguments: Any) -> None:
        self.envs = pw.PlanetWarsVectorEnv(
            games, observation="flat", privileged=True, autoreset_mode=AutoresetMode.SAME_STEP, **arguments
        )
        self.action_masks = self.envs.action_masks

    def reset(self, seed: int, players: np.ndarray | None = None) -> np.ndarray:
        """New games; the agent plays ``players`` [N] (1 or 2), drawn if None."""
        return _joined(self.envs.reset(seed=seed, options=None if players is None else {"player": players})[0])

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        """One step of all games, with joined rows in "final_obs" too."""
        seen, rewards, terminated, truncated, infos = self.envs.step(actions)
        for game in np.flatnonzero(terminated | truncated):
            infos["final_obs"][game] = _joined(infos["final_obs"][game])
        return _joined(seen), rewards, terminated, truncated, infos


def _joined(seen: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([seen["observation"], seen["state"]], -1)


@torch.no_grad()
def measure(network: AsymmetricActorCritic, games: int, **arguments: Any) -> tuple[float, float]:
    """Return the win rate in held-out games, and the variance of their returns that the values explain (NaN where all agree)."""
    envs = JoinedEnvs(games, **arguments)
    seen, running, won = envs.reset(HELD_OUT, 1 + np.arange(games) % 2), np.ones(games, bool), np.zeros(games, bool)
    kept = []
    while running.any():
        chances, values = network(torch.from_numpy(seen), torch.from_numpy(envs.action_masks()))
        seen, rewards, terminated, truncated, infos = envs.step(chances.sample().numpy())
        kept.append((values.numpy(), rewards, running.copy()))
        ended = running & (terminated | truncated)
        if ended.any():
            won[ended] = infos["final_info"]["won"][ended] > 0
        running &= ~ended
    returns, following = [], np.zeros(games)
    for _, rewards, counted in reversed(kept):
        following = np.where(counted, rewards + GAMMA * following, 0)
        returns.append(following)
    counted = np.stack([part[2] for part in kept])
    values, returns = np.stack([part[0] for part in kept])[counted], np.stack(returns[::-1])[counted]
    variance = returns.var().item()
    return won.mean().item(), 1 - (returns - values).var().item() / variance if variance else np.nan


def main(
    steps: Annotated[int, typer.Option(min=1, help="Environment steps.")] = 240_000,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    graphs: Annotated[Graphs, typer.Option(help="Learned and measured on.")] = Graphs.RINGS,
    opponent: Annotated[str, typer.Option(help="A bot, in training and in the held-out games.")] = "random",
    critic: Annotated[Critic, typer.Option(help="Input of the critic.")] = Critic.STATE,
    games: Annotated[int, typer.Option(min=2, help="Held-out games of each measurement.")] = 400,
    every: Annotated[int, typer.Option(min=1, help="Steps from one measurement to the next.")] = 40_000,
    learning_rate: Annotated[float, typer.Option(help="Of Adam.")] = 1e-3,
    reward: Annotated[Reward, typer.Option(help="Only for winning and losing, or shaped.")] = Reward.WIN,
) -> None:
    """Train on one graph; print the win rate in held-out games and the explained variance of their returns.

    \b
    Examples:
      python scripts/examples/asymmetric_critic.py
      python scripts/examples/asymmetric_critic.py --critic observation
      python scripts/examples/asymmetric_critic.py --opponent ai1 --learning-rate 3e-3
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    task = task_on(graphs, opponent=opponent, reward=REWARD if reward == Reward.SHAPED else "win")
    envs = JoinedEnvs(GAMES, **task)
    rows, turns = envs.envs.single_observation_space["observation"], envs.envs.single_action_space  # pyright: ignore
    network = AsymmetricActorCritic(rows.shape[0], len(turns.nvec), int(turns.nvec[0]), critic)  # pyright: ignore
    optimizer = torch.optim.Adam(network.parameters(), learning_rate, eps=1e-5)
    progress, seen = Progress(), envs.reset(seed)
    updates, measured = -(-steps // (GAMES * ROLLOUT)), max(1, every // (GAMES * ROLLOUT))
    for update in range(1, 1 + updates):
        rollout, seen = collect(envs, network, seen, progress)  # pyright: ignore
        learn(network, optimizer, rollout)  # pyright: ignore
        if update % measured == 0 or update == updates:
            win_rate, explained = measure(network, games, **task)
            print(
                f"{update * GAMES * ROLLOUT:>9,} steps: {win_rate:.1%} of {games} games won, "
                f"explained variance {explained:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    typer.run(main)
