"""The play page as one file that needs no server: python -m scripts.release.wasm.page OUT.html [POOL ...].

Its people, bots and agents play in the page. It opens from disk and asks no other machine for anything.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

from planetwars_env.engine.rules import PRESETS
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.catalogue import graph_names, load_graph, load_pool
from planetwars_env.learn.agent import WEIGHTS
from planetwars_env.learn.config import load_config
from planetwars_env.play import pages, setup
from planetwars_env.render.frames import graph_data
from planetwars_env.render.pages import BOARD_SCRIPTS, make_page
from planetwars_env.render.templates import joined_modules
from planetwars_env.shipped import agent_folder, agent_names

RENDER = Path(pages.__file__).parents[1] / "render"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)


def play_page(pools: list[str]) -> str:
    """The page, with the named graphs and those of ``pools``."""
    graphs = {name: load_graph(name) for name in graph_names()}
    for pool in pools:
        graphs |= {f"{pool}/{i}": graph for i, graph in enumerate(load_pool(pool))}
    local = {
        "wasm": _base64(RENDER / "planetwars.wasm"),
        "manifest": manifest(),
        "graphs": {name: graph.to_dict() for name, graph in graphs.items()},
        "layouts": {name: graph_data(graph) for name, graph in graphs.items()},
        "turn_limits": {name: turn_limit(rules) for name, rules in PRESETS.items()},
        "agents": {name: _agent(name) for name in agent_names()},
    }
    first = {"players": ["you", "random"], "graph": "rings", "rules": "PLANETWARS", "speed": 4, "shared": False}
    scripts = [name for name in (*BOARD_SCRIPTS, *pages._PLAY_SCRIPTS) if name != "connection.js"]
    data = {"choices": choices(pools), "first": first, "local": local}
    page = make_page("PlanetWars", "play.html", ("page.css", "play.css"), scripts, data, POLICY)
    return page.replace(
        "<script type=", f"<script>\n{joined_modules('local_connection.mjs')}</script>\n<script type=", 1
    )


def choices(pools: list[str]) -> dict[str, Any]:
    """The names that pages without a server offer."""
    offered = setup.shipped_choices()
    bots = [bot for bot in offered["bots"] if bot in manifest()["bots"]]
    return {**offered, "bots": bots, "hints": [*agent_names()], "pools": {pool: len(load_pool(pool)) for pool in pools}}


def manifest() -> dict[str, Any]:
    """What planetwars.wasm holds, for JavaScript."""
    return json.loads((RENDER / "planetwars.wasm.json").read_text())


def _agent(name: str) -> dict[str, Any]:
    folder = agent_folder(name)
    task = load_config(folder / "config.yaml").task
    return {"weights": _base64(folder / WEIGHTS), "fractions": list(task.fractions)}


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(play_page(sys.argv[2:]), encoding="utf-8")
