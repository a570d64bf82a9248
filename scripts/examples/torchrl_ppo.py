"""TorchRL: masked PPO on the native vector environment behind GymWrapper. Try --help."""

from typing import Annotated, Any

import numpy as np
import typer
from exam import GAMMA, REWARD, Choose, Graphs, Progress, examine, need, task_on
from gymnasium.vector import AutoresetMode

import planetwars_env as pw

need("torchrl", "torch", "torchrl", "tensordict")

import torch
from tensordict import TensorDict
from tensordict.nn import InteractionType, TensorDictModule, TensorDictSequential
from torch import Tensor, nn
from torch.distributions import Independent
from torchrl.collectors import Collector
from torchrl.envs import EnvBase, GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

COUNT, ROLLOUT, EPOCHS, BATCH = 16, 64, 4, 256
PARTS = ["planets", "edges", "clock"]


class Perceptron(nn.Module):
    """Reads the parts of an observation as one vector; ``shape``: of its answer."""

    def __init__(self, features: int, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape = shape
        self.layers = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, int(np.prod(shape))))

    def forward(self, planets: Tensor, edges: Tensor, clock: Tensor) -> Tensor:
        """[..., *shape]."""
        seen = torch.cat([planets.flatten(-2), edges.flatten(-2), clock], -1)
        return self.layers(seen).unflatten(-1, self.shape)


def turn(logits: Tensor, mask: Tensor) -> Independent:
    """A choice for every planet [..., slots], as one distribution over legal turns."""
    return Independent(MaskedCategorical(logits=logits, mask=mask), 1)


def make_env(task: dict[str, Any]) -> EnvBase:
    """All games in one environment. DISABLED lets TorchRL itself say which games begin anew."""
    return GymWrapper(pw.PlanetWarsVectorEnv(COUNT, reward=REWARD, autoreset_mode=AutoresetMode.DISABLED, **task))


def make_networks(task: dict[str, Any]) -> tuple[ProbabilisticActor, ValueOperator]:
    """Actor and critic for the spaces of a task."""
    space = pw.PlanetWarsVectorEnv(1, **task)
    sizes = [int(np.prod(space.single_observation_space[part].shape)) for part in PARTS]
    shape = (len(space.single_action_space.nvec), int(space.single_action_space.nvec[0]))
    scores = TensorDictModule(Perceptron(sum(sizes), shape), in_keys=PARTS, out_keys=["logits"])
    masks = TensorDictModule(lambda mask: mask.bool().unflatten(-1, shape), in_keys=["action_mask"], out_keys=["mask"])
    actor = ProbabilisticActor(
        TensorDictSequential(scores, masks),
        in_keys=["logits", "mask"],
        distribution_class=turn,
        return_log_prob=True,
        default_interaction_type=InteractionType.RANDOM,
    )
    return actor, ValueOperator(Perceptron(sum(sizes), (1,)), in_keys=PARTS)


def main(
    steps: Annotated[int, typer.Option(min=1, help="Environment steps.")] = 30_000,
    seed: Annotated[int, typer.Option(help="Of games, weights and choices.")] = 0,
    graphs: Annotated[Graphs, typer.Option(help="Learned and examined on.")] = Graphs.K4,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
) -> None:
    """Train against random on one graph, then measure; exit status 1 if that is not clearly better than chance.

    \b
    Examples:
      python scripts/examples/torchrl_ppo.py
      python scripts/examples/torchrl_ppo.py --graphs rings --steps 400000 --seed 7
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    task, progress = task_on(graphs), Progress()
    env = make_env(task)
    env.set_seed(seed)
    actor, critic = make_networks(task)
    advantages = GAE(gamma=GAMMA, lmbda=0.95, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5)
    optimizer = torch.optim.Adam(loss.parameters(), 3e-3)
    collector = Collector(env, actor, frames_per_batch=COUNT * ROLLOUT, total_frames=steps)
    done = 0
    for rollout in collector:
        with torch.no_grad():
            advantages(rollout)
        learn(loss, optimizer, rollout.reshape(-1))
        done += rollout.numel()
        tell(progress, rollout, done)
    collector.shutdown()
    examine(player(actor), games, seed, {**task, "observation": "tensors"})


def learn(loss: ClipPPOLoss, optimizer: torch.optim.Optimizer, rollout: Any) -> None:
    """A few epochs over one rollout."""
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(rollout)).split(BATCH):
            parts = loss(rollout[chosen])
            optimizer.zero_grad()
            sum(value for name, value in parts.items() if name.startswith("loss_")).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()


def tell(progress: Progress, rollout: Any, done: int) -> None:
    """Count the games that ended: a shaped reward of the last turn is above 0 for a win, below for a loss."""
    ended = rollout["next", "done"].squeeze(-1)
    progress.count((rollout["next", "reward"].squeeze(-1)[ended] <= 0).int().tolist())
    progress.tell(done)


def player(actor: ProbabilisticActor) -> Choose:
    """The actor as a function from observations and masks to actions, drawn from its probabilities."""

    @torch.no_grad()
    def choose(rows: dict[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
        seen = {key: torch.as_tensor(part) for key, part in rows.items()}
        return actor(TensorDict(seen, [len(masks)]))["action"].numpy()

    return choose


if __name__ == "__main__":
    typer.run(main)
