"""Stable-Baselines3 and sb3-contrib: five algorithms on the native VecEnv. Try --help."""

from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from exam import GAMMA, Choose, Graphs, Progress, examine, need, task_on

import planetwars_env as pw

need("train", "torch", "safetensors", "stable_baselines3", "sb3_contrib")

import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback


class Algorithm(StrEnum):
    """The algorithms to choose from."""

    PPO = "ppo"
    A2C = "a2c"
    DQN = "dqn"
    MASKABLE_PPO = "maskable-ppo"
    RECURRENT_PPO = "recurrent-ppo"


class Network(StrEnum):
    """The networks to choose from: the graph network sees which planets an edge joins, the perceptron only a row of numbers."""

    GRAPH = "graph"
    PERCEPTRON = "perceptron"


LIKE_PPO = {"n_steps": 64, "batch_size": 256, "n_epochs": 4, "ent_coef": 0.01}
NEAR = 0.9
"""DQN's discount: what is ten turns off counts a third. With 0.99 it learned to stand still."""
SMALL_MEMORY = {"lstm_hidden_size": 32, "enable_critic_lstm": False, "net_arch": []}
MAKERS = {
    Algorithm.PPO: partial(PPO, "MlpPolicy", learning_rate=3e-3, **LIKE_PPO),
    Algorithm.A2C: partial(A2C, "MlpPolicy", n_steps=8, learning_rate=1e-3, ent_coef=0.01),
    Algorithm.DQN: partial(
        DQN,
        "MlpPolicy",
        learning_rate=1e-3,
        learning_starts=2000,
        batch_size=128,
        gradient_steps=4,
        n_steps=3,
        target_update_interval=100,
        buffer_size=50_000,
        exploration_fraction=0.4,
    ),
    Algorithm.MASKABLE_PPO: partial(MaskablePPO, "MlpPolicy", learning_rate=3e-3, **LIKE_PPO),
    Algorithm.RECURRENT_PPO: partial(
        RecurrentPPO, "MlpLstmPolicy", learning_rate=3e-3, policy_kwargs=SMALL_MEMORY, **LIKE_PPO
    ),
}
STEPS = {
    Algorithm.PPO: 60_000,
    Algorithm.A2C: 80_000,
    Algorithm.DQN: 32_000,
    Algorithm.MASKABLE_PPO: 25_000,
    Algorithm.RECURRENT_PPO: 40_000,
}


class Report(BaseCallback):
    """Tells how training goes."""

    def __init__(self) -> None:
        super().__init__()
        self._progress = Progress()

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        self._progress.count(info["opponent_planets"] for info in infos if info)
        self._progress.tell(self.num_timesteps)
        return True


def main(
    algorithm: Annotated[
        Algorithm, typer.Option(help="Only maskable-ppo makes use of masks.")
    ] = Algorithm.MASKABLE_PPO,
    network: Annotated[
        Network | None, typer.Option(help="graph (its default) is for maskable-ppo only; the others have perceptrons.")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Environment steps; default: what the algorithm needs on k4.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    graphs: Annotated[
        Graphs, typer.Option(help="Learned and examined on; train is examined on graphs of test.")
    ] = Graphs.K4,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
) -> None:
    """Train against random on one graph, then measure; exit status 1 if that is not clearly better than chance.

    \b
    Examples:
      python scripts/examples/sb3.py
      python scripts/examples/sb3.py --graphs train --steps 100000     # any graph: only the graph network learns this
      python scripts/examples/sb3.py --algorithm recurrent-ppo --seed 7
    """
    torch.set_num_threads(1)
    maskable, dqn = algorithm == Algorithm.MASKABLE_PPO, algorithm == Algorithm.DQN
    if network == Network.GRAPH and not maskable:
        raise typer.BadParameter(f"{algorithm} has a perceptron only: choose --algorithm maskable-ppo")
    graph_network = maskable and network != Network.PERCEPTRON
    # DQN chooses one of many, and without masks: its turn is a single order.
    turns = {"actions": "order", "max_orders": 1} if dqn else {"actions": "turn"}
    task = task_on(graphs, observation="tensors" if graph_network else "flat", **turns)
    gamma = NEAR if dqn else GAMMA
    envs = pw.make_sb3_vec_env(num_envs=8 if dqn else 16, reward=pw.Shaped(gamma), **task)
    make = partial(make_graph_network, task) if graph_network else MAKERS[algorithm]
    model = make(envs, gamma=gamma, seed=seed, device="cpu")
    model.learn(steps or STEPS[algorithm], callback=Report())
    examine(player(model), games, seed, task)


def make_graph_network(task: dict[str, Any], envs: Any, **others: Any) -> MaskablePPO:
    """MaskablePPO with the network of this project, which plays any graph."""
    network = {"limits": task["limits"]}
    return MaskablePPO(pw.NetworkPolicy, envs, policy_kwargs=network, learning_rate=1e-3, **LIKE_PPO, **others)


def player(model: BaseAlgorithm) -> Choose:
    """The model as a function from observations and masks to actions, drawn from its probabilities."""
    memory: Any = None

    def choose(rows: Any, masks: np.ndarray) -> Any:
        nonlocal memory
        if isinstance(model, MaskablePPO):
            return model.predict(rows, action_masks=masks)[0]
        # An LSTM goes on from its last state; None begins anew.
        # DQN goes on exploring a little (5 %), which ends standstills.
        actions, memory = model.predict(rows, state=memory)
        return actions

    return choose


if __name__ == "__main__":
    typer.run(main)
