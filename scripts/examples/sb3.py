"""Stable-Baselines3 and sb3-contrib: five algorithms on the native VecEnv. Try --help."""

from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from exam import GAMMA, REWARD, Board, Choose, Progress, examine, need, task_on

import planetwars_env as pw

need("train", "torch", "stable_baselines3", "sb3_contrib")

import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback


class Algorithm(StrEnum):
    """What can be learned with."""

    PPO = "ppo"
    A2C = "a2c"
    DQN = "dqn"
    MASKABLE_PPO = "maskable-ppo"
    RECURRENT_PPO = "recurrent-ppo"


LIKE_PPO = {"n_steps": 64, "batch_size": 512, "n_epochs": 4, "learning_rate": 1e-3}
SMALL_MEMORY = {"lstm_hidden_size": 32, "enable_critic_lstm": False, "net_arch": []}
MAKERS = {
    Algorithm.PPO: partial(PPO, "MlpPolicy", **LIKE_PPO),
    Algorithm.A2C: partial(A2C, "MlpPolicy", n_steps=8, learning_rate=1e-3),
    Algorithm.DQN: partial(
        DQN,
        "MlpPolicy",
        learning_rate=1e-3,
        learning_starts=2000,
        batch_size=128,
        n_steps=3,
        target_update_interval=100,
        exploration_fraction=0.4,
    ),
    Algorithm.MASKABLE_PPO: partial(MaskablePPO, "MlpPolicy", **LIKE_PPO),
    Algorithm.RECURRENT_PPO: partial(RecurrentPPO, "MlpLstmPolicy", policy_kwargs=SMALL_MEMORY, **LIKE_PPO),
}
STEPS = {**dict.fromkeys(Algorithm, 200_000), Algorithm.DQN: 40_000, Algorithm.RECURRENT_PPO: 80_000}


class Report(BaseCallback):
    """Tells how training goes."""

    def __init__(self) -> None:
        super().__init__()
        self._progress = Progress()

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        self._progress.count(info["rival_planets"] for info in infos if info)
        self._progress.tell(self.num_timesteps)
        return True


def main(
    algorithm: Annotated[
        Algorithm, typer.Option(help="Only maskable-ppo makes use of masks.")
    ] = Algorithm.MASKABLE_PPO,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Environment steps; default: what the algorithm needs.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    board: Annotated[
        Board | None, typer.Option(help="Learned and examined on; default: k4 for dqn and recurrent-ppo, else rings.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
) -> None:
    """Train against random on one board, then measure; exit status 1 if that is not clearly better than chance.

    \b
    Examples:
      python scripts/examples/sb3.py
      python scripts/examples/sb3.py --algorithm a2c
      python scripts/examples/sb3.py --algorithm dqn --seed 7
    """
    torch.set_num_threads(1)
    dqn = algorithm == Algorithm.DQN
    # DQN chooses one of many, and without masks: its turn is a single order.
    turns = {"actions": "order", "max_orders": 1} if dqn else {"actions": "turn"}
    small = dqn or algorithm == Algorithm.RECURRENT_PPO
    task = task_on(board or (Board.K4 if small else Board.RINGS), **turns)
    envs = pw.make_sb3_vec_env(num_envs=8 if dqn else 64, reward=REWARD, **task)
    model = MAKERS[algorithm](envs, gamma=GAMMA, seed=seed, device="cpu")
    model.learn(steps or STEPS[algorithm], callback=Report())
    examine(player(model), games, seed, task)


def player(model: BaseAlgorithm) -> Choose:
    """The model as a function from observations and masks to actions, drawn from its probabilities."""
    memory: Any = None

    def choose(rows: np.ndarray, masks: np.ndarray) -> Any:
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
