"""Pages of the play server, which may speak to their own server only."""

from collections.abc import Sequence
from typing import Any

from planetwars_env.play.session import is_shipped
from planetwars_env.play.setup import Opening, choices, shipped_choices
from planetwars_env.render.layout import RADII
from planetwars_env.render.pages import BOARD_SCRIPTS, make_page

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self' ws://{host}; form-action 'none'; base-uri 'none'"
)
RULES_PAGE = make_page("The rules of PlanetWars", "rules.html", ("page.css", "rules.css"), (), {})
_PLAY_SCRIPTS = (
    "ways.js",
    "move_input.js",
    "look_back.js",
    "aim.js",
    "connection.js",
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
_EDITOR_SCRIPTS = (
    "connection.js",
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
    }
    data = {"choices": shipped_choices() if shared else choices(opening.boards), "first": first}
    return _page("PlanetWars", "play.html", ("page.css", "play.css"), _PLAY_SCRIPTS, data, host)


def editor_page(opening: Opening, host: str) -> str:
    """Return the page of the board editor."""
    data = {"choices": choices(opening.boards), "boards": str(opening.boards or ""), "radii": RADII}
    styles = ("page.css", "play.css", "editor.css")
    return _page("Board editor", "editor.html", styles, _EDITOR_SCRIPTS, data, host)


def _page(title: str, body: str, styles: Sequence[str], scripts: Sequence[str], data: Any, host: str) -> str:
    return make_page(title, body, styles, (*BOARD_SCRIPTS, *scripts), data, _POLICY.format(host=host))
