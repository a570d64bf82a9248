"""Tianshou: DQN with action masks, one order per turn. Try --help."""

import warnings
from functools import partial
from typing import Annotated, Any

import gymnasium
import numpy as np
import typer
from exam import GAMMA, REWARD, Choose, Graphs, Progress, examine, need, task_on
from gymnasium import spaces

need("tianshou", "torch", "tianshou")

import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import planetwars_env  # noqa: F401 (registers the environments)

COUNT = 8
"""Games side by side."""


class Masked(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The flat observation as "obs" and the mask as "mask": the names under which Tianshou looks for them."""

    def __init__(self, env: gymnasium.Env[Any, Any], progress: Progress) -> None:
        super().__init__(env)
        masks = spaces.MultiBinary(int(env.action_space.n))  # pyright: ignore[reportAttributeAccessIssue]
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": masks})
        self._masks, self._progress = env.get_wrapper_attr("action_masks"), progress

    def reset(self, **arguments: Any) -> Any:
        """A new game."""
        row, info = self.env.reset(**arguments)
        return {"obs": row, "mask": self._masks().astype(np.int8)}, info

    def step(self, action: Any) -> Any:
        """One order."""
        row, *outcome, info = self.env.step(action)
        if outcome[1] or outcome[2]:
            self._progress.count([info["opponent_planets"]])
        return {"obs": row, "mask": self._masks().astype(np.int8)}, *outcome, info


def main(
    steps: Annotated[int, typer.Option(min=1000, help="Environment steps.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    graphs: Annotated[Graphs, typer.Option(help="Learned and examined on.")] = Graphs.K4,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
) -> None:
    """Train against random on one graph, then measure; exit status 1 if that is not clearly better than chance.

    \b
    Examples:
      python scripts/examples/tianshou_dqn.py
      python scripts/examples/tianshou_dqn.py --graphs rings --steps 100000 --seed 7
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (the one that Tianshou explores with)
    task, progress = task_on(graphs, actions="order", max_orders=1), Progress()
    make = partial(gymnasium.make, "PlanetWars-v0", observation="flat", reward=REWARD, **task)
    envs = DummyVectorEnv([lambda: Masked(make(), progress)] * COUNT)
    envs.seed(list(range(seed, seed + COUNT)))
    policy = make_policy(make())
    algorithm = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=GAMMA, n_step_return_horizon=3, target_update_freq=100
    )

    def before(epoch: int, step: int) -> None:
        policy.set_eps_training(max(0.05, 1 - 2 * step / steps))
        progress.tell(step)

    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=Collector[CollectStats](algorithm, envs, VectorReplayBuffer(50_000, COUNT)),
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=COUNT * 4,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=128,
            training_fn=before,
            verbose=False,
            show_progress=False,
        )
    )
    examine(player(policy, seed), games, seed, task)


def make_policy(env: gymnasium.Env[Any, Any]) -> DiscreteQLearningPolicy:
    """A perceptron that values every order."""
    rows, orders = env.observation_space, env.action_space
    network = Net(state_shape=rows.shape, action_shape=int(orders.n), hidden_sizes=[64, 64])  # pyright: ignore
    return DiscreteQLearningPolicy(model=network, action_space=orders, observation_space=rows, eps_inference=0.05)


def player(policy: DiscreteQLearningPolicy, seed: int) -> Choose:
    """The best legal order, or one in twenty at random, which ends standstills."""

    @torch.no_grad()
    def choose(rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        batch = Batch(obs=Batch(obs=rows, mask=masks.astype(np.int8)), info=Batch())
        return policy.add_exploration_noise(policy(batch).act, batch)

    return choose


if __name__ == "__main__":
    warnings.filterwarnings("ignore", category=UserWarning, module="tianshou")
    typer.run(main)
