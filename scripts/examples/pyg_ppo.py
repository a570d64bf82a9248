"""MaskablePPO of Stable-Baselines3 with a features extractor of torch_geometric. Try --help."""

from typing import Annotated, Any

import numpy as np
import typer
from exam import GAMMA, Graphs, examine, need, task_on

import planetwars_env as pw

need("pyg", "torch", "stable_baselines3", "sb3_contrib", "torch_geometric")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn
from torch_geometric.nn import GINEConv
from torch_geometric.utils import to_dense_batch


class GraphExtractor(BaseFeaturesExtractor):
    """Messages along edges; the features are those of all planet slots, side by side."""

    def __init__(self, space: Any, width: int = 32, rounds: int = 2) -> None:
        planets, edges, clock = (space[name].shape[-1] for name in ("planets", "edges", "clock"))
        super().__init__(space, space["planets"].shape[0] * width)
        self.first = nn.Linear(planets + clock, width)
        layers = [GINEConv(nn.Sequential(nn.Linear(width, width), nn.ReLU()), edge_dim=edges) for _ in range(rounds)]
        self.rounds = nn.ModuleList(layers)

    def forward(self, observation: dict[str, Tensor]) -> Tensor:
        """Return features [B, P * width] of "tensors" observations."""
        graph = pw.pyg_arrays(observation)
        x = self.first(graph["x"]).relu()
        for layer in self.rounds:
            x = x + layer(x, graph["edge_index"], graph["edge_attr"])
        slots, _ = to_dense_batch(
            x, graph["batch"], max_num_nodes=observation["planets"].shape[1], batch_size=len(observation["planets"])
        )
        return slots.flatten(1)


def main(
    steps: Annotated[int, typer.Option(min=1, help="Environment steps.")] = 40_000,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    graphs: Annotated[Graphs, typer.Option(help="Learned and examined on.")] = Graphs.K4,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
) -> None:
    """Train against random on one graph, then measure; exit status 1 if that is not clearly better than chance.

    \b
    Examples:
      python scripts/examples/pyg_ppo.py
      python scripts/examples/pyg_ppo.py --graphs rings --steps 100000
      python scripts/examples/pyg_ppo.py --seed 7
    """
    torch.set_num_threads(1)
    task = task_on(graphs, observation="tensors")
    envs = pw.make_sb3_vec_env(num_envs=16, reward=pw.Shaped(GAMMA), **task)
    policy = {"features_extractor_class": GraphExtractor, "net_arch": [64]}
    model = MaskablePPO(
        "MultiInputPolicy", envs, learning_rate=1e-3, n_steps=64, batch_size=256, n_epochs=4, ent_coef=0.01,
        gamma=GAMMA, seed=seed, policy_kwargs=policy, device="cpu",
    )  # fmt: skip
    model.learn(steps)

    def choose(rows: Any, masks: np.ndarray) -> Any:
        return model.predict(rows, action_masks=masks)[0]

    examine(choose, games, seed, task)


if __name__ == "__main__":
    typer.run(main)
