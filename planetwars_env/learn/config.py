"""Configuration of a training run: dataclasses, their checks, their YAML files, and the user's own parts that they name."""

import re
import sys
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from planetwars_env.bots.loading import import_module_of
from planetwars_env.codec.layout import choices_of_slot, slots_of_action
from planetwars_env.codec.limits import Limits
from planetwars_env.codec.rewards import Reward, Shaped
from planetwars_env.engine.rules import PLANETWARS, PRESETS, Rules
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.envs.registration import rules_of
from planetwars_env.graphs.graph import show
from planetwars_env.settings import ConfigError, check_keys, checked_settings, read_settings, unknown_name

SHIPPED = Path(__file__).resolve().parent / "configs"
NETWORK_KINDS = ("graph", "graph-torch", "mlp")
"""The networks of network.py, named here so that a configuration is checked without torch."""
GRAPH_KINDS = NETWORK_KINDS[:2]
_PLUG = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_BOUNDS = {
    "width": (1, 4096), "rounds": (1, 64), "num_envs": (1, 2**20), "num_steps": (1, 2**20),
    "minibatch_size": (1, None), "update_epochs": (1, None), "copies": (1, 100), "processes": (0, 1024), "steps": (1, None),
    "seed": (0, None), "checkpoint_every": (1, None), "evaluate_every": (1, None), "evaluation_games": (1, None),
}  # fmt: skip
_FIXED: dict[str, dict[str, Any]] = {
    "task": {"masked": True, "memory": False, "actions": "turn", "max_orders": None},
    "learner": {"gamma": 0.99, "gae_lambda": 0.95, "clip_coef": 0.2, "vf_coef": 0.5, "max_grad_norm": 0.5},
}
"""Keys that earlier versions had, and what they are now: a file with these values is read as before. None: with any value."""
GAMMA = 0.99
"""Discount of the learner and of its shaping (ppo.py has PPO's other constants)."""


class ActionSpec(NamedTuple):
    """Action space of a whole turn, ``sends`` * P slots of 1 + D * K choices, K = ``fraction_count``, and rules of the games.

    ``memory``: observations have the table of `MemoryWrapper`.
    """

    limits: Limits
    fraction_count: int
    rules: Rules = PLANETWARS
    memory: bool = False
    sends: int = 1

    @property
    def slots(self) -> int:
        """Number of choices that one action makes."""
        return slots_of_action(self.limits, False, self.sends)

    @property
    def per_slot(self) -> int:
        """Number of choices of a slot; choice 0 waits."""
        return choices_of_slot(self.limits, self.fraction_count, False)


@dataclass(frozen=True)
class TaskConfig:
    """Environments to learn by one network, each with other rules, and their arguments.

    ``shaping``: scale of `Shaped`, 0 for none. ``reward``: "win", or ``module:function`` of a `Transition`, which replaces
    winning and shaping.
    """

    environments: tuple[str, ...] = ("PlanetWars-v0",)
    opponents: tuple[str, ...] = ("random",)
    graphs: str = EnvArguments.graphs
    fractions: tuple[float, ...] = tuple(EnvArguments.fractions)
    limits: str = "classic"
    sends: int = EnvArguments.sends
    max_turns: int | None = EnvArguments.max_turns
    shaping: float = 1.0
    reward: str = "win"

    @property
    def rules(self) -> tuple[Rules, ...]:
        """The rules of each environment; ConfigError for an unknown one."""
        try:
            return tuple(PRESETS[rules_of(name)] for name in self.environments)
        except ValueError as fault:
            raise ConfigError(f"task: {fault}") from None

    def arguments(self, reward: Reward | None = None) -> EnvArguments:
        """Return the arguments of the first environment, with the function that ``self.reward`` names; ConfigError."""
        rules, *_ = self.rules
        shaped = Shaped(GAMMA, self.shaping) if self.shaping else "win"
        same = "graphs", "fractions", "limits", "max_turns", "sends"
        given: Any = {name: getattr(self, name) for name in same}
        try:
            return EnvArguments(rules.name, list(self.opponents), reward=reward or shaped, **given)
        except ValueError as fault:
            raise ConfigError(f"task: {fault}") from None

    def action_spec(self) -> ActionSpec:
        """Return the action space of the first environment; ConfigError for an unknown name."""
        return ActionSpec(self.arguments().chosen_limits, len(self.fractions), self.rules[0], sends=self.sends)


@dataclass(frozen=True)
class NetworkConfig:
    """``kind``: "graph" (message passing), "graph-torch" (the same in plain torch), "mlp" (perceptron) or ``module:Class``.

    ``width``: "graph" is several times as fast for a multiple of 32. ``rounds``: of messages, or hidden layers.
    """

    kind: str = "graph"
    width: int = 32
    rounds: int = 2

    @property
    def any_graph(self) -> bool:
        """Whether the network plays graphs of any size."""
        return self.kind in GRAPH_KINDS


@dataclass(frozen=True)
class PPOConfig:
    """Hyperparameters of PPO (ppo.py), named as in CleanRL; ``num_steps`` are those of each environment in a rollout.

    ``final_learning_rate``: reached at the end of the run by exponential decay. ``ent_coef``: decays linearly to 0.
    ``processes``: that share the environments and each minibatch (processes.py); 0 for as many as there are processors.
    ``ema_decay``: of the averaged weights, which are the agent; 0 for no averaging. ``device``: "cpu", "cuda" or "cuda:1".

    ``kickstarting_coef``: weight of imitating a teacher (advisor.py), decays linearly to 0 in the fraction
    ``kickstarting_until`` of the run. ``counterfactual_coef``: weight of the advantage of single choices (advisor.py), decays
    linearly to 0. ``start``: agent with whose weights the network begins, which may have fewer ``sends``; "" for random ones.
    ``algorithm``: "ppo", or the ``module:Class`` of a `Learner`, which reads of these keys what it needs.
    """

    num_envs: int = 128
    num_steps: int = 32
    minibatch_size: int = 512
    update_epochs: int = 2
    learning_rate: float = 3e-3
    final_learning_rate: float = 1e-4
    ent_coef: float = 0.0
    processes: int = 1
    ema_decay: float = 0.0
    device: str = "cpu"
    kickstarting_coef: float = 0.0
    kickstarting_until: float = 0.2
    counterfactual_coef: float = 0.0
    start: str = ""
    algorithm: str = "ppo"

    def kickstarting_weight(self, progress: float) -> float:
        """Return the weight of the teacher's cross-entropy at ``progress`` (0 to 1) of the run."""
        return self.kickstarting_coef * max(0.0, 1 - progress / max(1e-9, self.kickstarting_until))

    def counterfactual_weight(self, progress: float) -> float:
        """Return the weight of counterfactual advantages at ``progress`` (0 to 1) of the run."""
        return self.counterfactual_coef * (1 - progress)


@dataclass(frozen=True)
class LeagueConfig:
    """Frozen copies of the agent, up to ``copies``, as opponents in ``self_play_fraction`` of the games.

    A new one is made as soon as the agent wins ``promotion_win_rate`` of its games against the newest.
    """

    self_play_fraction: float = 0.0
    copies: int = 4
    promotion_win_rate: float = 0.65


@dataclass(frozen=True)
class ScheduleConfig:
    """Length of a run and its evaluations. ``max_minutes``: of training, after which the run ends; 0 for no limit.

    The distances between checkpoints and between evaluations are in environment steps. Each evaluation plays
    ``evaluation_games`` games on the validation pool against each of ``evaluation_opponents``.
    """

    steps: int = 1_000_000
    seed: int = 0
    max_minutes: float = 0.0
    checkpoint_every: int = 100_000
    evaluate_every: int = 100_000
    evaluation_opponents: tuple[str, ...] = ("random", "ai1")
    evaluation_games: int = 50


@dataclass(frozen=True)
class TrainConfig:
    """Configuration of one training run."""

    task: TaskConfig = field(default_factory=TaskConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    learner: PPOConfig = field(default_factory=PPOConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __str__(self) -> str:
        """Return the configuration as YAML."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, default_flow_style=None)

    @classmethod
    def from_dict(cls, data: Any, to_play: bool = False) -> "TrainConfig":
        """Return the configuration of nested plain values; missing keys have their defaults.

        ``to_play``: an agent is loaded, whose hyper-parameters of earlier versions no longer matter. ConfigError for unknown
        keys, values of a wrong type or out of bounds, and sections that do not fit each other.
        """
        sections: dict[str, Any] = {section.name: section.default_factory for section in fields(cls)}
        check_keys("the configuration", data, sections)
        parts = {}
        for name, values in data.items():
            kept = dict(values) if isinstance(values, dict) else values
            for key, fixed in _FIXED.get(name, {}).items():
                value = kept.pop(key, fixed) if isinstance(kept, dict) else fixed
                if fixed is not None and value != fixed and not (to_play and name == "learner"):
                    raise ConfigError(
                        f"{name}: {key} can no longer be set: it is {fixed}, not {show(value)}. Remove the key, or use "
                        "planetwars-env 0.1"
                    )
            defaults = {key.name: key.default for key in fields(sections[name])}
            parts[name] = sections[name](**checked_settings(name, defaults, kept, _BOUNDS))
        config = cls(**parts)
        config.task.action_spec()
        if len(set(config.task.rules)) < len(config.task.rules):
            raise ConfigError(f"task: environments must differ, not {', '.join(config.task.environments)}")
        for (key, name), known in zip(config.plugs(), (NETWORK_KINDS, ("ppo",), ("win",)), strict=True):
            if name not in known and not _PLUG.fullmatch(name):
                raise ConfigError(unknown_name(f"{key}:", name, (*known, "module:name")))
        if min(config.learner.learning_rate, config.learner.final_learning_rate) <= 0:
            raise ConfigError("learner: learning_rate and final_learning_rate must be above 0")
        return config

    def plugs(self) -> tuple[tuple[str, str], ...]:
        """Return the keys that may name a user's own part, each with its value."""
        named = self.network.kind, self.learner.algorithm, self.task.reward
        return tuple(zip(("network: kind", "learner: algorithm", "task: reward"), named, strict=True))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return nested plain values, for YAML."""
        return {
            name: {key: list(value) if isinstance(value, tuple) else value for key, value in section.items()}
            for name, section in asdict(self).items()
        }


def load_config(name: str | Path, to_play: bool = False) -> TrainConfig:
    """Load a shipped configuration by name (in any case), or a YAML file by path; ConfigError names the file.

    ``to_play``: as of `TrainConfig.from_dict`.
    """
    path, data = read_settings(name, SHIPPED)
    try:
        return TrainConfig.from_dict(data, to_play)
    except ValueError as fault:
        raise ConfigError(f"{path}: {fault}") from None


# A user's own parts, named as module:name. Training imports their modules, also from the current folder. Loading an agent
# imports nothing and finds only what the program has imported, so that a stranger's folder cannot name code to run.


def import_plugs(config: TrainConfig) -> None:
    """Import the modules of a configuration's own parts, which runs their code; ConfigError for a missing one."""
    for key, name in config.plugs():
        if ":" in name:
            import_from_here(key, name.partition(":")[0])
            imported_plug(key, name)


def import_from_here(key: str, module: str) -> None:
    """Import a module by its name, also from the current folder; ConfigError begins with ``key``."""
    try:
        import_module_of(module)
    except ImportError as fault:
        raise ConfigError(
            f"{key}: module {module} cannot be imported ({fault}): it must be installed or lie in {Path.cwd()}"
        ) from fault


def imported_plug(key: str, name: str) -> Any:
    """Return the object ``module:name`` of a module that was imported before; ConfigError, naming it, for another."""
    module, _, attribute = name.partition(":")
    if module not in sys.modules:
        raise ConfigError(
            f"{key} is {name}, code that is not part of the agent: import {module} before, or planetwars evaluate "
            f"--import {module}"
        )
    plug = getattr(sys.modules[module], attribute, None)
    if not callable(plug):
        raise ConfigError(f"{key}: module {module} has no class or function {attribute}")
    return plug
