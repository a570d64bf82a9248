"""Pages to play on: of the play server, which may speak to it only, those that play without one, and those of notebooks."""

import atexit
import json
from base64 import b64encode
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cache
from typing import Any

import numpy as np

from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.catalogue import graph_names, load_pool
from planetwars_env.graphs.graph import Graph
from planetwars_env.learn.config import load_config
from planetwars_env.playing.setup import Opening, choices, is_shipped, know, make_game_setup, page_game
from planetwars_env.render import pages
from planetwars_env.render.layout import RADII
from planetwars_env.render.templates import fill
from planetwars_env.shipped import agent_folder, agent_names, pip_line

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self' ws://{host}; form-action 'none'; base-uri 'none'"
)
_LAST_PARTS = "ends.weight", "ends.bias", "edge", "head", "wait.weight", "wait.bias"
_PARTS_OF_ROUND = "ends.weight", "ends.bias", "edge", "planet.weight", "planet.bias", "messages.weight", "graph.weight"
RULES_PAGE = pages.make_page("The rules of PlanetWars", "rules", {})


def play_page(opening: Opening, host: str, shared: bool, token: str = "") -> str:
    """Return the page to play on. ``host``: the server's, as the browser names it; ``shared``: see session.py.

    ``token``: what the page sends with every request, where it has no cookie.
    """
    first, offered = first_game(opening, shared), choices(opening.boards, shared)
    data = {"choices": offered, "first": first, "local": local_data(graph_names()), "server": True, "token": token}
    return pages.make_page("PlanetWars", "play", data, _POLICY.format(host=host), ["ask.js"])


def first_game(opening: Opening, shared: bool = False) -> dict[str, Any]:
    """Return the game that a page to play on opens with, for its data."""
    setup = opening.setup
    return {
        "players": setup.players,
        "graph": "rings" if shared and not is_shipped(opening.graph) else opening.graph,
        "rules": setup.rules.name,
        "speed": opening.speed,
        "shared": shared,
        "game": None if shared else page_game(setup),
    }


@cache
def play_script() -> str:
    """Return the script that makes the page to play on of a cell, whose data has the game alone."""
    return pages.play_script({"choices": local_choices(()), "local": local_data(graph_names())})


def local_choices(pools: Iterable[str]) -> dict[str, Any]:
    """Return the names that pages without a server offer; ``pools``: those whose graphs they have."""
    return {**choices(shipped=True), "pools": {pool: len(load_pool(pool)) for pool in pools}}


@cache
def local_data(graphs: Iterable[str]) -> dict[str, Any]:
    """Return what the play page plays on by itself, besides the engine: these graphs, and the agents of the zoo."""
    return {**pages.page_data(graphs), "agents": {name: agent_data(name) for name in agent_names()}}


def agent_data(name: str) -> dict[str, Any]:
    """Return what pages play an agent of the zoo by, its numbers as web/players.mjs puts them into the module, without torch."""
    folder = agent_folder(name)
    config, data = load_config(folder / "config.yaml"), (folder / "weights.safetensors").read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")  # the numbers come behind their names and places (JSON)
    places, rounds = json.loads(data[8:start]), range(config.network.rounds)

    def numbers(part: str) -> bytes:
        first, last = places[part]["data_offsets"]
        found = np.frombuffer(data[start + first : start + last], "<f4").reshape(places[part]["shape"])
        # As `GraphNetwork.weights` has them: matrices input by input.
        return (found.T if part.endswith(".weight") and part != "wait.weight" else found).tobytes()

    of_rounds = [f"rounds.{i}.{part}" for i in rounds for part in _PARTS_OF_ROUND]
    parts = "embed.weight", "embed.bias", *of_rounds, *_LAST_PARTS
    return {
        "weights": b64encode(b"".join(map(numbers, parts))).decode(),
        "fractions": list(config.task.fractions),
        "sends": config.task.sends,
        "width": config.network.width,
        "rounds": config.network.rounds,
        "horizon": config.task.arguments().chosen_limits.horizon,
    }


def editor_page(opening: Opening, host: str) -> str:
    """Return the page of the board editor."""
    boards = str(opening.boards or "")
    local = {"manifest": pages.engine_manifest()}
    data = {"choices": choices(opening.boards), "boards": boards, "radii": RADII, "local": local, "server": True}
    return pages.make_page("Board editor", "editor", data, _POLICY.format(host=host), ["answers.mjs", "ask.js"])


class PlayPage:
    """Page to play on, which notebooks show.

    ``address``: of its server, which runs until `close` or the end of the program; empty where the page needs none.
    """

    def __init__(self, opening: Opening, height: int) -> None:
        self.height = height
        self.address = ""
        self._opening = opening
        self._end = ExitStack()
        if page_game(opening.setup) is None:
            try:
                from planetwars_env.playing.links import Link
                from planetwars_env.playing.server import running
            except ModuleNotFoundError as fault:
                needed = f"a game with a strategy of your own needs {fault.name}, which is not installed"
                raise ImportError(f"{needed}: {pip_line('play')}") from fault
            self.address = self._end.enter_context(running(opening, [Link(framed=True)]))
            atexit.register(self.close)

    def close(self) -> None:
        """End the server and the strategies that play there."""
        self._end.close()

    def _repr_html_(self) -> str:
        if self.address:
            return fill("frame.html", title=repr(self), height=self.height, address=self.address)
        data = {"first": first_game(self._opening)}
        return pages.in_notebook("PlanetWars", repr(self), data, {"play": play_script()}, self.height)

    def __repr__(self) -> str:
        one, other = self._opening.setup.names
        return f"PlayPage({one} against {other}{f', {self.address}' if self.address else ''})"


def play(
    against: Any = "ai1",
    graph: str | Graph = "rings",
    rules: str | Rules = "PLANETWARS",
    *,
    player: Any = pages.PERSON,
    side: int = 1,
    seed: int | None = None,
    max_turns: int | None = None,
    height: int = 760,
) -> PlayPage:
    """Return the page to play on, ``height`` pixels high in a notebook. Its dialog begins other games.

    ``against``, ``player``: "you" for a person, a bot, an agent, or a strategy of your own: a file, a class, a function or
    an object; ``side``: of ``player``, 1 begins; ``graph``: a graph, its name, a .dot file, or a pool.

    People, bots and agents play in the page, which needs no server and goes on in a saved notebook. Other players need a
    server, which only browsers on this machine reach. ValueError for an unknown name; ImportError where a library is missing.
    """
    if side not in (1, 2):
        raise ValueError(f"side must be 1 or 2, not {side}")
    first, second = (one if isinstance(one, str) else know(one) for one in (player, against))
    players = (first, second) if side == 1 else (second, first)
    setup = make_game_setup(players, graph, rules, seed, max_turns)
    return PlayPage(Opening(setup, setup.graph.name, 4), height)
