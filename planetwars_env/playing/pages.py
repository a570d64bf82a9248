"""Pages to play on: of the play server, which may speak to their own server only, and pages that play without one."""

import base64
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from markupsafe import Markup

from planetwars_env.engine.rules import PRESETS
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.catalogue import graph_names, load_graph, load_pool
from planetwars_env.learn.agent import WEIGHTS
from planetwars_env.learn.config import load_config
from planetwars_env.playing.setup import Opening, choices, is_shipped, page_game, shipped_choices
from planetwars_env.render.layout import RADII
from planetwars_env.render.pages import BOARD_SCRIPTS, engine_manifest, joined_scripts, make_page, page_script
from planetwars_env.render.templates import page_file
from planetwars_env.shipped import agent_folder, agent_names

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self' ws://{host}; form-action 'none'; base-uri 'none'"
)
RULES_PAGE = make_page("The rules of PlanetWars", page_file("rules.html"), ("page.css",), (), {})
_PLAY_STYLES = ("page.css", "play.css")
_PLAY_SCRIPTS = (
    *BOARD_SCRIPTS,
    "connection.mjs",
    "ways.js",
    "move_input.js",
    "look_back.js",
    "aim.js",
    "move_panel.js",
    "turn_line.js",
    "curves.js",
    "events.js",
    "result.js",
    "series.js",
    "fog_memory.js",
    "until_news.js",
    "legend.js",
    "guide.js",
    "play_lists.js",
    "play_keys.js",
    "confirm_button.js",
    "choose.js",
    "setup.js",
    "open_replay.js",
    "play.js",
)
_EDITOR_SCRIPTS = (
    *BOARD_SCRIPTS,
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


def play_page(opening: Opening, host: str, shared: bool, token: str = "") -> str:
    """Return the page to play on. ``host``: the server's, as the browser names it; ``shared``: see session.py.

    ``token``: what the page sends with every request, where it has no cookie.
    """
    offered = shipped_choices() if shared else choices(opening.boards)
    data = {"choices": offered, "first": first_game(opening, shared), "local": local_data(graph_names())}
    return page_to_play_on({**data, "server": True, "token": token}, _POLICY.format(host=host))


def page_to_play_on(data: Any, policy: str, ask: Sequence[str] = ("ask.js",)) -> str:
    """Return the page to play on with its data; ``ask``: scripts that answer what it asks a server."""
    body, scripts = page_file("play.html"), (*ask, *_PLAY_SCRIPTS)
    return make_page("PlanetWars", body, _PLAY_STYLES, scripts, data, policy, engine=True)


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
    """Return the script that makes the page to play on of a small page whose data has the game alone; no server answers it."""
    data = {"choices": local_choices(()), "local": local_data(graph_names()), "server": False}
    known = Markup(f"Object.assign(pageData, {json.dumps(data, separators=(',', ':'))});\n")
    scripts = joined_scripts(("ask.js",)) + known + joined_scripts(_PLAY_SCRIPTS)
    return page_script(_PLAY_STYLES, "play.html") + str(scripts)


def local_choices(pools: Iterable[str]) -> dict[str, Any]:
    """Return the names that pages without a server offer; ``pools``: those whose graphs they have."""
    return {**shipped_choices(), "pools": {pool: len(load_pool(pool)) for pool in pools}}


@cache
def local_data(graphs: Iterable[str]) -> dict[str, Any]:
    """Return what the play page plays on by itself, besides the engine: these graphs, and the agents of the zoo."""
    return {
        "manifest": engine_manifest(),
        "graphs": {name: load_graph(name).to_dict() for name in graphs},
        "turn_limits": {name: turn_limit(rules) for name, rules in PRESETS.items()},
        "agents": {name: _agent(name) for name in agent_names()},
    }


def _agent(name: str) -> dict[str, Any]:
    folder = agent_folder(name)
    return {
        "weights": base64.b64encode((folder / WEIGHTS).read_bytes()).decode(),
        "fractions": list(load_config(folder / "config.yaml").task.fractions),
    }


def editor_page(opening: Opening, host: str) -> str:
    """Return the page of the board editor."""
    boards = str(opening.boards or "")
    local = {"manifest": engine_manifest()}
    data = {"choices": choices(opening.boards), "boards": boards, "radii": RADII, "local": local, "server": True}
    return page_to_edit_on(data, _POLICY.format(host=host))


def page_to_edit_on(data: Any, policy: str, ask: Sequence[str] = ("ask.js",)) -> str:
    """Return the page of the board editor with its data; ``ask``: scripts that answer what it asks a server."""
    scripts = ("answers.mjs", *ask, *_EDITOR_SCRIPTS)
    return make_page("Board editor", page_file("editor.html"), _PLAY_STYLES, scripts, data, policy)
