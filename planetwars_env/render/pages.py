"""HTML pages: each is one file that holds everything, opens by double click and loads nothing; and pages in notebooks."""

import base64
import gzip
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from planetwars_env.bots.catalogue import bot_names
from planetwars_env.bots.planner import Planner
from planetwars_env.engine.rules import PLANETWARS, PRESETS
from planetwars_env.files import write_atomically
from planetwars_env.game import Game, turn_limit
from planetwars_env.graphs.catalogue import graph_names, load_graph
from planetwars_env.render.palette import DARK, LIGHT, Palette
from planetwars_env.render.readings import GameReading
from planetwars_env.render.templates import fill, joined_modules, packaged, page_file
from planetwars_env.render.text import describe_result
from planetwars_env.render.win_probability import COEFFICIENTS, win_curve
from planetwars_env.replay import Replay, ReplayError
from planetwars_env.text import slug

_ALONE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
PLAYING = _ALONE.replace("'unsafe-inline'", "'self' file: 'unsafe-inline' 'wasm-unsafe-eval'", 1)
"""Policy of pages that play a game again; a page in a folder of games has its script in the same folder."""
PERSON = "you"
"""Name of a person, in place of a strategy's name."""
PLAYER_SCRIPT = "player.js"
"""Script that the pages of a folder share."""
_MOST_MODULE_BYTES = 64 * 2**20
_TOO_LARGE = (
    "no page can show this game: it may have more people than 32 bits hold, or needs more than 64 MiB of memory; the "
    "terminal and videos can (planetwars watch GAME, with --out GAME.mp4)"
)
_MOST_POINTS = 120
"""Points of a curve in a list of games."""
_MISSING = "The script of this page is in another cell, which shows a game too: scroll there, or run this cell again."
_WATCHED = Markup(f"body {{ background: {DARK.ground}; color: {DARK.ink}; }}\n")
"""Style of a page to watch until its script brings the others."""
_cells: dict[str, set[str]] = {}
"""Cells of the notebook that have shown a page, by the parts that its script has."""


def replay_page(replay: Replay | None, reading: GameReading | None = None) -> str:
    """Return the page that plays a replay, as one file. ReplayError if it cannot be re-run.

    ``reading``: of an agent, which the page shows too. None: the page waits for a file.
    """
    title = "PlanetWars: watch a game" if replay is None else title_of(replay)
    return _saved_page(title, game_data(replay, reading))


def _saved_page(title: str, data: Any) -> str:
    return small_page(title, data, "This page needs JavaScript.", script=saved_script())


def write_game_page(path: Path, replay: Replay) -> None:
    """Write the page of a replay for a folder of games: `PLAYER_SCRIPT` beside it holds all that is the same in every page.

    That of a game that is too large says so. ReplayError for moves after the end.
    """
    if fits_the_module(next(replay.games())):
        needed = "This page needs the file player.js of its folder."
        page = small_page(title_of(replay), game_data(replay), needed, PLAYER_SCRIPT)
    else:
        page = small_page(title_of(replay), None, f"This game is not shown: {_TOO_LARGE}.")
    there, player = path.with_name(PLAYER_SCRIPT), saved_script().encode()
    if not there.exists() or there.read_bytes() != player:
        write_atomically(there, player)
    write_atomically(path, page.encode())


def small_page(title: str, data: Any, missing: str, source: str = "", script: str = "", style: str = _WATCHED) -> str:
    """Return a page whose script (``source``: its file) brings the rest; ``missing``: what is said where it does not come."""
    return fill(
        "page.html", policy=Markup(PLAYING), title=title, style=style, source=source, script=Markup(script), data=data,
        body=Markup("<p>{}</p>\n").format(missing),
    )  # fmt: skip


@cache
def watch_script() -> str:
    """Return the script that makes the page of a replay of a small page; it needs `engine_script`."""
    return page_script("replay") + str(joined_scripts(parts_of("replay")))


@cache
def saved_script() -> str:
    """Return the script of a saved replay: the page that plays it, and the page to play on from it, each packed."""
    limit = turn_limit(PLANETWARS)
    first = {"players": [PERSON, "ai1"], "graph": "rings", "rules": PLANETWARS.name, "seed": 0, "max_turns": limit}
    known = {
        "choices": offered_names(),
        "local": page_data(graph_names()),
        "first": {**first, "speed": 4, "game": first},
    }
    parts = {"watch": watch_script(), "play": play_script(known)}
    return str(engine_script()) + _unpacking({name: _packed(text.encode()) for name, text in parts.items()})


def _unpacking(parts: Mapping[str, str]) -> str:
    return str(page_file("unpack.js")).replace("PARTS", json.dumps(parts), 1)


def play_script(known: Mapping[str, Any]) -> str:
    """Return the script that makes the page to play on of a small page, without a server; it needs `engine_script`.

    ``known``: what is the same in all these pages: choices, local, and perhaps first.
    """
    data = json.dumps({**known, "server": False, "alone": True}, separators=(",", ":"))
    told = Markup(f"Object.assign(pageData, {data});\n")
    return page_script("play") + str(page_file("ask.js") + told + joined_scripts(parts_of("play")))


def offered_names() -> dict[str, Any]:
    """Return the names that every page to play on offers."""
    return {
        "person": PERSON,
        # ``noop`` is there for tests: it is nobody to play against.
        "bots": [name for name in bot_names() if name != "noop"],
        "agents": {},
        "own": [],
        "hints": [Planner.name],
        "saved": [],
        "graphs": list(graph_names()),
        "pools": {},
        "rules": list(PRESETS),
    }


def page_data(graphs: Iterable[str]) -> dict[str, Any]:
    """Return what a page plays on by itself, besides the engine: these graphs, and no agents."""
    return {
        "manifest": engine_manifest(),
        "graphs": {name: load_graph(name).to_dict() for name in graphs},
        "turn_limits": {name: turn_limit(rules) for name, rules in PRESETS.items()},
        "agents": {},
    }


def page_script(page: str) -> str:
    """Return the script that puts the styles and the body of a page into a small page."""
    parts = json.dumps({"style": _style(parts_of(page)), "body": fill(f"page/{page}.html")})
    return str(page_file("player.js")).replace("PARTS", parts, 1)


def pair_page(first: Replay, second: Replay) -> str:
    """Return the page that plays two replays side by side, turn by turn."""
    clock = max(len(first.moves), len(second.moves)) + 1
    games = [{**game_data(replay), "clock": clock} for replay in (first, second)]
    title = f"{' against '.join(first.players)}; {' against '.join(second.players)}"
    return make_page(title, "pair", {"page": make_page("game", "replay", "GAME", PLAYING), "games": games}, PLAYING)


def engine_manifest() -> dict[str, Any]:
    """Return what the page's engine is made of (docs/experiments/wasm.md)."""
    return json.loads(packaged("planetwars.wasm.json"))


@cache
def engine_script() -> Markup:
    """Return the script with the engine, which pages that play need."""
    chances = json.loads(packaged(COEFFICIENTS))
    engine = {"wasm": _packed(packaged("planetwars.wasm")), "manifest": engine_manifest(), "chances": chances}
    return Markup(f'"use strict";\nconst ENGINE = {json.dumps(engine, separators=(",", ":"))};\n')


@cache
def parts_of(page: str) -> tuple[str, ...]:
    """Return the files of a page (page/parts.json), in order: its styles, scripts (.js) and modules (.mjs).

    A name without an ending stands for the parts of that name there, and "engine" for the engine.
    """
    parts = json.loads(page_file("parts.json"))[page]
    return tuple(file for part in parts for file in ([part] if "." in part or part == "engine" else parts_of(part)))


def joined_scripts(parts: Iterable[str]) -> Markup:
    """Return the scripts of page/ and modules of web/ among these files as one script, without the engine."""
    scripts = [part for part in parts if part.endswith("js")]
    return Markup().join(joined_modules(name) if name.endswith(".mjs") else page_file(name) for name in scripts)


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def title_of(replay: Replay) -> str:
    """Return the title of a replay's page."""
    return f"{replay.players[0]} against {replay.players[1]}"


def game_data(replay: Replay | None, reading: GameReading | None = None) -> dict[str, Any]:
    """Return the data of a game for its page: the replay as a file would hold it, packed.

    ``rivals``: names of players that may take over a side where the game is played on in the page, besides people.
    """
    rivals = offered_names()["bots"]
    if replay is None:
        return {"replay": None, "rivals": rivals}
    if not fits_the_module(next(replay.games())):
        raise ReplayError(f"{title_of(replay)}: {_TOO_LARGE}")
    replay.finished  # noqa: B018 - ReplayError for moves after the end
    return {
        "replay": _packed(json.dumps(replay.to_dict(), separators=(",", ":")).encode()),
        "reader": reading and reading.to_data(replay.graph),
        "rivals": rivals,
    }


def games_page(title: str, games: Iterable[tuple[str, Replay]]) -> str:
    """Return the page with a list of games; each has the link to its page."""
    return make_page(title, "games", {"title": title, "games": [_listed(link, replay) for link, replay in games]})


def _listed(link: str, replay: Replay) -> dict[str, Any]:
    win = win_curve(replay)
    told = f"{describe_result(replay)}, on {replay.graph.name or 'a graph'}, {replay.rules.name}"
    thinned = [win[round(i * (len(win) - 1) / (_MOST_POINTS - 1))] for i in range(_MOST_POINTS)]
    return {
        "link": link,
        "players": list(replay.players),
        "winner": replay.winner,
        "graph": replay.graph.name,
        "turns": replay.turns,
        "told": told,
        "win": thinned if len(win) > _MOST_POINTS else win,
    }


def file_stem(replay: Replay) -> str:
    """Return a file name for the replay, without an ending: ai1-against-ai2-on-test-3."""
    return slug(f"{replay.players[0]} against {replay.players[1]} on {replay.graph.name or 'graph'}")


def make_page(
    title: str, page: str, data: Any, policy: str = _ALONE, ask: Sequence[str] = (), body: str | None = None
) -> str:
    """Return a page made of its files (`parts_of`), with its file of page/, or ``body`` (HTML), as its body.

    ``data``: JSON for its script, in the element #data; ``policy``: the Content-Security-Policy, by default no network;
    ``ask``: scripts that come first, which answer what the page asks a server.
    """
    parts = parts_of(page)
    script = (engine_script() if "engine" in parts else "") + joined_scripts((*ask, *parts))
    return fill(
        "page.html", policy=Markup(policy), title=title, style=_style(parts), data=data, script=script, source="",
        body=Markup(fill(f"page/{page}.html") if body is None else body),
    )  # fmt: skip


def _style(parts: Sequence[str]) -> Markup:
    # Games are watched in the dark.
    colours = colour_variables("all" if "replay.css" in parts else "(prefers-color-scheme: dark)")
    return colours + Markup().join(page_file(part) for part in parts if part.endswith(".css"))


def colour_variables(dark_where: str = "(prefers-color-scheme: dark)") -> Markup:
    """Return the palettes as CSS variables: dark where a media query says so, until the reader chooses."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return Markup(
        f":root {{ color-scheme: light; {light} }}\n"
        f'@media {dark_where} {{ :root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }} }}\n'
        f':root[data-theme="dark"], :root.watched:not([data-theme="light"]) {{ color-scheme: dark; {dark} }}\n'
    )


def _variables(palette: Palette) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in palette._asdict().items())


def fits_the_module(game: Game) -> bool:
    """Return whether the module can hold the game (web/graph.mjs, checkFits): its numbers, and the memory that it needs."""
    flight = game.rules.turns_per_weight * max((edge.weight for edge in game.graph.edges), default=1)
    needed = 8 * flight * (len(game.graph.edges) + len(game.graph.planets))
    return game.arrays[1].people.dtype == np.int32 and needed <= _MOST_MODULE_BYTES


def in_notebook(title: str, page: str, data: Any, parts: Mapping[str, str], height: int) -> str:
    """Return a page as the output of a cell.

    ``parts``: what its script is made of, in order, by name, besides the engine; ``page``: its text form.
    """
    whole = {"engine": engine_script(), **parts}
    carried = {name: _packed(text.encode()) if _carries(name) else "" for name, text in whole.items()}
    small = small_page(title, data, _MISSING, script=_unpacking(carried), style="")
    return fill("frame.html", title=page, height=height, page=small, address="")


def _carries(part: str) -> bool:
    """Return whether the output of this cell is to hold a part.

    The first cell of a notebook that needs it has it, and a cell that is run again, since the first one may be gone.
    Where cells are not known, or are pages of their own, every output has it.
    """
    kernel = getattr(getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)(), "kernel", None)
    cell = kernel and kernel.get_parent().get("metadata", {}).get("cellId")
    if not cell or "google.colab" in sys.modules:
        return True
    cells = _cells.setdefault(part, set())
    first = not cells or cell in cells
    cells.add(cell)
    return first


class ReplayPage:
    """Page of a replay. Notebooks show it; `save` writes it as one file that needs nothing else."""

    def __init__(self, replay: Replay, height: int, reading: GameReading | None = None) -> None:
        self.replay = replay
        self.height = height
        self._data = game_data(replay, reading)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page as one .html file."""
        write_atomically(Path(path), _saved_page(title_of(self.replay), self._data).encode())

    def _repr_html_(self) -> str:
        return in_notebook(title_of(self.replay), repr(self), self._data, {"watch": watch_script()}, self.height)

    def __repr__(self) -> str:
        one, other = self.replay.players
        return f"ReplayPage({one} against {other}, {self.replay.turns} turns)"


def watch(replay: Replay, height: int = 680, reading: GameReading | None = None) -> ReplayPage:
    """Return the page that plays a replay, ``height`` pixels high in a notebook.

    ``reading``: of `read_game`; the page shows the agent's likely orders, its estimate and what its choices depend on.
    ReplayError if it cannot be re-run; TypeError if ``replay`` is not a Replay.
    """
    if not isinstance(replay, Replay):
        raise TypeError(f"watch takes a Replay, not {type(replay).__name__}")
    return ReplayPage(replay, height, reading)
