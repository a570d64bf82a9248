"""HTML pages: each is one file that holds everything, opens by double click and loads nothing; `pw.watch`."""

import base64
import gzip
import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from planetwars_env.files import write_atomically
from planetwars_env.render.frames import positions_beyond_the_module
from planetwars_env.render.palette import DARK, LIGHT, Palette
from planetwars_env.render.readings import GameReading
from planetwars_env.render.templates import fill, joined_modules, page_file
from planetwars_env.render.text import describe_result
from planetwars_env.render.win_probability import COEFFICIENTS, win_curve
from planetwars_env.replay import Replay
from planetwars_env.text import slug

BOARD_SCRIPTS = (
    "viewport.js",
    "labels.js",
    "shuttles.js",
    "drawing.js",
    "gestures.js",
    "details.js",
    "board_table.js",
    "console.js",
    "theme.js",
    "files.js",
)
"""Scripts of every page that shows a board."""
_ALONE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_PLAYING = _ALONE.replace("'unsafe-inline'", "'self' file: 'unsafe-inline' 'wasm-unsafe-eval'", 1)
"""Policy of pages that play a game again; a page in a folder of games has its script in the same folder."""
PLAYER = "player.js"
"""Script that the pages of a folder share."""
_REPLAY_STYLES = ("page.css", "replay.css")
REPLAY_SCRIPTS = ("curves.js", "figures.js", "events.js", "reader.js", "address.js", "replay.js")
_MOST_POINTS = 120
"""Points of a curve in a list of games."""


def replay_page(replay: Replay | None, reading: GameReading | None = None) -> str:
    """Return the page that plays a replay, as one file. ReplayError if it cannot be re-run.

    ``reading``: of an agent, which the page shows too. None: the page waits for a file.
    """
    return _replay_page("PlanetWars: watch a game" if replay is None else _title(replay), _game_data(replay, reading))


def write_game_page(path: Path, replay: Replay) -> None:
    """Write the page of a replay for a folder of games: `PLAYER` beside it holds all that is the same in every page."""
    page = _small_page(_title(replay), _game_data(replay), "This page needs the file player.js of its folder.", PLAYER)
    there, player = path.with_name(PLAYER), _player_file().encode()
    if not there.exists() or there.read_bytes() != player:
        write_atomically(there, player)
    write_atomically(path, page.encode())


def _small_page(title: str, data: Any, missing: str, source: str = "", script: str = "") -> str:
    """Return a page whose script (``source``: its file) brings the rest; ``missing``: what is said where it does not come."""
    return fill(
        "page.html", policy=Markup(_PLAYING), title=title, style="", source=source, script=Markup(script), data=data,
        body=Markup("<p>{}</p>\n").format(missing),
    )  # fmt: skip


@cache
def _player_file() -> str:
    parts = json.dumps({"style": _style(_REPLAY_STYLES), "body": page_file("replay.html")})
    # It stands in a page of a notebook too, where the end of an element ends the script.
    return str(page_file("player.js")).replace("PARTS", parts.replace("</", "<\\/"), 1) + str(player_script())


def pair_page(first: Replay, second: Replay) -> str:
    """Return the page that plays two replays side by side, turn by turn."""
    clock = max(len(first.moves), len(second.moves)) + 1
    games = [{**_game_data(replay), "clock": clock} for replay in (first, second)]
    return make_page(
        title=f"{' against '.join(first.players)}; {' against '.join(second.players)}",
        body="pair.html",
        styles=("page.css", "pair.css"),
        scripts=("pair.js",),
        data={"page": _replay_page("game", "GAME"), "games": games},
        policy=_PLAYING,
    )


@cache
def player_script() -> Markup:
    """Return the script that plays games again: the engine, and all of the page of a replay."""
    render = files("planetwars_env.render")
    engine = {
        "wasm": _packed(render.joinpath("planetwars.wasm").read_bytes()),
        "manifest": json.loads(render.joinpath("planetwars.wasm.json").read_bytes()),
        "chances": json.loads(render.joinpath(COEFFICIENTS).read_bytes()),
    }
    begin = Markup(f"const ENGINE = {json.dumps(engine, separators=(',', ':'))};\n") + joined_modules(
        "recorded_game.mjs"
    )
    return begin + Markup().join(map(page_file, (*BOARD_SCRIPTS, *REPLAY_SCRIPTS)))


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def _title(replay: Replay) -> str:
    return f"{replay.players[0]} against {replay.players[1]}"


def _game_data(replay: Replay | None, reading: GameReading | None = None) -> dict[str, Any]:
    """Return the data of a game for its page: the replay as a file would hold it, packed."""
    if replay is None:
        return {"replay": None}
    return {
        "replay": _packed(json.dumps(replay.to_dict(), separators=(",", ":")).encode()),
        "positions": positions_beyond_the_module(replay),
        "reader": reading and reading.to_data(replay.graph),
    }


def _replay_page(title: str, data: Any) -> str:
    return _filled(page_file("replay.html"), title, _REPLAY_STYLES, player_script(), data, _PLAYING)


def games_page(title: str, games: Iterable[tuple[str, Replay]]) -> str:
    """Return the page with a list of games; each has the link to its page."""
    return make_page(
        title=title,
        body="games.html",
        styles=("page.css", "games.css"),
        scripts=("theme.js", "curves.js", "games.js"),
        data={"title": title, "games": [_listed(link, replay) for link, replay in games]},
    )


def _listed(link: str, replay: Replay) -> dict[str, Any]:
    win = win_curve(replay)
    told = f"{describe_result(replay)}, on {replay.graph.name or 'a graph'}, {replay.rules.name}"
    thinned = [win[round(i * (len(win) - 1) / (_MOST_POINTS - 1))] for i in range(_MOST_POINTS)]
    return {
        "link": link,
        "players": list(replay.players),
        "winner": replay.winner,
        "told": told,
        "win": thinned if len(win) > _MOST_POINTS else win,
    }


def file_stem(replay: Replay) -> str:
    """Return a file name for the replay, without an ending: ai1-against-ai2-on-test-3."""
    return slug(f"{replay.players[0]} against {replay.players[1]} on {replay.graph.name or 'graph'}")


def make_page(
    title: str, body: str, styles: Sequence[str], scripts: Sequence[str], data: Any, policy: str = _ALONE
) -> str:
    """Return a page made of files in page/, and of modules in web/ (.mjs).

    ``data``: JSON for its script, in the element #data; ``policy``: the Content-Security-Policy, by default no network.
    """
    return page_with(page_file(body), title, styles, scripts, data, policy)


def page_with(
    body: str, title: str, styles: Sequence[str], scripts: Sequence[str], data: Any, policy: str = _ALONE
) -> str:
    """Return a page with this HTML as its body, and else as `make_page` does."""
    script = Markup().join(joined_modules(one) if one.endswith(".mjs") else page_file(one) for one in scripts)
    return _filled(body, title, styles, script, data, policy)


def _filled(body: str, title: str, styles: Sequence[str], script: Markup, data: Any, policy: str) -> str:
    return fill(
        "page.html", policy=Markup(policy), title=title, style=_style(styles), body=Markup(body), data=data,
        script=script, source="",
    )  # fmt: skip


def _style(styles: Sequence[str]) -> Markup:
    return colour_variables() + Markup().join(map(page_file, styles))


def colour_variables() -> Markup:
    """Return the palettes as CSS variables: light or dark as the system has it, until the reader chooses."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return Markup(
        f":root {{ color-scheme: light; {light} }}\n"
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }} }}\n'
        f':root[data-theme="dark"] {{ color-scheme: dark; {dark} }}\n'
    )


def _variables(palette: Palette) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in palette._asdict().items())


class ReplayPage:
    """Page of a replay. Notebooks show it; `save` writes it as one file that needs nothing else."""

    def __init__(self, replay: Replay, height: int, reading: GameReading | None = None) -> None:
        self.replay = replay
        self.height = height
        self._reading = reading
        self._data = _game_data(replay, reading)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page as one .html file."""
        write_atomically(Path(path), _replay_page(_title(self.replay), self._data).encode())

    def _repr_html_(self) -> str:
        script = _player_file() if carries_the_player() else page_file("notebook.js")
        missing = "The player is in another cell, which shows a game too: scroll there, or run this cell again."
        page = _small_page(_title(self.replay), self._data, missing, script=script)
        return fill("frame.html", title=repr(self), height=self.height, page=page)

    def __repr__(self) -> str:
        one, other = self.replay.players
        return f"ReplayPage({one} against {other}, {self.replay.turns} turns)"


_cells: set[str] = set()
"""Cells of the notebook that have shown a game."""


def carries_the_player() -> bool:
    """Return whether the output of this cell is to hold the script that plays games.

    The first cell of a notebook that shows a game has it, and a cell that is run again, since the first one may be gone.
    Where cells are not known, or are pages of their own, every output has it.
    """
    kernel = getattr(getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)(), "kernel", None)
    cell = kernel and kernel.get_parent().get("metadata", {}).get("cellId")
    if not cell or "google.colab" in sys.modules:
        return True
    first = not _cells or cell in _cells
    _cells.add(cell)
    return first


def watch(replay: Replay, height: int = 680, reading: GameReading | None = None) -> ReplayPage:
    """Return the page that plays a replay, ``height`` pixels high in a notebook.

    ``reading``: of `read_game`; the page shows the agent's likely orders, its estimate and what its choices depend on.
    ReplayError if it cannot be re-run; TypeError if ``replay`` is not a Replay.
    """
    if not isinstance(replay, Replay):
        raise TypeError(f"watch takes a Replay, not {type(replay).__name__}")
    return ReplayPage(replay, height, reading)
