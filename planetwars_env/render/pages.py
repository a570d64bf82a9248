"""HTML pages: each is one file that holds everything, opens by double click and loads nothing."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from planetwars_env.render.frames import replay_data
from planetwars_env.render.palette import DARK, LIGHT, Palette
from planetwars_env.render.readings import GameReading
from planetwars_env.render.transcript import describe_result
from planetwars_env.render.win_probability import win_curve
from planetwars_env.replay import Replay
from planetwars_env.text import slug

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
{body}<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
</body>
</html>
"""
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
)
"""Scripts of every page that shows a board."""
_ALONE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


_REPLAY_SCRIPTS = ("replay_frames.js", "curves.js", "figures.js", "events.js", "reader.js", "address.js", "replay.js")
_MOST_POINTS = 120
"""Points of a curve in a list of games."""


def replay_page(replay: Replay, reading: GameReading | None = None, clock: int = 0) -> str:
    """Return the page that plays a replay. ReplayError if it cannot be re-run.

    ``reading``: of an agent, which the page shows too. ``clock``: frames of the clock that it shares with the other game of a
    `pair_page`; 0 for a page of its own.
    """
    return make_page(
        title=f"{replay.players[0]} against {replay.players[1]}",
        body="replay.html",
        styles=("page.css", "replay.css"),
        scripts=(*BOARD_SCRIPTS, *_REPLAY_SCRIPTS),
        data={**replay_data(replay), "reader": reading and reading.to_data(replay.graph), "clock": clock},
    )


def pair_page(first: Replay, second: Replay) -> str:
    """Return the page that plays two replays side by side, turn by turn."""
    clock = max(len(first.digests), len(second.digests))
    return make_page(
        title=f"{' against '.join(first.players)}; {' against '.join(second.players)}",
        body="pair.html",
        styles=("page.css", "pair.css"),
        scripts=("pair.js",),
        data=[replay_page(replay, clock=clock) for replay in (first, second)],
    )


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
    """Return a page made of files in page/.

    ``data``: JSON for its script, in the element #data; ``policy``: the Content-Security-Policy, by default no network.
    """
    return page_with(_part(body), title, styles, scripts, data, policy)


def page_with(
    body: str, title: str, styles: Sequence[str], scripts: Sequence[str], data: Any, policy: str = _ALONE
) -> str:
    """Return a page with this HTML as its body, and else as `make_page` does."""
    return _PAGE.format(
        policy=policy,
        title=escape(title),
        style=colour_variables() + "".join(map(_part, styles)),
        body=body,
        # No text in the data can end the element that holds them.
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script="".join(map(_part, scripts)),
    )


def colour_variables() -> str:
    """Return the palettes as CSS variables: light or dark as the system has it, until the reader chooses."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }} }}\n'
        f':root[data-theme="dark"] {{ color-scheme: dark; {dark} }}\n'
    )


def _variables(palette: Palette) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {colour};" for name, colour in palette._asdict().items())


def _part(name: str) -> str:
    return files("planetwars_env.render").joinpath("page", name).read_text(encoding="utf-8")
