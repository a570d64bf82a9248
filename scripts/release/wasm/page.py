"""The play page as one file that needs no server: python -m scripts.release.wasm.page OUT.html [POOL ...].

Its people, bots and agents play in the page. It opens from disk and asks no other machine for anything.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planetwars_env.graphs.catalogue import graph_names, load_pool
from planetwars_env.playing import pages, setup
from planetwars_env.render.pages import BOARD_SCRIPTS, make_page
from planetwars_env.shipped import agent_names

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)


def play_page(pools: list[str], ask: Sequence[str] = ("ask.js",)) -> str:
    """The page, with the named graphs and those of ``pools``; ``ask``: scripts that answer what it asks a server."""
    offered = choices(pools)
    graphs = (*graph_names(), *(f"{pool}/{i}" for pool, count in offered["pools"].items() for i in range(count)))
    first = {"players": ["you", "random"], "graph": "rings", "rules": "PLANETWARS", "speed": 4, "shared": False}
    local = pages.local_data(graphs)
    game = {"players": first["players"], "graph": "rings", "seed": 0, "max_turns": local["turn_limits"][first["rules"]]}
    data = {"choices": offered, "first": {**first, "game": game}, "local": local, "server": False}
    scripts = (*ask, *BOARD_SCRIPTS, *(name for name in pages.PLAY_SCRIPTS if name != "ask.js"))
    return make_page("PlanetWars", "play.html", ("page.css", "play.css"), scripts, data, POLICY)


def choices(pools: list[str]) -> dict[str, Any]:
    """The names that pages without a server offer."""
    offered = setup.shipped_choices()
    bots = [bot for bot in offered["bots"] if bot in setup.engine_manifest()["bots"]]
    return {**offered, "bots": bots, "hints": [*agent_names()], "pools": {pool: len(load_pool(pool)) for pool in pools}}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(play_page(sys.argv[2:]), encoding="utf-8")
