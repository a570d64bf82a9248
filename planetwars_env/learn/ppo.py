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
from planetwars_env.learn.network import PolicyNetwork, make_network
from planetwars_env.learn.packing import Packed, join, select
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


METRICS = ("policy_loss", "value_loss", "entropy", "clip_fraction", "approx_kl", "kickstarting_loss")
"""Names of the metrics of `ppo_loss`."""
_MAX_COUNTERFACTUAL = 3.0


def generalised_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> tuple[Array, Array]:
    """Return advantages and returns [T, N] by generalised advantage estimation (Schulman et al. 2016)."""
    advantages, last = np.zeros_like(rollout.rewards), np.zeros_like(rollout.rewards[0])
    for t in reversed(range(len(advantages))):
        running = 1 - rollout.dones[t]
        delta = rollout.rewards[t] + gamma * rollout.values[t + 1] * running - rollout.values[t]
        last = delta + gamma * gae_lambda * running * last
        advantages[t] = last
    return advantages, advantages + rollout.values[:-1]


def scaled(counterfactuals: Array) -> Array:
    """Return counterfactual advantages with unit variance over those that are not 0, clipped at 3 standard deviations."""
    deviation = np.float32(moments(counterfactuals[counterfactuals != 0])[1])
    if not deviation:
        return counterfactuals
    return (counterfactuals / deviation).clip(-_MAX_COUNTERFACTUAL, _MAX_COUNTERFACTUAL)


def ppo_loss(
    network: PolicyNetwork, packed: Packed, minibatch: dict[str, Tensor], settings: PPOConfig, progress: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return the loss of a minibatch, a mean over its steps, and the `METRICS`.

    ``packed``: its observations, as the network packs them; ``minibatch``: rows of `Rollout.flat` on the network's device.
    ``progress``: 0 to 1, the completed part of the run.

    Every slot's choice is clipped on its own, with the advantage of its step. While the policy is still that of the rollout,
    the gradient is that of whole turns; later the clip stops only those choices whose probability has moved.
    """
    policy, values = network.on(packed)
    policy = policy.normalised()

    def of_rows(name: str) -> Tensor:
        return minibatch[name].flatten().index_select(0, policy.rows)

    def log_probs(name: str) -> Tensor:
        return policy.log_probs(minibatch[name])

    log_ratio = log_probs("actions") - of_rows("log_probs")
    ratio = log_ratio.exp()
    advantages = minibatch["advantages"].index_select(0, policy.rows // policy.shape[1])
    weight, policy_loss = counterfactual_weight(settings, progress), 0.0
    if weight:
        difference = weight * of_rows("counterfactuals")
        other_ratio = (log_probs("alternatives") - of_rows("alternative_log_probs")).exp()
        advantages, policy_loss = advantages + difference, _clipped_loss(other_ratio, -difference, settings.clip_coef)
    policy_loss = (policy_loss + _clipped_loss(ratio, advantages, settings.clip_coef)) / len(values)
    # Not logits.exp(): far below 0, where illegal choices are, that takes a hundred times as long.
    entropy = -(torch.softmax(policy.logits, -1) * policy.logits).sum() / len(values)
    value_loss = ((values - minibatch["returns"]) ** 2).mean() / 2
    teaching = kickstarting_weight(settings, progress)
    cross_entropy = -log_probs("teacher_actions") if teaching else values.new_zeros(1)
    loss = policy_loss + settings.vf_coef * value_loss - settings.ent_coef * (1 - progress) * entropy
    loss = loss + teaching * cross_entropy.sum() / len(values)
    with torch.no_grad():
        clip_fraction = ((ratio - 1).abs() > settings.clip_coef).float().mean()
        approx_kl = (ratio - 1 - log_ratio).mean()
        metrics = policy_loss, value_loss, entropy, clip_fraction, approx_kl, cross_entropy.mean()
        return loss, torch.stack(metrics)


def _clipped_loss(ratio: Tensor, advantages: Tensor, clip_coef: float) -> Tensor:
    """Return the clipped surrogate objective as a loss, summed."""
    clipped = ratio.clamp(1 - clip_coef, 1 + clip_coef)
    return -torch.min(ratio * advantages, clipped * advantages).sum()


def kickstarting_weight(settings: PPOConfig, progress: float) -> float:
    """Return the weight of the teacher's cross-entropy at ``progress`` (0 to 1) of the run."""
    return settings.kickstarting_coef * max(0.0, 1 - progress / max(1e-9, settings.kickstarting_until))


def counterfactual_weight(settings: PPOConfig, progress: float) -> float:
    """Return the weight of counterfactual advantages at ``progress`` (0 to 1) of the run."""
    return settings.counterfactual_coef * (1 - progress)
