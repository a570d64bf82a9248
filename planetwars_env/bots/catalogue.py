"""Names to players: built-in bots, agents of the zoo or in folders, and strategies in files, folders and modules."""

import os
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.bots.bot_codes import BOTS, COMPILED_BOTS, EXTERNAL, SELF_PLAY
from planetwars_env.bots.language_model import load_language_model
from planetwars_env.bots.loading import (
    SEARCH_SUFFIX,
    agent_folder,
    agent_names,
    load_agent,
    load_class,
    searching_factory,
)
from planetwars_env.bots.planner import Planner
from planetwars_env.bots.player_attributes import player_name
from planetwars_env.bots.policy import FunctionPolicy, Policy, has_memory, is_policy, takes_observation
from planetwars_env.bots.source_files import MODEL_PREFIX, canonical_source, names_source, source_label
from planetwars_env.bots.strategy import CompiledBot, Strategy
from planetwars_env.names import known_name, suggestion


class Player(NamedTuple):
    """Somebody who plays, as everything that accepts a player knows it (`resolve_player`).

    ``code``: that of a compiled bot, else EXTERNAL (or SELF_PLAY); ``make``: makes a new instance; ``batched``: the instance is a
    `Policy`, and one plays all games. ``spec``: the name or path that it was resolved from, "" for an object. ``isolated``:
    a strategy from a file or module that is not loaded here, because it plays in a process of its own (arena/players.py).
    """

    name: str
    code: int
    make: Callable[[], Any]
    batched: bool = False
    spec: str = ""
    isolated: bool = False

    @property
    def compiled(self) -> bool:
        """Whether it is a bot that kernels play."""
        return self.code >= 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets the name, not the agent: it loads an agent once, and again when its file has changed."""
        if not self.spec:
            return Player, tuple(self)
        weights = Path(self.spec) / "weights.safetensors"
        stamp = weights.stat().st_mtime_ns if weights.is_file() else 0
        return _again, (self.spec, self.isolated, self.name, stamp)


@lru_cache(maxsize=32)
def _again(spec: str, isolated: bool, name: str, stamp: int) -> Player:
    return resolve_player(spec, isolate=isolated)._replace(name=name)


def bot_names() -> list[str]:
    """The built-in bots."""
    return [*BOTS, Planner.name]


def player_names() -> list[str]:
    """The names that `load_player` knows: bots, and the agents of the zoo."""
    return [*bot_names(), *agent_names()]


def load_player(name: str | Path) -> Any:
    """A new `Strategy`: a bot, ``module:Class``, or that of a .py file, a folder or a .zip; or an agent, a `Policy`.

    An agent is named as it is in the zoo, or by its folder. Either is good as ``opponent`` and in matches. ValueError for an
    unknown name, listing the known ones; for a module, file or folder, what is wrong with it; ImportError with the pip line
    where an agent's libraries are missing. Loading a module or a file runs its code, loading an agent runs nothing of its own.
    """
    return resolve_player(name).make()


def resolve_players(players: Any, single: bool = False) -> list[Player]:
    """The players of an environment's ``opponent``: one of the forms of `resolve_player`, or a list of them.

    ``single``: there is one game only, so that an instance may play it.
    """
    found = [resolve_player(one, single and one is players) for one in listed(players)]
    if not found:
        raise ValueError("opponent is an empty list: name at least one, for example 'random'")
    return found


def listed(players: Any) -> Sequence[Any]:
    """The list of players, where one player alone stands for a list of one."""
    several = isinstance(players, Sequence) and not isinstance(players, str | Player)
    return players if several else [players]


def resolve_player(player: Any, single: bool = False, isolate: bool = False) -> Player:
    """The player that a name or path (as in `load_player`), a Strategy or Policy class, a policy, or a function stands for.

    A function without arguments makes a player; one with an argument answers observations with actions (`FunctionPolicy`).
    A policy with memory is copied for every use, so that two uses never share it.
    ``single``: there is one game only, so that an instance of a strategy may play it. ``isolate``: a strategy from a file
    or module is not loaded, since it will play in a process of its own. ``"self"``: no opponent; the environment shows
    every turn to its agent, from the side of the player to move. ValueError says what is wrong and what would be right.
    """
    if isinstance(player, Player):
        return player
    if isinstance(player, str | Path):
        return _by_name(canonical_name(str(player)), isolate)
    if not isinstance(player, type) and is_policy(player):
        return _of_policy(player)
    if _is_instance(player):
        if single:
            return Player(player_name(player), EXTERNAL, partial(_itself, player))
        raise ValueError(
            f"the player is an instance ({player_name(player)}), but every game needs its own: pass the class "
            f"{type(player).__name__} instead"
        )
    if adapter := _adapter_of(player):
        raise ValueError(f"{type(player).__name__} has no act(observation): wrap it, as in {adapter}")
    if callable(player) and not isinstance(player, type) and takes_observation(player):
        return _of_policy(FunctionPolicy(player))
    if callable(player):
        return Player(player_name(player), EXTERNAL, player, batched=callable(getattr(player, "act", None)))
    raise ValueError(
        f"a player is a name, a path, a Strategy or Policy class, a policy, a function from observations to actions, "
        f"or a function without arguments that makes one of them, not {player!r:.200}: it has neither "
        "take_turn(view) nor act(observation)"
    )


def _of_policy(policy: Policy) -> Player:
    copied = has_memory(policy)
    return Player(player_name(policy), EXTERNAL, partial(deepcopy if copied else _itself, policy), batched=True)


def _adapter_of(player: Any) -> str | None:
    """The adapter for a model of another library, which is recognised without an import of that library."""
    if isinstance(player, type):
        return None
    if callable(getattr(player, "predict", None)):
        return "pw.SB3Policy(model)"
    if callable(getattr(player, "forward", None)) and callable(getattr(player, "state_dict", None)):
        return "pw.TorchPolicy(module)"
    return None


def _is_instance(opponent: Any) -> bool:
    return callable(getattr(opponent, "take_turn", None)) and not isinstance(opponent, type)


def canonical_name(name: str) -> str:
    """``name`` as the bot or agent is written that it stands for; paths and unknown names stay as they are."""
    if names_source(name) or os.path.isdir(name):  # noqa: PTH112 (a name may be too long for a path)
        return name
    return known_name(name, ["self", *COMPILED_BOTS, Planner.name, *agent_names()]) or name


def _by_name(name: str, isolate: bool) -> Player:
    if name == "self":
        return Player(name, SELF_PLAY, _nobody, spec=name)
    if name in COMPILED_BOTS:
        return Player(name, COMPILED_BOTS[name], partial(CompiledBot, name, COMPILED_BOTS[name]), spec=name)
    if name == Planner.name:
        return Player(name, EXTERNAL, Planner, spec=name)
    if name.startswith(MODEL_PREFIX):
        label, make = load_language_model(name)
        return Player(label, EXTERNAL, make, spec=name)
    if names_source(name):
        return _unloaded(name) if isolate else resolve_player(load_class(name))._replace(spec=canonical_source(name))
    if (folder := agent_folder(name)) is not None:
        return resolve_player(load_agent(folder))._replace(spec=str(folder.resolve()))
    if name.endswith(SEARCH_SUFFIX) and (folder := agent_folder(name.removesuffix(SEARCH_SUFFIX))) is not None:
        make = searching_factory(folder)
        return Player(make().name, EXTERNAL, make, spec=f"{folder.resolve()}{SEARCH_SUFFIX}")
    if name.endswith(".zip") and not Path(name).is_file():
        raise ValueError(f"strategy file {name} does not exist")
    if name.endswith(".zip"):
        raise ValueError(
            f"{name} is not loaded: it holds no Python file, so it is no strategy; a model saved by Stable-Baselines3 holds "
            "pickles, which can run anything. If you trust it, use "
            f"pw.SB3Policy({name!r}), or planetwars evaluate --trust-pickle {name}"
        )
    known = player_names()
    raise ValueError(
        f"unknown strategy '{name}': choose from {', '.join(known)}, or name module:Class, a .py file, a folder or .zip of them, "
        f"llm:module:function, an agent's folder, or an agent with {SEARCH_SUFFIX} behind its name{suggestion(name, known)}"
    )


def _unloaded(name: str) -> Player:
    """A strategy for a process of its own, known by the name of its file or folder."""
    if name.endswith(".py") and not Path(name).is_file():
        raise ValueError(f"strategy file {name} does not exist")
    spec = canonical_source(name)
    return Player(source_label(spec), EXTERNAL, _nobody, spec=spec, isolated=True)


def _itself(player: Any) -> Any:
    return player


def _nobody() -> Strategy:
    raise ValueError("this player makes no strategy here: it is 'self', or plays in a process of its own")
