"""HTML pages: each is one file that holds everything, opens by double click and loads nothing; `pw.watch`."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from planetwars_env.files import write_atomically
from planetwars_env.render.frames import replay_data
from planetwars_env.render.palette import DARK, LIGHT, Palette
from planetwars_env.render.readings import GameReading
from planetwars_env.render.templates import fill, page_file
from planetwars_env.render.text import describe_result
from planetwars_env.render.win_probability import win_curve
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
    return page_with(page_file(body), title, styles, scripts, data, policy)


def page_with(
    body: str, title: str, styles: Sequence[str], scripts: Sequence[str], data: Any, policy: str = _ALONE
) -> str:
    """Return a page with this HTML as its body, and else as `make_page` does."""
    return fill(
        "page.html",
        policy=Markup(policy),
        title=title,
        style=colour_variables() + Markup().join(map(page_file, styles)),
        body=Markup(body),
        data=data,
        script=Markup().join(map(page_file, scripts)),
    )


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
        self._html = replay_page(replay, reading)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page as one .html file."""
        write_atomically(Path(path), self._html.encode())

    def _repr_html_(self) -> str:
        return fill("frame.html", title=repr(self), height=self.height, page=self._html)

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
