"""The page to play on inside a notebook: `pw.play`."""

import atexit
from contextlib import ExitStack
from typing import Any

from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.pages import first_game, play_script
from planetwars_env.playing.setup import PERSON, Opening, know, make_game_setup, page_game
from planetwars_env.render.notebook import in_notebook
from planetwars_env.render.templates import fill
from planetwars_env.shipped import pip_line


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
                from planetwars_env.playing.links import open_link
                from planetwars_env.playing.server import running
            except ModuleNotFoundError as fault:
                text = (
                    f"a game with a strategy of your own needs {fault.name}, which is not installed: {pip_line('play')}"
                )
                raise ImportError(text) from fault
            self.address = self._end.enter_context(running(opening, links=open_link(framed=True)))
            atexit.register(self.close)

    def close(self) -> None:
        """End the server and the strategies that play there."""
        self._end.close()

    def _repr_html_(self) -> str:
        if self.address:
            return fill("frame.html", title=repr(self), height=self.height, address=self.address)
        data = {"first": first_game(self._opening)}
        return in_notebook("PlanetWars", repr(self), data, {"play": play_script()}, self.height)

    def __repr__(self) -> str:
        one, other = self._opening.setup.names
        return f"PlayPage({one} against {other}{f', {self.address}' if self.address else ''})"


def play(
    against: Any = "ai1",
    graph: str | Graph = "rings",
    rules: str | Rules = "PLANETWARS",
    *,
    player: Any = PERSON,
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
