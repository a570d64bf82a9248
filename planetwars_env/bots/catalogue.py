"""Players: one value for everything that plays, parsed once from a name, a path or an object (`parse_player`).

Nothing else looks at the text of a player's name. A player's ``kind`` says what it is, and `_LOADERS` how it is loaded.
"""

import importlib
import os
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from enum import Enum
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.bots import loading, source_files
from planetwars_env.bots.bot_codes import BOTS, COMPILED_BOTS, EXTERNAL, SELF_PLAY
from planetwars_env.bots.entry_points import CompiledBot
from planetwars_env.bots.language_model import load_language_model
from planetwars_env.bots.planner import BUDGET, Planner
from planetwars_env.bots.policy import as_policy, has_memory, itself
from planetwars_env.bots.program import command_words, program_label
from planetwars_env.bots.strategy import player_name
from planetwars_env.names import known_name, suggestion
from planetwars_env.shipped import agent_folder, agent_names, pip_line
from planetwars_env.text import clean_name

_LEARN = "planetwars_env.learn"
"""Folder of agents. It is text, because imports against the order of layers are not allowed."""
_SEARCH_SUFFIX = "+search"
_PLANNER = re.compile(rf"{Planner.name}(:[0-9]+)?")
"""planner, perhaps with another number of turns that it simulates for one."""


class Kind(Enum):
    """Kind of a player."""

    SELF = "self"
    BOT = "bot"
    AGENT = "agent"
    SEARCH = "agent with a search"
    FILES = "strategy from a .py file, a folder or a .zip"
    CLASS = "module:Class"
    PROGRAM = "cmd:COMMAND"
    LANGUAGE_MODEL = "llm:MODULE:FUNCTION"
    POLICY = "object with act, or a function of observations"
    STRATEGY = "class, function that makes players, or an instance"

    @property
    def foreign(self) -> bool:
        """Whether its code is a user's, which plays in a process of its own where several people's players meet."""
        return self in (Kind.FILES, Kind.CLASS, Kind.PROGRAM)

    @property
    def learned(self) -> bool:
        """Whether it is an agent of this package, which needs torch."""
        return self in (Kind.AGENT, Kind.SEARCH)


def _not_loaded() -> Any:
    raise ValueError("this player makes no strategy here: it is 'self', or plays in a process of its own")


class Player(NamedTuple):
    """Somebody who plays, as everything that accepts a player knows it.

    ``spec``: a name by which another process, in another folder, finds the same player, "" for an object; ``make``: makes a new
    instance, once the player is loaded (`load`); ``code``: that of a compiled bot, else EXTERNAL (or SELF_PLAY); ``batched``:
    the instance is a `Policy`, and one plays all games.
    """

    name: str
    kind: Kind
    spec: str = ""
    make: Callable[[], Any] = _not_loaded
    code: int = EXTERNAL
    batched: bool = False

    @property
    def compiled(self) -> bool:
        """Whether it is a bot that kernels play."""
        return self.code >= 0

    @property
    def loaded(self) -> bool:
        """Whether `make` works here."""
        return self.make is not _not_loaded

    @property
    def isolated(self) -> bool:
        """Whether it is a user's strategy that is not loaded here, since it plays in a process of its own."""
        return self.kind.foreign and not self.loaded

    @property
    def folder(self) -> Path:
        """The folder of an agent, with or without a search."""
        return agent_folder(self.spec.removesuffix(_SEARCH_SUFFIX) if self.kind is Kind.SEARCH else self.spec)

    def files(self) -> source_files.SourceFiles | None:
        """Return the files of a user's strategy, None for an installed module. OSError or ValueError where it has none."""
        readers = {Kind.PROGRAM: source_files.files_of_command, Kind.CLASS: source_files.files_of_module}
        return readers.get(self.kind, source_files.files_at)(self.spec)

    def load(self) -> "Player":
        """Return the player with its name and `make`; itself where it is loaded. Errors as of `load_player`."""
        return self if self.loaded or self.kind is Kind.SELF else _LOADERS[self.kind](self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets the name, not the agent: it loads an agent once, and again when its file has changed."""
        if not self.spec or self.kind is Kind.SELF:
            return Player, tuple(self)
        weights = self.folder / "weights.safetensors" if self.kind.learned else None
        stamp = weights.stat().st_mtime_ns if weights is not None and weights.is_file() else 0
        return _again, (self.name, self.kind, self.spec, self.loaded, stamp)


@lru_cache(maxsize=32)
def _again(name: str, kind: Kind, spec: str, loaded: bool, stamp: int) -> Player:
    player = Player(name, kind, spec)
    return player.load()._replace(name=name) if loaded else player


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
    """The players of an environment's ``opponent``: one of the forms of `parse_player`, or a list of them."""
    resolved = [resolve_player(player, single and player is players) for player in listed(players)]
    if not resolved:
        raise ValueError("opponent is an empty list: name at least one, for example 'random'")
    return resolved


def listed(players: Any) -> Sequence[Any]:
    """The list of players, where one player alone stands for a list of one."""
    several = isinstance(players, Sequence) and not isinstance(players, str | Player)
    return players if several else [players]


def resolve_player(player: Any, single: bool = False) -> Player:
    """The player of `parse_player`, loaded."""
    return parse_player(player, single).load()


def parse_player(player: Any, single: bool = False) -> Player:
    """The player that a name or path, a Strategy or Policy class, a policy, or a function stands for; nothing is loaded.

    A function without arguments makes a player; one with an argument answers observations with actions (`FunctionPolicy`).
    A policy with memory is copied for every use, so that two uses never share it.
    ``single``: there is one game only, so that an instance of a strategy may play it. ``"self"``: no opponent; the
    environment shows every turn to its agent, from the side of the player to move. ValueError says what is wrong and what
    would be right.
    """
    if isinstance(player, Player):
        return player
    if not isinstance(player, str | Path):
        return _of_object(player, single)
    text = str(player)
    named = _player_of_name(text)
    if named is None:
        known = player_names()
        name, is_class, _ = text.casefold().partition("strategy")  # of the course, such as AI1Strategy
        bot = is_class and name in BOTS and name
        raise ValueError(
            f"unknown strategy '{text}': choose from {', '.join(known)}, or name module:Class, a .py file, a folder or .zip of "
            f"them, cmd:PROGRAM, llm:MODULE:FUNCTION, an agent's folder, or an agent with {_SEARCH_SUFFIX} behind its name"
            f"{f'; the {text} of the course is called {bot!r} here' if bot else suggestion(text, known)}"
        )
    if named.kind is Kind.FILES and not Path(named.spec).exists():
        raise ValueError(f"strategy file {text} does not exist")
    return named.load() if named.kind is Kind.BOT else named  # at once, since it costs nothing


def kind_of(name: str) -> Kind | None:
    """The kind of player that a name or path stands for; None for an unknown name."""
    named = _player_of_name(name)
    return named and named.kind


def _player_of_name(name: str) -> Player | None:
    """The player, not loaded. Exact names come first, then files, then names in another case."""
    if name == "self":
        return Player(name, Kind.SELF, name, code=SELF_PLAY)
    if name in COMPILED_BOTS or _PLANNER.fullmatch(name):
        return Player(name, Kind.BOT, name)
    if name in agent_names():
        return Player(name, Kind.AGENT, name)
    if name.startswith("cmd:"):
        return Player(program_label(command_words(name)), Kind.PROGRAM, name)
    if name.startswith("llm:"):
        return Player(clean_name(name.removeprefix("llm:")), Kind.LANGUAGE_MODEL, name)
    a_folder = os.path.isdir(name)  # noqa: PTH112 (a name may be too long for a path)
    if a_folder and not source_files.holds_strategy(Path(name)):
        folder = agent_folder(name).resolve()
        return Player(clean_name(folder.name), Kind.AGENT, str(folder))
    if not a_folder and ":" in name and not name.endswith(".py"):
        return Player(clean_name(name), Kind.CLASS, name)
    if a_folder or name.endswith((".py", ".zip")):
        path = Path(name)
        return Player(clean_name(path.name if a_folder else path.stem), Kind.FILES, str(path.absolute()))
    known = known_name(name, ["self", *COMPILED_BOTS, Planner.name, *agent_names()])
    if known is not None:
        return _player_of_name(known)
    agent = _player_of_name(name.removesuffix(_SEARCH_SUFFIX)) if name.endswith(_SEARCH_SUFFIX) else None
    if agent is None or agent.kind is not Kind.AGENT:
        return None
    return agent._replace(name=agent.name + _SEARCH_SUFFIX, kind=Kind.SEARCH, spec=agent.spec + _SEARCH_SUFFIX)


def _load_bot(player: Player) -> Player:
    if player.spec in COMPILED_BOTS:
        code = COMPILED_BOTS[player.spec]
        return player._replace(make=partial(CompiledBot, player.spec, code), code=code)
    budget = player.spec.partition(":")[2] or str(BUDGET)
    if len(budget) > 9 or int(budget) < 1:
        right = "the number of turns that planner simulates for one must lie between 1 and 999,999,999"
        raise ValueError(f"{player.spec}: {right}")
    return player._replace(make=partial(Planner, int(budget)))


def _load_agent(player: Player) -> Player:
    """The agent, and behind it the search where its kind says so."""
    try:
        load = importlib.import_module(f"{_LEARN}.agent").load_agent
        searching = importlib.import_module(f"{_LEARN}.searching_agent") if player.kind is Kind.SEARCH else None
    except ModuleNotFoundError as fault:
        raise ImportError(
            f"the agent in {player.folder} needs {fault.name}, which is not installed: {pip_line('agents')}"
        ) from fault
    if searching is None:
        return _of_object(load(player.folder))._replace(kind=player.kind, spec=player.spec)
    make = partial(searching.SearchingAgent, load(player.folder))
    make()  # its error comes now
    return player._replace(make=make)


def _load_strategy(player: Player) -> Player:
    loaded = _of_object(loading.load_strategy(player.spec, player.files()))
    return loaded._replace(kind=player.kind, spec=player.spec)


_LOADERS: dict[Kind, Callable[[Player], Player]] = {
    Kind.BOT: _load_bot,
    Kind.AGENT: _load_agent,
    Kind.SEARCH: _load_agent,
    Kind.FILES: _load_strategy,
    Kind.CLASS: _load_strategy,
    Kind.PROGRAM: _load_strategy,
    Kind.LANGUAGE_MODEL: lambda player: player._replace(make=load_language_model(player.spec)),
}


def _of_object(player: Any, single: bool = False) -> Player:
    """The player of a class, an instance, a policy or a function."""
    is_class = isinstance(player, type)
    make, policy = player, None if is_class else as_policy(player)
    if policy is not None:
        make = partial(deepcopy if has_memory(policy) else itself, policy)
    elif not is_class and callable(getattr(player, "take_turn", None)):
        if not single:
            cls = type(player).__name__
            raise ValueError(f"the player is an instance of {cls}, but every game needs its own: pass the class {cls}")
        make = partial(itself, player)
    elif not callable(player):
        raise ValueError(
            f"a player is a name, a path, a Strategy or Policy class, a policy, a function from observations to actions, "
            f"or a function without arguments that makes one of them, not {player!r:.200}: it has neither "
            "take_turn(view) nor act(observation)"
        )
    batched = policy is not None or callable(getattr(player, "act", None))
    return Player(player_name(player), Kind.POLICY if batched else Kind.STRATEGY, make=make, batched=batched)
