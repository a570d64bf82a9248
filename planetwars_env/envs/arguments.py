"""The arguments of every environment: their names, defaults, meanings and checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypedDict

from gymnasium.vector import AutoresetMode

from planetwars_env.bots.catalogue import resolve_players
from planetwars_env.codec.derived import OBSERVATION_FORMS
from planetwars_env.codec.layout import make_codec
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, LARGE, TINY, Limits
from planetwars_env.codec.rewards import Reward, resolve_reward
from planetwars_env.engine.rules import PRESETS, Rules
from planetwars_env.game import turn_limit
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.graphs.generators import GraphGenerator
from planetwars_env.names import known_name, suggestion
from planetwars_env.sim.setup import Autoreset, BatchSetup

_LIMITS = {"TINY": TINY, "CLASSIC": CLASSIC, "LARGE": LARGE}
_PLAYERS: dict[str | int, int | None] = {"random": None, 1: 1, 2: 2}


@dataclass(frozen=True)
class EnvArguments:
    """The arguments of every environment. ValueError says which one is wrong and what would be right.

    - `rules`: `pw.PLANETWARS` and so on, or its name; the id has chosen it already
    - `opponent`: a bot, an agent of the zoo or its folder, `"module:Class"`, a .py file, a class or factory of strategies;
      of a list one is drawn for each game; `"self"`: [the agent itself](search.md#self-play)
    - `graphs`: a pool, a graph, a path, a list of them, or a `pw.GraphGenerator`; its graphs are
      made when a game first needs them
    - `player`: 1, 2, or `"random"`: drawn for each game
    - `actions`: `"turn"`: a step is a whole turn; `"order"`: a step is one move
    - `observation`: `"tensors"`: a Dict of arrays; `"flat"`: one vector without edge_index and mask; `"derived"`: the Dict
      with [features that follow from it](observations.md#derived-features); `"graph"`: [a Graph](graph-observations.md)
    - `reward`: `"win"`, `pw.Shaped(gamma, scale)`, or a function of a `pw.Transition`
    - `fractions`: the shares of a planet's people that can be sent, the nine that agents
      [learn most with](experiments/fractions.md); with 1.0 a planet can be left to nobody (R8)
    - `limits`: the largest graph that fits, or its name (TINY, CLASSIC, LARGE); all shapes come from it
    - `max_turns`: the last turn of both players; None: as the table of ids says
    - `max_orders`: with `actions="order"`: orders in a turn, illegal ones counted
    - `sends`: with `actions="turn"`: sends of a planet in one turn, [each of what is left](observations.md#actions)
    - `privileged`: True adds the same numbers without fog under `"state"`, [for critics](observations.md#state)
    """

    rules: str | Rules = "PLANETWARS"
    opponent: Any = "random"
    graphs: Any = "train"
    player: str | int = "random"
    actions: str = "turn"
    observation: str = "tensors"
    reward: str | Reward = "win"
    fractions: Sequence[float] = FRACTIONS
    limits: Limits | str = CLASSIC
    max_turns: int | None = None
    max_orders: int = 8
    sends: int = 1
    privileged: bool = False

    def __post_init__(self) -> None:
        """Check what can be checked without loading opponents and graphs."""
        _choice("player", self.player, _PLAYERS)
        _choice("observation", self.observation, dict.fromkeys((*OBSERVATION_FORMS, "graph")))
        if not isinstance(self.privileged, bool):
            raise ValueError(f"privileged must be True or False, not {self.privileged!r:.100}")
        if self.privileged and self.observation == "graph":
            raise ValueError('privileged=True needs another observation than "graph", such as "tensors"')
        turn_limit(self.chosen_rules, self.max_turns)
        make_codec(self.chosen_limits, self.fractions, self.orders, self.sends)
        resolve_reward(self.reward)

    @property
    def chosen_rules(self) -> Rules:
        """The rules, found by their name."""
        return resolve_rules(self.rules)

    @property
    def chosen_limits(self) -> Limits:
        """The limits, found by their name."""
        return self.limits if isinstance(self.limits, Limits) else _choice("limits", self.limits, _LIMITS)

    @property
    def orders(self) -> int:
        """The orders that a turn may hold; 0 where one action is a whole turn."""
        if self.max_orders < 1:
            raise ValueError(f"max_orders must be at least 1, not {self.max_orders}")
        return _choice("actions", self.actions, {"turn": 0, "order": self.max_orders})

    def setup(self, autoreset: Autoreset, single: bool = False) -> BatchSetup:
        """A batch's `BatchSetup`; with ``single`` the opponent may be an instance of a strategy."""
        return BatchSetup(
            rules=self.chosen_rules,
            graphs=self.graphs if isinstance(self.graphs, GraphGenerator) else resolve_graphs(self.graphs),
            opponents=resolve_players(self.opponent, single=single),
            player=_choice("player", self.player, _PLAYERS),
            limits=self.chosen_limits,
            fractions=tuple(float(fraction) for fraction in self.fractions),
            max_orders=self.orders,
            max_turns=turn_limit(self.chosen_rules, self.max_turns),
            autoreset=autoreset,
            privileged=self.privileged,
            sends=self.sends,
        )


class GameKeywords(TypedDict, total=False):
    """Keyword arguments of an environment of both players, for editors: `EnvArguments` says what they mean."""

    graphs: Any
    actions: str
    observation: str
    reward: str | Reward
    fractions: Sequence[float]
    limits: Limits | str
    max_turns: int | None
    max_orders: int
    sends: int


class EnvKeywords(GameKeywords, total=False):
    """Keyword arguments of an environment with an agent and its opponent."""

    opponent: Any
    player: str | int
    privileged: bool


class MakeKeywords(EnvKeywords, total=False):
    """Keyword arguments of `make`."""

    rules: str | Rules
    compact: bool
    render_mode: str | None
    max_episode_steps: int | None
    disable_env_checker: bool | None


class VectorKeywords(EnvKeywords, total=False):
    """Keyword arguments of `make_vec`."""

    autoreset_mode: AutoresetMode | str
    num_threads: int
    copy: bool


def read_arguments(
    environment: Callable[..., Any],
    rules: str | Rules,
    arguments: Mapping[str, Any],
    known: type[GameKeywords] = EnvKeywords,
) -> EnvArguments:
    """The keyword arguments that ``environment`` was called with; TypeError for one that is not ``known``."""
    for name in arguments:
        if name not in known.__annotations__:
            parameters = signature(environment).parameters.values()
            own = [parameter.name for parameter in parameters if parameter.kind is not Parameter.VAR_KEYWORD]
            every = [*own, *known.__annotations__]
            hint = suggestion(name, every)
            raise TypeError(f"{environment.__name__} has no argument {name!r}: choose from {', '.join(every)}{hint}")
    return EnvArguments(rules, **arguments)


def resolve_autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """A mode of Gymnasium, by its name (NEXT_STEP) or its value (NextStep) too; ValueError for another text."""
    by_value = {known.value.casefold(): known.name for known in AutoresetMode}
    name = mode.name if isinstance(mode, AutoresetMode) else by_value.get(str(mode).casefold(), mode)
    return _choice("autoreset_mode", name, {known.name: known for known in AutoresetMode})


def resolve_rules(rules: str | Rules) -> Rules:
    """A preset's name or the rules themselves."""
    return rules if isinstance(rules, Rules) else _choice("rules", rules, PRESETS)


def _choice(argument: str, value: Any, choices: dict[Any, Any]) -> Any:
    names = [choice for choice in choices if isinstance(choice, str)]
    if isinstance(value, str):
        value = known_name(value, names) or value
    if isinstance(value, bool) or not isinstance(value, str | int) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"unknown {argument} {value!r}: choose one of {known}{suggestion(value, names)}")
    return choices[value]
