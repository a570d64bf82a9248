"""Setup of a new game, and the choices that the page offers."""

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.bots.catalogue import Kind, Player, player_names
from planetwars_env.bots.planner import Planner
from planetwars_env.engine.rules import PRESETS, Rules
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.game import turn_limit
from planetwars_env.graphs.catalogue import POOLS, graph_names, load_graph, load_pool
from planetwars_env.graphs.graph import Graph
from planetwars_env.learn.config import load_config
from planetwars_env.render.pages import PERSON, offered_names
from planetwars_env.replay import Replay
from planetwars_env.settings import ConfigError
from planetwars_env.shipped import agent_folder, agent_names
from planetwars_env.view import Move

_OWN: dict[str, Any] = {}
"""Strategies of this program that games by hand know, by name."""


def know(strategy: Any) -> str:
    """Make a class, a function or an object known as a player of games by hand; return its name. ValueError for none."""
    name = contestant_of(strategy).name
    name += " of this program" if name.casefold() in map(str.casefold, player_names()) else ""
    _OWN[name] = strategy
    return name


def player_of(name: str) -> Player:
    """Return the player of this name, which is not a person. ValueError for an unknown one."""
    return contestant_of(_OWN.get(name, name))


@dataclass(frozen=True)
class GameSetup:
    """Arguments of a new game.

    ``players``: `PERSON` or a strategy's name; ``names``: as pages and the replay show them; ``unsafe``: a strategy from a
    file may play without a sandbox; ``moves``: of the turns that are played already, from a game that is played on.
    """

    players: tuple[str, str]
    names: tuple[str, str]
    graph: Graph
    rules: Rules
    seed: int
    max_turns: int
    unsafe: bool = False
    moves: tuple[tuple[Move, ...], ...] = ()

    @property
    def persons(self) -> tuple[bool, bool]:
        """Whether player 1 and player 2 are people."""
        return self.players[0] == PERSON, self.players[1] == PERSON


@dataclass(frozen=True)
class Opening:
    """First game of every page: its setup, its graph's name as the user gave it, and the speed (turns per second).

    ``boards``: the folder in which the board editor saves, if there is one.
    """

    setup: GameSetup
    graph: str
    speed: int
    boards: Path | None = None


def make_game_setup(
    players: tuple[str, str],
    graph: str | Graph,
    rules: str | Rules = "PLANETWARS",
    seed: int | None = None,
    max_turns: int | None = None,
    unsafe: bool = False,
    moves: Iterable[Sequence[Move]] = (),
) -> GameSetup:
    """Resolve the names of players, graph and rules; a pool's name draws one of its graphs, and no ``seed`` draws one.

    ValueError for an unknown name, with the known ones; ImportError if an agent's libraries are missing.
    """
    chosen, number = resolve_rules(rules), secrets.randbelow(2**31) if seed is None else seed
    if number < 0:
        raise ValueError(f"seed must be a whole number from 0 on, not {number}")
    first, second = ("human" if player == PERSON else player_of(player).name for player in players)
    if players == (PERSON, PERSON):
        first, second = "player 1", "player 2"
    if isinstance(graph, str):
        pool = load_pool(graph) if graph in POOLS else [load_graph(graph)]
        graph = pool[number % len(pool)]
    last, played = turn_limit(chosen, max_turns), tuple(map(tuple, moves))
    return GameSetup(players, (first, second), graph, chosen, number, last, unsafe, played)


def page_game(setup: GameSetup) -> dict[str, Any] | None:
    """Return what a page needs to play a game whose players all run there (web/connection.mjs), None for another one."""
    players = [None if name == PERSON else player_of(name) for name in setup.players]
    if not all(one is None or one.kind is Kind.BOT or one.spec in agent_names() for one in players):
        return None
    named = setup.graph.name in graph_names() and setup.graph == load_graph(setup.graph.name)
    return {
        "players": [PERSON if one is None else one.spec for one in players],
        "graph": setup.graph.name if named else {"name": setup.graph.name, **setup.graph.to_dict()},
        "rules": setup.rules.name if PRESETS.get(setup.rules.name) == setup.rules else asdict(setup.rules),
        "seed": setup.seed,
        "max_turns": setup.max_turns,
        "moves": setup.moves,
    }


def is_shipped(graph: str) -> bool:
    """Return whether this is the name of a shipped graph or pool, and no path."""
    pool = re.fullmatch(r"(\w+)(/[0-9]{1,9})?", graph)
    return graph in graph_names() or (pool is not None and pool[1] in POOLS)


def choices(boards: Path | None = None, shipped: bool = False) -> dict[str, Any]:
    """Return the names that the page offers; paths may be typed as well.

    ``boards``: a folder of the user's boards; ``shipped``: without what lies on this machine, for pages on other machines.
    """
    trained = [] if shipped else sorted(str(path.parent) for path in Path("runs").glob("*/weights.safetensors"))
    agents: dict[str, list[str]] = {}
    for name in (*agent_names(), *trained):
        try:
            agents[name] = [rules.name for rules in load_config(agent_folder(name) / "config.yaml").task.rules]
        except ConfigError:
            agents[name] = []
    return {
        **offered_names(),
        "agents": agents,
        "own": [] if shipped else [*_OWN],
        "hints": [Planner.name, *agent_names()],
        "saved": sorted(map(str, boards.glob("*.dot"))) if boards else [],
        "pools": {name: len(load_pool(name)) for name in POOLS},
    }


def play_on_replay(
    players: tuple[str, str], replay: Replay, turn: int | None = None, seed: int | None = None, unsafe: bool = False
) -> GameSetup:
    """Return the setup of a game between ``players`` that goes on from a turn of a replay; None: from its last one.

    ValueError for a turn that it does not have.
    """
    last = len(replay.moves) if replay.finished else len(replay.moves) + 1
    if turn is not None and not 1 <= turn <= last:
        raise ValueError(f"the replay can be played on from turns 1 to {last}, not {turn}")
    moves = replay.moves[: (turn or last) - 1]
    return make_game_setup(players, replay.graph, replay.rules, seed, replay.max_turns, unsafe, moves)
