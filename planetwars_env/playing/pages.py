"""Pages of the play server, which may speak to their own server only."""

import base64
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from planetwars_env.engine.rules import PRESETS
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.catalogue import graph_names, load_graph
from planetwars_env.learn.agent import WEIGHTS
from planetwars_env.learn.config import load_config
from planetwars_env.playing.session import is_shipped
from planetwars_env.playing.setup import Opening, choices, engine_manifest, page_game, shipped_choices
from planetwars_env.render.frames import graph_data
from planetwars_env.render.layout import RADII
from planetwars_env.render.pages import BOARD_SCRIPTS, make_page
from planetwars_env.shipped import agent_folder, agent_names

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self' ws://{host}; form-action 'none'; base-uri 'none'"
)
RULES_PAGE = make_page("The rules of PlanetWars", "rules.html", ("page.css", "rules.css"), (), {})
PLAY_SCRIPTS = (
    "ask.js",
    "connection.mjs",
    "ways.js",
    "move_input.js",
    "look_back.js",
    "aim.js",
    "move_panel.js",
    "turn_line.js",
    "curves.js",
    "result.js",
    "series.js",
    "fog_memory.js",
    "until_news.js",
    "legend.js",
    "play_lists.js",
    "play_keys.js",
    "confirm_button.js",
    "choose.js",
    "setup.js",
    "open_replay.js",
    "play.js",
)
EDITOR_SCRIPTS = (
    "ask.js",
    "play_keys.js",
    "choose.js",
    "board_mirror.js",
    "board_model.js",
    "board_picture.js",
    "board_fields.js",
    "board_files.js",
    "editor_keys.js",
    "editor.js",
)


def play_page(opening: Opening, host: str, shared: bool) -> str:
    """Return the page to play on. ``host``: the server's, as the browser names it; ``shared``: see session.py."""
    setup = opening.setup
    first = {
        "players": setup.players,
        "graph": "rings" if shared and not is_shipped(opening.graph) else opening.graph,
        "rules": setup.rules.name,
        "speed": opening.speed,
        "shared": shared,
        "game": None if shared else page_game(setup),
    }
    offered = shipped_choices() if shared else choices(opening.boards)
    data = {"choices": offered, "first": first, "local": local_data(graph_names()), "server": True}
    return _page("PlanetWars", "play.html", ("page.css", "play.css"), PLAY_SCRIPTS, data, host)


@cache
def local_data(graphs: Iterable[str]) -> dict[str, Any]:
    """Return what the play page plays on by itself: the engine, these graphs, and the agents of the zoo."""
    loaded = {name: load_graph(name) for name in graphs}
    return {
        "wasm": _base64(files("planetwars_env.render").joinpath("planetwars.wasm")),
        "manifest": engine_manifest(),
        "graphs": {name: graph.to_dict() for name, graph in loaded.items()},
        "layouts": {name: graph_data(graph) for name, graph in loaded.items()},
        "turn_limits": {name: turn_limit(rules) for name, rules in PRESETS.items()},
        "agents": {name: _agent(name) for name in agent_names()},
    }


def _agent(name: str) -> dict[str, Any]:
    folder = agent_folder(name)
    return {
        "weights": _base64(folder / WEIGHTS),
        "fractions": list(load_config(folder / "config.yaml").task.fractions),
    }


def _base64(file: Any) -> str:
    return base64.b64encode(file.read_bytes()).decode()


def editor_page(opening: Opening, host: str) -> str:
    """Return the page of the board editor."""
    boards = str(opening.boards or "")
    data = {"choices": choices(opening.boards), "boards": boards, "radii": RADII, "server": True}
    styles = ("page.css", "play.css", "editor.css")
    return _page("Board editor", "editor.html", styles, EDITOR_SCRIPTS, data, host)


def _page(title: str, body: str, styles: Sequence[str], scripts: Sequence[str], data: Any, host: str) -> str:
    return make_page(title, body, styles, (*BOARD_SCRIPTS, *scripts), data, _POLICY.format(host=host))
