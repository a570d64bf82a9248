"""The play page as one file that needs no server: python -m scripts.release.wasm.page OUT.html [POOL ...].

Its people, bots and agents play in the page. It opens from disk and asks no other machine for anything.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from planetwars_env.graphs.catalogue import graph_names
from planetwars_env.playing import pages
from planetwars_env.playing.setup import Opening, make_game_setup
from planetwars_env.render.pages import make_page

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)
ASK = ("answers.mjs", "site_ask.js")
"""Scripts of pages that answer themselves what others ask a server."""


def play_page(pools: list[str], ask: Sequence[str] = ("ask.js",), policy: str = POLICY) -> str:
    """The page, with the named graphs and those of ``pools``; ``ask``: scripts that answer what it asks a server."""
    offered = pages.local_choices(pools)
    graphs = (*graph_names(), *(f"{pool}/{i}" for pool, count in offered["pools"].items() for i in range(count)))
    first = pages.first_game(Opening(make_game_setup(("you", "random"), "rings", seed=0), "rings", 4))
    data = {"choices": offered, "first": first, "local": pages.local_data(graphs), "server": False}
    return make_page("PlanetWars", "play", data, policy, ask)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(play_page(sys.argv[2:]), encoding="utf-8")
