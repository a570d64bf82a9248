"""Names to players: built-in bots, agents of the zoo or in folders, ``module:Class``, and paths to .py files."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.bots.codes import BOTS, OUTSIDER, SELF, SPARRING
from planetwars_env.bots.loading import agent_folder, agent_names, load_agent, load_class
from planetwars_env.bots.planner import Planner
from planetwars_env.bots.stated import stated_name
from planetwars_env.bots.strategy import CompiledBot, Strategy, is_policy
from planetwars_env.names import close_name, known_name


class Opponent(NamedTuple):
    """An opponent as a batch knows it: the code of a compiled bot, or OUTSIDER and what makes a new instance.

    ``batched``: the instance is a `Policy`, and one plays all games.
    """

    name: str
    code: int
    make: Callable[[], Any]
    batched: bool = False


def bot_names() -> list[str]:
    """The built-in bots."""
    return [*BOTS, Planner.name]


def player_names() -> list[str]:
    """The names that `load_player` knows: bots, and the agents of the zoo."""
    return [*bot_names(), *agent_names()]


def load_player(name: str | Path) -> Any:
    """A new `Strategy`: a bot, ``module:Class``, or the one class in a .py file; or an agent, a `Policy`.

    An agent is named as it is in the zoo, or by its folder. Either is good as ``opponent`` and in matches. ValueError for an
    unknown name, listing the known ones; for a module, file or folder, what is wrong with it; ImportError with the pip line
    where an agent's libraries are missing. Loading a module or a file runs its code, loading an agent runs nothing of its own.
    """
    return resolve_opponent(name).make()


def resolve_opponents(opponent: Any, single: bool = False) -> list[Opponent]:
    """What environments take as ``opponent``: one of the forms of `resolve_opponent`, or a list of them.

    ``single``: there is one game only, so that an instance may play it.
    """
    if single and _is_instance(opponent):
        return [Opponent(stated_name(opponent), OUTSIDER, partial(_itself, opponent))]
    opponents = [resolve_opponent(one) for one in listed(opponent)]
    if not opponents:
        raise ValueError("opponent is an empty list: name at least one, for example 'random'")
    return opponents


def listed(opponent: Any) -> Sequence[Any]:
    """The list of opponents, where one opponent alone stands for a list of one."""
    several = isinstance(opponent, Sequence) and not isinstance(opponent, str | Opponent)
    return opponent if several else [opponent]


def resolve_opponent(opponent: Any) -> Opponent:
    """A name or path as in `load_player`, a Strategy class, a function that makes a strategy, or a `Policy`.

    ``"self"``: no opponent; the environment shows every turn to its agent, from the side of whoever is to move.
    """
    if isinstance(opponent, Opponent):
        return opponent
    if isinstance(opponent, str | Path):
        return _by_name(str(opponent))
    if not isinstance(opponent, type) and is_policy(opponent):
        return Opponent(stated_name(opponent), OUTSIDER, partial(_itself, opponent), batched=True)
    if _is_instance(opponent):
        raise ValueError(
            f"opponent is an instance ({stated_name(opponent)}), but every game needs its own: pass the class "
            f"{type(opponent).__name__} instead"
        )
    if callable(opponent):
        return Opponent(stated_name(opponent), OUTSIDER, opponent, batched=callable(getattr(opponent, "act", None)))
    raise ValueError(
        f"a player is a name, a path, a Strategy or Policy class, a policy, or a function that makes one of them, not "
        f"{opponent!r:.200}: it has neither take_turn(view) nor act(observation)"
    )


def _is_instance(opponent: Any) -> bool:
    return callable(getattr(opponent, "take_turn", None)) and not isinstance(opponent, type)


def canonical_name(name: str) -> str:
    """``name`` as the bot or agent is written that it stands for; paths and unknown names stay as they are."""
    if name.endswith(".py") or ":" in name or os.path.isdir(name):  # noqa: PTH112 (a name may be too long for a path)
        return name
    return known_name(name, ["self", *SPARRING, Planner.name, *agent_names()]) or name


def _by_name(name: str) -> Opponent:
    name = canonical_name(name)
    if name == "self":
        return Opponent(name, SELF, _nobody)
    if name in SPARRING:
        return Opponent(name, SPARRING[name], partial(CompiledBot, name, SPARRING[name]))
    if name == Planner.name:
        return Opponent(name, OUTSIDER, Planner)
    if name.endswith(".py") or ":" in name:
        return resolve_opponent(load_class(name))
    if (folder := agent_folder(name)) is not None:
        return resolve_opponent(load_agent(folder))
    if name.endswith(".zip"):
        raise ValueError(
            f"{name} is not loaded: a model saved by Stable-Baselines3 holds pickles, which can run anything. Where you trust "
            "it, load it in a strategy of your own, and name that file."
        )
    close = close_name(name, player_names())
    hint = f" Did you mean '{close}'?" if close else ""
    known = ", ".join(player_names())
    raise ValueError(
        f"unknown strategy '{name}'.{hint} Known: {known}; or module:Class, a path to a .py file, or an agent's folder."
    )


def _itself(player: Any) -> Any:
    return player


def _nobody() -> Strategy:
    raise ValueError("'self' names no strategy: it lets one agent play both sides of an environment")
