"""Everything that a training run is made of, as one YAML file: what is learned, by which network, how, and for how long."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from planetwars_env.codec.rewards import Shaped
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.envs.registration import rules_of
from planetwars_env.graphs.graph import show
from planetwars_env.learn.action_spec import Choices
from planetwars_env.learn.plain_yaml import read_yaml

SHIPPED = Path(__file__).resolve().parent / "configs"
NETWORK_KINDS = ("graph", "mlp")
"""Of learn/network.py, named here so that a configuration is checked without torch."""
_AT_LEAST_ONE = {
    "width", "rounds", "games", "rollout", "batch_size", "epochs", "steps", "max_orders",
    "checkpoint_every", "evaluate_every", "evaluation_games", "places",
}  # fmt: skip
_LARGEST = 2**53
_AT_MOST = {
    "width": 4096,
    "rounds": 64,
    "games": 2**20,
    "rollout": 2**20,
    "max_orders": 1000,
    "places": 100,
    "threads": 1024,
}


class ConfigError(ValueError):
    """A configuration that cannot be: which key, what is wrong, and what would be right."""


@dataclass(frozen=True)
class Task:
    """What is learned. The keys are arguments of the environments; ``shaping`` is the scale of `Shaped`, 0 for none.

    Their defaults are those of the environments. ``masked``: whether a graph network is told which orders are legal.
    """

    environment: str = "PlanetWars-v0"
    opponents: tuple[str, ...] = ("random",)
    graphs: str = EnvArguments.graphs
    actions: str = EnvArguments.actions
    fractions: tuple[float, ...] = tuple(EnvArguments.fractions)
    limits: str = "classic"
    max_orders: int = EnvArguments.max_orders
    max_turns: int | None = EnvArguments.max_turns
    shaping: float = 1.0
    masked: bool = True

    def arguments(self, gamma: float = 1.0) -> EnvArguments:
        """The environment of the task, shaped for a learner that discounts by ``gamma``. ConfigError for what cannot be."""
        try:
            return EnvArguments(
                rules=rules_of(self.environment),
                opponent=list(self.opponents),
                graphs=self.graphs,
                actions=self.actions,
                reward=Shaped(gamma, self.shaping) if self.shaping else "win",
                fractions=self.fractions,
                limits=self.limits,
                max_turns=self.max_turns,
                max_orders=self.max_orders,
            )
        except ValueError as fault:
            raise ConfigError(f"task: {fault}") from None


@dataclass(frozen=True)
class NetworkShape:
    """``kind``: "graph" (message passing, any board) or "mlp" (one flat vector). ``rounds``: of messages, or layers."""

    kind: str = "graph"
    width: int = 32
    rounds: int = 2


@dataclass(frozen=True)
class Learner:
    """How it learns: proximal policy optimisation (learn/ppo.py). ``rollout``: steps of each game between updates;
    ``final_learning_rate``: reached at the end, by the same factor every step.

    ``gamma`` is the shaping's as well. ``threads``: that share each update; 0 for all processors. ``average``: how much of
    the averaged weights an update leaves, 0 for no averaging (the agent is made of the averaged ones). ``device``: "cpu" or
    "cuda". ``entropy``: falls to 0 with the run. ``imitation``: the weight of a teacher (kickstarting.py), which falls to 0 in
    the share ``imitation_until`` of the run. ``credit``: the weight of what every single choice was worth (counterfactual.py)
    beside the advantage of the whole turn, which falls to 0 with the run; these two with actions="turn" only.
    """

    games: int = 128
    rollout: int = 32
    batch_size: int = 512
    epochs: int = 2
    learning_rate: float = 3e-3
    final_learning_rate: float = 1e-4
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.0
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    threads: int = 1
    average: float = 0.0
    device: str = "cpu"
    imitation: float = 0.0
    imitation_until: float = 0.2
    credit: float = 0.0


@dataclass(frozen=True)
class League:
    """Whom a game is played against: bots, drawn by how often they still win, and copies of the agent.

    ``share`` of the games are against frozen copies, of which there are up to ``places``: a new one takes the place of the
    one beaten most often, as soon as the agent wins ``promotion`` of its games against the newest.
    """

    share: float = 0.0
    places: int = 4
    promotion: float = 0.65


@dataclass(frozen=True)
class Schedule:
    """How long and what is measured on the way. ``max_minutes``: of training, after which it is cut short; 0 for no limit.

    The distances between checkpoints and evaluations are in steps; each evaluation plays ``evaluation_games`` games on
    the validation pool against each of ``evaluation_opponents``.
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
    """One training run."""

    task: Task = field(default_factory=Task)
    network: NetworkShape = field(default_factory=NetworkShape)
    learner: Learner = field(default_factory=Learner)
    league: League = field(default_factory=League)
    schedule: Schedule = field(default_factory=Schedule)

    def __str__(self) -> str:
        return config_text(self)

    @classmethod
    def from_dict(cls, data: Any) -> "TrainConfig":
        """The inverse of `to_dict`; missing keys have their defaults. ConfigError for unknown keys and wrong kinds."""
        sections = {section.name: section.default_factory for section in fields(cls)}
        _check_keys("the configuration", data, sections)
        config = cls(**{name: _section(name, sections[name], value) for name, value in data.items()})
        for name, section in data.items():
            for key in section.keys() & _AT_LEAST_ONE:
                if section[key] < 1:
                    raise ConfigError(f"{name}: {key} must be at least 1, not {section[key]}")
            for key in section.keys() & _AT_MOST.keys():
                if section[key] > _AT_MOST[key]:
                    raise ConfigError(f"{name}: {key} must be at most {_AT_MOST[key]}, not {section[key]}")
        choices_of(config.task)
        if config.network.kind != "graph" and not config.task.masked:
            raise ConfigError('task: masked: false needs network: kind "graph"')
        _named("network: kind", config.network.kind, dict.fromkeys(NETWORK_KINDS))
        if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", config.learner.device):
            raise ConfigError(
                f'learner: device must be "cpu", "cuda" or "cuda:" and a number, not {show(config.learner.device)}'
            )
        for key in ("imitation", "credit"):
            if getattr(config.learner, key) and config.task.actions != "turn":
                raise ConfigError(f'learner: {key} needs task: actions "turn"; set it to 0')
        if min(config.learner.learning_rate, config.learner.final_learning_rate) <= 0:
            raise ConfigError("learner: learning_rate and final_learning_rate must be above 0")
        return config

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain values, for YAML."""
        return {
            name: {key: list(value) if isinstance(value, tuple) else value for key, value in section.items()}
            for name, section in asdict(self).items()
        }


def shipped_configs() -> list[str]:
    """The names of the configurations that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.yaml"))


def load_config(name: str | Path) -> TrainConfig:
    """A shipped configuration by name, or a YAML file by path. ConfigError, naming the file, where that is not possible."""
    shipped = SHIPPED / f"{name}.yaml"
    path = shipped if str(name) in shipped_configs() else Path(name)
    try:
        data = read_yaml(path)
    except OSError as fault:
        known = ", ".join(shipped_configs())
        raise ConfigError(
            f"no configuration {str(name)!r} ({fault.strerror}); known: {known}; or a YAML file"
        ) from fault
    except yaml.YAMLError as fault:
        raise ConfigError(f"{path} is not YAML: {fault}") from fault
    try:
        return TrainConfig.from_dict({} if data is None else data)
    except ValueError as fault:
        raise ConfigError(f"{path}: {fault}") from None


def config_text(config: TrainConfig) -> str:
    """The configuration as YAML."""
    return yaml.safe_dump(config.to_dict(), sort_keys=False, default_flow_style=None)


def choices_of(task: Task) -> Choices:
    """The action space of a task. ConfigError for an unknown name."""
    arguments = task.arguments()
    rules, limits, orders = arguments.chosen_rules, arguments.chosen_limits, arguments.orders > 0
    return Choices(orders, limits, len(task.fractions), rules.coexistence, rules.turns_per_weight, task.masked)


def _named(where: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise ConfigError(f"{where}: unknown {name!r}; known: {', '.join(known)}")
    return known[name]


def _section(name: str, cls: Any, data: Any) -> Any:
    known = {key.name: key for key in fields(cls)}
    _check_keys(name, data, known)
    return cls(**{key: _value(f"{name}: {key}", known[key].default, value) for key, value in data.items()})


def _check_keys(where: str, data: Any, known: Any) -> None:
    if not isinstance(data, dict):
        raise ConfigError(f"{where} must be a mapping with some of {', '.join(known)}, not {show(data)}")
    for key in data:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {show(key)}; known: {', '.join(known)}")


def _value(where: str, default: Any, value: Any) -> Any:
    """The value in the kind of the default; a whole number will do for a float, and None stands for a number left out."""
    assert default is not MISSING
    if isinstance(default, tuple):
        return _items(where, default, value)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ConfigError(f"{where} must be true or false, not {show(value)}")
        return value
    if default is None:
        kinds, kind = (int, type(None)), "a whole number or null"
    else:
        kinds, kind = _KINDS[type(default)]
    if not isinstance(value, kinds) or isinstance(value, bool) or not (isinstance(value, str) or _in_bounds(value)):
        raise ConfigError(f"{where} must be {kind}, not {show(value)}")
    return float(value) if isinstance(default, float) else value


def _in_bounds(value: float | None) -> bool:
    """Finite, and no larger than arrays and generators can take."""
    return value is None or (-_LARGEST <= value <= _LARGEST)


def _items(where: str, default: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise ConfigError(f"{where} must be a list with at least one item, not {show(value)}")
    return tuple(_value(f"{where}, item {i + 1},", default[0], item) for i, item in enumerate(value))


_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
}
