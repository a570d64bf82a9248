"""Proximal policy optimisation (Schulman et al. 2017): rollouts, advantages, clipped updates.

Axes: T steps of a rollout, N environments, B steps of a minibatch, R slots with a choice in it.
"""

from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from planetwars_env.engine.state import Array
from planetwars_env.learn.agent import load_weights
from planetwars_env.learn.checkpoint import optimizer_arrays, restore_optimizer, tensors
from planetwars_env.learn.config import PPOConfig, TrainConfig
from planetwars_env.learn.devices import to_device, to_host
from planetwars_env.learn.malloc import keep_freed_memory
from planetwars_env.learn.masked_categorical import MaskedCategorical
from planetwars_env.learn.network import make_network
from planetwars_env.learn.packing import Packed, join, select
from planetwars_env.learn.ppo_loss import (
    METRICS,
    counterfactual_weight,
    generalised_advantages,
    kickstarting_weight,
    ppo_loss,
    scaled,
)
from planetwars_env.learn.processes import average_gradients, collected, moments, own_device, own_seed, rank, size
from planetwars_env.learn.rollout import Rollout, RolloutCollector

_EMA_WARMUP = 20
"""Rollouts before the averaged weights differ from the network's."""


class PPO:
    """PPO learner: `advance` collects one rollout and learns from it; `state` and `restore` hold everything it changes.

    Several processes (processes.py) have a learner each: with equal weights, optimisers and leagues, and games of their own.
    """

    def __init__(self, config: TrainConfig) -> None:
        learner, seed = config.learner, config.schedule.seed
        torch.manual_seed(seed)
        keep_freed_memory()
        torch.set_num_threads(1)
        self.config, self.settings, self.steps = config, learner, 0
        self.spec = config.task.action_spec()
        self.device = torch.device(own_device(learner.device))
        self.network = make_network(config.network, self.spec)
        if learner.start:
            load_weights(self.network, learner.start)
        self.network.to(self.device)
        self.average = deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=learner.learning_rate, eps=1e-5, fused=True)
        self.collector = RolloutCollector(config)
        self.rng = torch.Generator(self.device).manual_seed(own_seed(seed))

    def advance(self) -> dict[str, float]:
        """Collect one rollout and learn from it; return the means of the metrics."""
        progress = min(1.0, self.steps / self.config.schedule.steps)
        self.collector.draw_opponents()
        with_teacher = kickstarting_weight(self.settings, progress) > 0
        with_counterfactual = counterfactual_weight(self.settings, progress) > 0
        act = partial(self._act, with_alternatives=with_counterfactual)
        rollout = self.collector.collect(act, self._values, with_teacher, with_counterfactual)
        self.steps += self.settings.num_envs * self.settings.num_steps
        first, last = self.settings.learning_rate, self.settings.final_learning_rate
        learning_rate = first * (last / first) ** progress
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        metrics = self._learn(rollout, progress)
        self._update_average()
        self.collector.league.promote(self.average.state_dict())
        return {**metrics, "learning_rate": learning_rate}

    def _act(self, observation: dict[str, Array], with_alternatives: bool = False) -> tuple[Packed, tuple[Array, ...]]:
        """Return what `rollout.Act` returns; without ``with_alternatives`` the alternatives are the actions again."""
        packed = self.network.pack({name: torch.from_numpy(part) for name, part in observation.items()})
        with torch.inference_mode():
            policy, values = self.network.on(packed)
            policy = policy.normalised()
            sample = self._sample(policy)
            parts = *sample, *(self._sample(policy) if with_alternatives else sample), values
            return packed, tuple(map(to_host, parts))

    def _sample(self, policy: MaskedCategorical) -> tuple[Tensor, Tensor]:
        """Return actions [N, S] and the log-probability of each choice [N, S]."""
        actions = policy.sample(self.rng)
        log_probs = policy.logits.new_zeros(actions.shape)
        log_probs.view(-1)[policy.rows] = policy.log_probs(actions)
        return actions, log_probs

    def _values(self, observation: dict[str, Array]) -> Array:
        with torch.inference_mode():
            return to_host(self.network({name: torch.from_numpy(part) for name, part in observation.items()})[1])

    def _learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Update the network in ``update_epochs`` passes over the rollout, in minibatches."""
        settings = self.settings
        advantages, returns = generalised_advantages(rollout, settings.gamma, settings.gae_lambda)
        mean, deviation = moments(advantages)
        advantages = (advantages - np.float32(mean)) / np.float32(deviation + 1e-8)
        rollout.counterfactuals[:] = scaled(rollout.counterfactuals)
        flat = {name: to_device(part, self.device) for name, part in rollout.flat(advantages, returns).items()}
        packed = join(self.spec, rollout.packed)
        sums, minibatches = torch.zeros(len(METRICS), device=self.device), minibatches_of(settings)
        for _ in range(settings.update_epochs):
            for chosen in torch.randperm(len(flat["returns"])).tensor_split(minibatches):
                rows = to_device(chosen, self.device)
                minibatch = {name: values[rows] for name, values in flat.items()}
                seen = select(self.spec, packed, chosen)
                loss, metrics = ppo_loss(self.network, seen, minibatch, settings, progress)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                sums += average_gradients(self.network, metrics, len(chosen))
                nn.utils.clip_grad_norm_(self.network.parameters(), settings.max_grad_norm)
                self.optimizer.step()
        means = (to_host(sums) / (settings.update_epochs * minibatches)).tolist()
        unexplained = moments(returns - rollout.values[:-1])[1] ** 2 / max(1e-8, moments(returns)[1] ** 2)
        return {**dict(zip(METRICS, means, strict=True)), "explained_variance": 1 - unexplained}

    def _update_average(self) -> None:
        warm = self.steps > _EMA_WARMUP * self.settings.num_envs * self.settings.num_steps
        decay = self.settings.ema_decay if warm else 0.0
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(new, 1 - decay)

    def weights(self) -> dict[str, Tensor]:
        """Return the averaged weights, on the CPU."""
        return {name: part.cpu() for name, part in self.average.state_dict().items()}

    def standings(self) -> tuple[int, float | None, dict[str, float]]:
        """Return the number of games, the recent win rate against bots, and the win rates by opponent."""
        league = self.collector.league
        return league.played, league.win_rate, league.standings()

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return everything that changes, as arrays and as values for JSON.

        All processes call it at once; process 0 gets the states of all of them.
        """
        arrays = {f"network/{name}": part.cpu().numpy() for name, part in self.network.state_dict().items()}
        arrays |= {f"average/{name}": part.cpu().numpy() for name, part in self.average.state_dict().items()}
        arrays |= optimizer_arrays(self.optimizer)
        shared, standings = self.collector.league.state()
        own, values = self.collector.state()
        own |= {"rng": self.rng.get_state().numpy(), "rng/torch": torch.get_rng_state().numpy()}
        owned = collected((own, values))
        arrays |= shared | {f"{_own(i)}{name}": part for i, (own, _) in enumerate(owned) for name, part in own.items()}
        return arrays, {"league": standings, "processes": [values for _, values in owned]}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any], steps: int) -> None:
        """Restore a `state`; KeyError, ValueError or RuntimeError for that of another configuration.

        With another number of processes all games begin anew, with random number generators that no process has had.
        """
        self.steps = steps
        self.network.load_state_dict(tensors(arrays, "network/"))
        self.average.load_state_dict(tensors(arrays, "average/"))
        restore_optimizer(self.optimizer, arrays)
        self.collector.league.restore(arrays, values["league"])
        if len(values["processes"]) != size():
            seed = own_seed(self.config.schedule.seed, steps, size())
            torch.manual_seed(seed)
            self.rng.manual_seed(seed)
            self.collector.begin(seed)
            return
        prefix = _own(rank())
        own = {name.removeprefix(prefix): part for name, part in arrays.items() if name.startswith(prefix)}
        self.rng.set_state(torch.from_numpy(own["rng"]))
        torch.set_rng_state(torch.from_numpy(own["rng/torch"]))
        self.collector.restore(own, values["processes"][rank()])


def _own(i: int) -> str:
    """Return the beginning of the names of what process i alone has, in a `PPO.state`."""
    return f"process/{i}/"


def minibatches_of(settings: PPOConfig) -> int:
    """Return the number of minibatches of an epoch, which is the same in all processes."""
    steps = settings.num_steps * settings.num_envs
    return min(-(-steps // settings.minibatch_size), steps // size())
