"""Proximal policy optimisation (Schulman et al. 2017): rollouts, advantages, clipped updates. `Learner` is its interface.

Axes: T steps of a rollout, N environments, B steps of a minibatch, R slots with a choice in it.
"""

import ctypes
import sys
from copy import deepcopy
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from planetwars_env.engine.state import Array
from planetwars_env.learn import processes
from planetwars_env.learn.agent import load_weights
from planetwars_env.learn.config import GAMMA, PPOConfig, TrainConfig, imported_plug
from planetwars_env.learn.graph_batch import Observation
from planetwars_env.learn.network import PolicyNetwork, make_network
from planetwars_env.learn.rollout import Rollout, RolloutCollector
from planetwars_env.learn.tensors import arrays_under, as_tensors, named, tensors_under, to_device, to_host
from planetwars_env.settings import ConfigError

METRICS = ("policy_loss", "value_loss", "entropy", "clip_fraction", "approx_kl", "kickstarting_loss")
"""Names of the metrics of `ppo_loss`."""
GAE_LAMBDA = 0.95
CLIP_COEF = 0.2
VF_COEF = 0.5
"""Weight of the value loss."""
MAX_GRAD_NORM = 0.5
_MAX_COUNTERFACTUAL = 3.0  # Standard deviations at which counterfactual advantages are clipped
_EMA_WARMUP = 20  # Rollouts before the averaged weights differ from the network's


class Learner(Protocol):
    """Algorithm of a training run, made by ``Class(config)``: what ``algorithm: "module:Class"`` must offer.

    The run calls `advance` until ``steps`` reaches ``config.schedule.steps``, logs its metrics, and saves `weights` as the
    agent. `docs/plugs.md` has an example.
    """

    steps: int
    """Environment steps so far."""

    def advance(self) -> dict[str, float]:
        """Learn for a while, increase ``steps``, and return metrics for TensorBoard."""
        ...

    def weights(self) -> dict[str, Tensor]:
        """Return the weights of the agent on the CPU, as ``pw.Agent("name", config).network.state_dict()`` has them."""
        ...

    def standings(self) -> tuple[int, float | None, dict[str, float]]:
        """Return the number of games so far, the recent win rate (None before a game has ended), and those by opponent."""
        ...

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return everything that a resumed run needs, as arrays and as values for JSON."""
        ...

    def restore(self, arrays: dict[str, Array], values: dict[str, Any], steps: int) -> None:
        """Restore a `state`."""
        ...


class PPO:
    """PPO learner: `advance` collects one rollout and learns from it; `state` and `restore` hold everything it changes.

    Each environment of the task has a collector. Several processes (processes.py) have equal learners, and own games.
    """

    def __init__(self, config: TrainConfig) -> None:
        learner, seed = config.learner, config.schedule.seed
        torch.manual_seed(seed)
        # glibc's mallopt: an update allocates and frees hundreds of tensors of some megabytes. Learning is an eighth faster
        # where the process reuses their memory, which would else be mapped and cleared anew every time.
        if mallopt := getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None:
            for threshold in (-3, -1):  # from where memory is mapped, and up to where it is not returned
                mallopt(threshold, 1 << 30)
        torch.set_num_threads(1)
        self.config, self.settings, self.steps = config, learner, 0
        self.spec = config.task.action_spec()
        self.device = torch.device(processes.own_device(learner.device))
        self.network = make_network(config.network, self.spec)
        if learner.start:
            load_weights(self.network, learner.start)
        self.network.to(self.device)
        self.average = deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=learner.learning_rate, eps=1e-5, fused=True)
        part, rest = divmod(learner.num_envs, processes.size())
        tasks = [replace(config.task, environments=(name,)) for name in config.task.environments]
        games = part + (processes.rank() < rest)
        seeds = [processes.own_seed(seed, *([i] if i else [])) for i in range(len(tasks))]
        self.collectors = [
            RolloutCollector(config, task, len(range(i, games, len(tasks))), seeds[i]) for i, task in enumerate(tasks)
        ]
        self.rng = torch.Generator(self.device).manual_seed(processes.own_seed(seed))

    def advance(self) -> dict[str, float]:
        """Collect one rollout of each environment and learn from all of them; return the means of the metrics."""
        progress = min(1.0, self.steps / self.config.schedule.steps)
        networks = [self.network.with_spec(rules=collector.batch.setup.rules) for collector in self.collectors]
        pairs = zip(self.collectors, networks, strict=True)
        rollouts = [collector.collect(network, self.rng, progress) for collector, network in pairs]
        self.steps += self.settings.num_envs * self.settings.num_steps
        first, last = self.settings.learning_rate, self.settings.final_learning_rate
        learning_rate = first * (last / first) ** progress
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        metrics = self._learn(networks, rollouts, progress)
        warm = self.steps > _EMA_WARMUP * self.settings.num_envs * self.settings.num_steps
        decay = self.settings.ema_decay if warm else 0.0
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(new, 1 - decay)
        for collector in self.collectors:
            collector.league.promote(self.average.state_dict())
        return {**metrics, "learning_rate": learning_rate}

    def _learn(self, networks: list[PolicyNetwork], rollouts: list[Rollout], progress: float) -> dict[str, float]:
        """Update the network in ``update_epochs`` passes over the rollouts, each of its own rules, in minibatches."""
        settings, parts, returns_of, observations = self.settings, [], [], []
        for rollout in rollouts:
            advantages, returns = generalised_advantages(rollout)
            mean, deviation = processes.moments(advantages)
            advantages = (advantages - np.float32(mean)) / np.float32(deviation + 1e-8)
            rollout.counterfactuals[:] = scaled(rollout.counterfactuals)
            parts.append(rollout.flat(advantages, returns))
            returns_of.append(returns.ravel())
            observations.append(
                {name: part.reshape(-1, *part.shape[2:]) for name, part in rollout.observations.items()}
            )
        flat = {name: to_device(torch.cat([part[name] for part in parts]), self.device) for name in parts[0]}
        firsts = np.cumsum([0, *map(len, returns_of)])
        sums, steps = torch.zeros(len(METRICS), device=self.device), settings.num_steps * settings.num_envs
        minibatches = min(-(-steps // settings.minibatch_size), steps // processes.size())  # the same in all processes
        for _ in range(settings.update_epochs):
            for chosen in np.array_split(torch.randperm(len(flat["returns"])).numpy(), minibatches):
                metrics = torch.zeros_like(sums)
                self.optimizer.zero_grad(set_to_none=True)
                for network, seen, first, end in zip(networks, observations, firsts, firsts[1:], strict=False):
                    own = chosen[(chosen >= first) & (chosen < end)]
                    if not len(own):
                        continue
                    rows = to_device(torch.from_numpy(own), self.device)
                    observation = as_tensors({name: part[own - first] for name, part in seen.items()})
                    choices = {name: values[rows] for name, values in flat.items()}
                    total, numbers = self.loss(network, observation, choices, progress)
                    (total * (len(own) / len(chosen))).backward()
                    metrics += numbers * (len(own) / len(chosen))
                sums += processes.average_gradients(self.network, metrics, len(chosen))
                nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRAD_NORM)
                self.optimizer.step()
        means = (to_host(sums) / (settings.update_epochs * minibatches)).tolist()
        returns = np.concatenate(returns_of)
        values = np.concatenate([rollout.values[:-1].ravel() for rollout in rollouts])
        unexplained = processes.moments(returns - values)[1] ** 2 / max(1e-8, processes.moments(returns)[1] ** 2)
        return {**dict(zip(METRICS, means, strict=True)), "explained_variance": 1 - unexplained}

    def loss(
        self, network: PolicyNetwork, observation: Observation, minibatch: dict[str, Tensor], progress: float
    ) -> tuple[Tensor, Tensor]:
        """Return what `ppo_loss` returns, for a minibatch; a learner derived from this one may add a term."""
        return ppo_loss(network, observation, minibatch, self.settings, progress)

    def weights(self) -> dict[str, Tensor]:
        """Return the averaged weights, on the CPU."""
        return {name: part.cpu() for name, part in self.average.state_dict().items()}

    def standings(self) -> tuple[int, float | None, dict[str, float]]:
        """Return the number of games, the recent win rate against bots, and the win rates by opponent."""
        leagues = [collector.league for collector in self.collectors]
        rates = [league.win_rate for league in leagues if league.win_rate is not None]
        names = [f"{name}/" for name in self.config.task.environments] if len(leagues) > 1 else [""]
        pairs = zip(names, leagues, strict=True)
        standings = {name + opponent: rate for name, league in pairs for opponent, rate in league.standings().items()}
        return sum(league.played for league in leagues), sum(rates) / len(rates) if rates else None, standings

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return everything that changes, as arrays and as values for JSON.

        All processes call it at once; process 0 gets the states of all of them.
        """
        arrays = named("network/", self.network.state_dict()) | named("average/", self.average.state_dict())
        for i, parts in self.optimizer.state_dict()["state"].items():
            arrays |= named(f"optimizer/{i}/", parts)
        own = named("", {"rng": self.rng.get_state(), "rng/torch": torch.get_rng_state()})
        leagues, values = [], []
        for i, collector in enumerate(self.collectors):
            (shared, counts), (games, rng) = collector.league.state(), collector.state()
            arrays |= named(f"league/{i}/", shared)
            own |= named(f"{i}/", games)
            leagues.append(counts)
            values.append(rng)
        owned = processes.collected((own, values))
        for i, (own, _) in enumerate(owned):
            arrays |= named(f"process/{i}/", own)
        return arrays, {"leagues": leagues, "processes": [values for _, values in owned]}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any], steps: int) -> None:
        """Restore a `state`; KeyError, ValueError or RuntimeError for that of another configuration.

        With another number of processes all games begin anew, with random number generators that no process has had.
        """
        self.steps = steps
        self.network.load_state_dict(tensors_under("network/", arrays))
        self.average.load_state_dict(tensors_under("average/", arrays))
        saved: dict[int, dict[str, Tensor]] = {}
        for name, part in tensors_under("optimizer/", arrays).items():
            i, key = name.split("/")
            saved.setdefault(int(i), {})[key] = part
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": saved})
        for i, collector in enumerate(self.collectors):
            collector.league.restore(arrays_under(f"league/{i}/", arrays), values["leagues"][i])
        if len(values["processes"]) != processes.size():
            seed = processes.own_seed(self.config.schedule.seed, steps, processes.size())
            torch.manual_seed(seed)
            self.rng.manual_seed(seed)
            for i, collector in enumerate(self.collectors):
                collector.begin(seed + i)
            return
        own = arrays_under(f"process/{processes.rank()}/", arrays)
        self.rng.set_state(torch.from_numpy(own["rng"]))
        torch.set_rng_state(torch.from_numpy(own["rng/torch"]))
        for i, collector in enumerate(self.collectors):
            collector.restore(arrays_under(f"{i}/", own), values["processes"][processes.rank()][i])


def generalised_advantages(
    rollout: Rollout, gamma: float = GAMMA, gae_lambda: float = GAE_LAMBDA
) -> tuple[Array, Array]:
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
    deviation = np.float32(processes.moments(counterfactuals[counterfactuals != 0])[1])
    if not deviation:
        return counterfactuals
    return (counterfactuals / deviation).clip(-_MAX_COUNTERFACTUAL, _MAX_COUNTERFACTUAL)


def ppo_loss(
    network: PolicyNetwork,
    observation: Observation,
    minibatch: dict[str, Tensor],
    settings: PPOConfig,
    progress: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Return the loss of a minibatch, a mean over its steps, and the `METRICS`.

    ``observation``: of its steps, on the CPU; ``minibatch``: rows of `Rollout.flat` on the network's device. ``progress``: 0
    to 1, the completed part of the run.

    Every slot's choice is clipped on its own, with the advantage of its step. While the policy is still that of the rollout,
    the gradient is that of whole turns; later the clip stops only those choices whose probability has moved.
    """
    policy, values = network(observation)
    policy = policy.normalised()

    def of_rows(name: str) -> Tensor:
        return minibatch[name].flatten().index_select(0, policy.rows)

    def log_probs(name: str) -> Tensor:
        return policy.log_probs(minibatch[name])

    log_ratio = log_probs("actions") - of_rows("log_probs")
    ratio = log_ratio.exp()
    advantages = minibatch["advantages"].index_select(0, policy.rows // policy.shape[1])
    weight, policy_loss = settings.counterfactual_weight(progress), 0.0
    if weight:
        difference = weight * of_rows("counterfactuals")
        other_ratio = (log_probs("alternatives") - of_rows("alternative_log_probs")).exp()
        advantages, policy_loss = advantages + difference, _clipped_loss(other_ratio, -difference)
    policy_loss = (policy_loss + _clipped_loss(ratio, advantages)) / len(values)
    # Not logits.exp(): far below 0, where illegal choices are, that takes a hundred times as long.
    entropy = -(torch.softmax(policy.logits, -1) * policy.logits).sum() / len(values)
    value_loss = ((values - minibatch["returns"]) ** 2).mean() / 2
    teaching = settings.kickstarting_weight(progress)
    cross_entropy = -log_probs("teacher_actions") if teaching else values.new_zeros(1)
    loss = policy_loss + VF_COEF * value_loss - settings.ent_coef * (1 - progress) * entropy
    loss = loss + teaching * cross_entropy.sum() / len(values)
    with torch.no_grad():
        clip_fraction = ((ratio - 1).abs() > CLIP_COEF).float().mean()
        approx_kl = (ratio - 1 - log_ratio).mean()
        metrics = policy_loss, value_loss, entropy, clip_fraction, approx_kl, cross_entropy.mean()
        return loss, torch.stack(metrics)


def _clipped_loss(ratio: Tensor, advantages: Tensor) -> Tensor:
    clipped = ratio.clamp(1 - CLIP_COEF, 1 + CLIP_COEF)
    return -torch.min(ratio * advantages, clipped * advantages).sum()


def make_learner(config: TrainConfig) -> Learner:
    """Return the learner of a configuration; ConfigError for a class that lacks a part of `Learner`."""
    name = config.learner.algorithm
    if name == "ppo":
        return PPO(config)
    learner = imported_plug("learner: algorithm", name)(config)
    parts = "advance", "weights", "standings", "state", "restore"
    missing = [part for part in parts if not callable(getattr(learner, part, None))]
    missing += [] if isinstance(getattr(learner, "steps", None), int) else ["steps"]
    if missing:
        raise ConfigError(f"learner: algorithm: {name} lacks {', '.join(missing)}: pw.Learner says what each must do")
    return learner
