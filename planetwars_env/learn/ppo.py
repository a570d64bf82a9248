"""Proximal policy optimisation (Schulman et al. 2017), on one page: games, advantages, clipped updates.

Axes: T steps of a rollout, N games, B steps of a minibatch, R slots with a choice in it.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from planetwars_env.engine.state import Array
from planetwars_env.learn.checkpoint import optimizer_arrays, restore_optimizer, tensors
from planetwars_env.learn.config import Learner, TrainConfig, choices_of
from planetwars_env.learn.malloc import keep_memory
from planetwars_env.learn.network import NETWORKS, Scores, draw, log_probs_of, normalised
from planetwars_env.learn.rollout import Games, Rollout


class PPO:
    """The learner: `advance` plays one rollout and learns from it. Everything it holds goes through `state` and `restore`."""

    def __init__(self, config: TrainConfig) -> None:
        learner, choices = config.learner, choices_of(config.task)
        torch.manual_seed(config.schedule.seed)
        keep_memory()
        torch.set_num_threads(1)
        self.config, self.settings, self.steps = config, learner, 0
        network = NETWORKS[config.network.kind](choices, config.network.width, config.network.rounds)
        self.network = network.to(learner.device)
        self.average = deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=learner.learning_rate, eps=1e-5)
        self.workers = _Workers(self.network, learner.threads or torch.multiprocessing.cpu_count())
        self.games = Games(config, len(self.workers.replicas))
        self.rng = [torch.Generator().manual_seed(config.schedule.seed + i) for i in range(len(self.workers.replicas))]

    def advance(self) -> dict[str, float]:
        """One rollout and its updates; the numbers to watch, each a mean."""
        progress = min(1.0, self.steps / self.config.schedule.steps)
        self.games.draw_opponents()
        advised, judged = pull_of(self.settings, progress) > 0, credit_of(self.settings, progress) > 0
        rollout = self.games.play(partial(self._act, judged=judged), self._values, advised, judged)
        self.steps += rollout.dones.size
        first, last = self.settings.learning_rate, self.settings.final_learning_rate
        rate = first * (last / first) ** progress
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        numbers = self._learn(rollout, progress)
        self._average()
        self.games.league.consider(self.average.state_dict())
        return {**numbers, "learning_rate": rate}

    def _act(self, observation: dict[str, Array], judged: bool = False) -> tuple[Array, ...]:
        """Actions [N, S], the log-probability of each choice [N, S], both of what else might have been drawn, values [N].

        ``judged``: draw something else for comparison; without, it is the same again.
        """

        def act(i: int, network: nn.Module, rows: slice) -> tuple[Tensor, ...]:
            with torch.inference_mode():
                scores, values = network({name: torch.from_numpy(part[rows]) for name, part in observation.items()})
                scores = _on_cpu(normalised(scores))
                drawn = self._draw(scores, i)
                return *drawn, *(self._draw(scores, i) if judged else drawn), values.cpu()

        parts = self.workers.share(act, len(observation["clock"]))
        return tuple(torch.cat(part).numpy() for part in zip(*parts, strict=True))

    def _draw(self, scores: Scores, i: int) -> tuple[Tensor, Tensor]:
        """Choices and the log-probability of each."""
        actions = draw(scores, self.rng[i])
        old = torch.zeros(actions.shape)
        old.view(-1)[scores.rows] = log_probs_of(scores, actions)
        return actions, old

    def _values(self, observation: dict[str, Array]) -> Array:
        with torch.inference_mode():
            return self.network({name: torch.from_numpy(part) for name, part in observation.items()})[1].cpu().numpy()

    def _learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """``epochs`` passes over the rollout in minibatches."""
        settings = self.settings
        advantages, returns = advantages_of(rollout, settings.gamma, settings.gae_lambda)
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        rollout.credit[:] = scaled(rollout.credit)
        flat = rollout.flat(advantages, returns)
        size, sums, count = len(flat["returns"]), torch.zeros(len(_NUMBERS)), 0
        for _ in range(settings.epochs):
            for chosen in torch.randperm(size).split(settings.batch_size):

                def backward(_: int, network: nn.Module, rows: slice, chosen: Tensor = chosen) -> Tensor:
                    part = {name: values[chosen[rows]] for name, values in flat.items()}
                    loss, numbers = loss_of(network, part, settings, progress)
                    share = len(part["returns"]) / len(chosen)
                    (loss * share).backward()
                    return numbers * share

                self.optimizer.zero_grad(set_to_none=True)
                sums += torch.stack(self.workers.share(backward, len(chosen))).sum(0)
                self.workers.gather_gradients()
                nn.utils.clip_grad_norm_(self.network.parameters(), settings.max_grad_norm)
                self.optimizer.step()
                count += 1
        explained = 1 - float((returns - rollout.values[:-1]).var() / max(1e-8, returns.var()))
        return {**dict(zip(_NUMBERS, (sums / count).tolist(), strict=True)), "explained_variance": explained}

    def _average(self) -> None:
        keep = self.settings.average if self.steps > 20 * self.games.batch.games * self.settings.rollout else 0.0
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(new, 1 - keep)

    def weights(self) -> dict[str, Tensor]:
        """The averaged network's."""
        return {name: part.cpu() for name, part in self.average.state_dict().items()}

    def standings(self) -> tuple[int, float | None, dict[str, float]]:
        """Games so far, the share of the last ones against bots that was won, and win rates by opponent."""
        league = self.games.league
        return league.played, league.win_rate, league.standings()

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """All that goes on changing, as arrays and as values for JSON."""
        arrays = {f"network/{name}": part.cpu().numpy() for name, part in self.network.state_dict().items()}
        arrays |= {f"average/{name}": part.cpu().numpy() for name, part in self.average.state_dict().items()}
        arrays |= optimizer_arrays(self.optimizer)
        arrays |= {f"rng/{i}": rng.get_state().numpy() for i, rng in enumerate(self.rng)}
        arrays["rng/torch"] = torch.get_rng_state().numpy()
        games, values = self.games.state()
        return arrays | {f"games/{name}": part for name, part in games.items()}, {"games": values}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any], steps: int) -> None:
        """The inverse of `state`. KeyError, ValueError or RuntimeError where it is another learner's."""
        self.steps = steps
        self.network.load_state_dict(tensors(arrays, "network/"))
        self.average.load_state_dict(tensors(arrays, "average/"))
        restore_optimizer(self.optimizer, arrays)
        for i, rng in enumerate(self.rng):
            rng.set_state(torch.from_numpy(arrays[f"rng/{i}"]))
        torch.set_rng_state(torch.from_numpy(arrays["rng/torch"]))
        games = {name.removeprefix("games/"): part for name, part in arrays.items() if name.startswith("games/")}
        self.games.restore(games, values["games"])


_LARGEST = 3.0
_TARGETS = "actions", "old", "others", "old_others", "advantages", "returns", "advice", "credit"
"""The parts of a minibatch that are no observation."""
_NUMBERS = ("policy_loss", "value_loss", "entropy", "clipped", "kl", "imitation")


def advantages_of(rollout: Rollout, gamma: float, decay: float) -> tuple[Array, Array]:
    """Generalised advantage estimation (Schulman et al. 2016): advantages and returns [T, N]."""
    advantages, ahead = np.zeros_like(rollout.rewards), np.zeros_like(rollout.rewards[0])
    for t in reversed(range(len(advantages))):
        goes_on = 1 - rollout.dones[t]
        surprise = rollout.rewards[t] + gamma * rollout.values[t + 1] * goes_on - rollout.values[t]
        ahead = surprise + gamma * decay * goes_on * ahead
        advantages[t] = ahead
    return advantages, advantages + rollout.values[:-1]


def scaled(credit: Array) -> Array:
    """Of unit variance where there is any, and without the few large ones that a game's end makes."""
    given = credit[credit != 0]
    return (credit / given.std()).clip(-_LARGEST, _LARGEST) if given.size > 1 else credit


def loss_of(
    network: nn.Module, part: dict[str, Tensor], settings: Learner, progress: float = 0.0
) -> tuple[Tensor, Tensor]:
    """The loss of a minibatch (a mean over its steps) at ``progress`` (0 to 1) of the run, and the numbers to watch.

    ``part`` is on the CPU, where boards are packed; what the scores are compared with goes to the network's device.
    A slot's choice is a player of its own with the step's advantage. While the policy is still that of the rollout, the
    gradient is that of the whole turn; later the clip holds back only those choices whose probability has moved.
    """
    scores, values = network(part)
    scores = normalised(scores)
    part = {name: part[name].to(values.device) for name in _TARGETS}
    moved = log_probs_of(scores, part["actions"]) - part["old"].flatten().index_select(0, scores.rows)
    advantages = part["advantages"].index_select(0, scores.rows // scores.slots[1])
    weight, policy_loss = credit_of(settings, progress), 0.0
    if weight:
        credit = weight * part["credit"].flatten().index_select(0, scores.rows)
        other = log_probs_of(scores, part["others"]) - part["old_others"].flatten().index_select(0, scores.rows)
        advantages, policy_loss = advantages + credit, _surrogate(other.exp(), -credit, settings.clip_range)
    ratio = moved.exp()
    policy_loss = (policy_loss + _surrogate(ratio, advantages, settings.clip_range)) / len(values)
    entropy = -(scores.logits.exp() * scores.logits).sum() / len(values)
    value_loss = ((values - part["returns"]) ** 2).mean() / 2
    pull = pull_of(settings, progress)
    apart = -log_probs_of(scores, part["advice"]) if pull else values.new_zeros(1)
    loss = policy_loss + settings.value_weight * value_loss - settings.entropy * (1 - progress) * entropy
    loss = loss + pull * apart.sum() / len(values)
    with torch.no_grad():
        numbers = (
            policy_loss,
            value_loss,
            entropy,
            ((ratio - 1).abs() > settings.clip_range).float().mean(),
            (ratio - 1 - moved).mean(),
            apart.mean(),
        )
        return loss, torch.stack(numbers).cpu()


def _surrogate(ratio: Tensor, advantages: Tensor, clip_range: float) -> Tensor:
    """The clipped objective, as a loss."""
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    return -torch.min(ratio * advantages, clipped * advantages).sum()


def pull_of(settings: Learner, progress: float) -> float:
    """The weight of the teacher's advice (Schmitt et al. 2018 call it kickstarting), at ``progress`` (0 to 1) of the run."""
    return settings.imitation * max(0.0, 1 - progress / max(1e-9, settings.imitation_until))


def credit_of(settings: Learner, progress: float) -> float:
    """The weight of what single choices were worth (learn/counterfactual.py), at ``progress`` (0 to 1) of the run."""
    return settings.credit * (1 - progress)


class _Workers:
    """Threads that share the work on one network: replicas with its weights (the same memory) and gradients of their own.

    Torch's own threads wait for each other at every operation, and crawl when one of the cores is taken.
    """

    def __init__(self, network: nn.Module, threads: int) -> None:
        self.replicas = [network, *(deepcopy(network) for _ in range(threads - 1))]
        for replica in self.replicas[1:]:
            for own, shared in zip(replica.parameters(), network.parameters(), strict=True):
                own.data = shared.data
        self._pool = ThreadPoolExecutor(threads, "learner") if threads > 1 else None

    def share(self, work: Callable[[int, nn.Module, slice], Any], size: int) -> list[Any]:
        """``work(i, replica, rows)`` of every replica on its share of ``size`` rows, in order."""
        bounds = np.linspace(0, size, len(self.replicas) + 1).astype(int)
        jobs = [(i, replica, slice(bounds[i], bounds[i + 1])) for i, replica in enumerate(self.replicas)]
        if self._pool is None:
            return [work(*jobs[0])]
        return [future.result() for future in [self._pool.submit(work, *job) for job in jobs]]

    def gather_gradients(self) -> None:
        """The sum of all replicas' gradients into the first one's."""
        for replica in self.replicas[1:]:
            for own, part in zip(self.replicas[0].parameters(), replica.parameters(), strict=True):
                if part.grad is not None:
                    own.grad = part.grad if own.grad is None else own.grad + part.grad
                    part.grad = None


def _on_cpu(scores: Scores) -> Scores:
    return scores._replace(rows=scores.rows.cpu(), logits=scores.logits.cpu())
