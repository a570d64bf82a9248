"""HTML pages of reports, which load nothing, in light and dark, from the templates of render/templates/.

Those of a tournament are the ranking, and one page per contestant with its results, faults, moves and time.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena import report
from planetwars_env.arena.results import Tally
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tables import Table
from planetwars_env.files import write_atomically
from planetwars_env.render.pages import make_page
from planetwars_env.render.templates import fill
from planetwars_env.text import file_name

RANKING, CONTESTANTS = "ranking.html", "contestants/"
"""The page of the ranking, and the folder of the pages of contestants beside it."""
REFRESH = 5
"""Seconds after which a page of a tournament that is being played loads itself again."""
_COLUMNS = ("rating", "win rate (95 %)", "as player 1", "as player 2", "lost by forfeit", "won by forfeit")
"""Headings after the opponent's name."""
_STEPS = (10, 20, 50, 100, 200, 500, 1_000)
_MOST_LINES = 6
"""Distances of the lines in the plot of ratings, and their number."""


class GameLink(NamedTuple):
    """Page of a game to watch: ``result`` in words, ``winner`` (0, 1, 2), ``link`` from the page of the ranking."""

    first: str
    second: str
    graph: str
    result: str
    winner: int
    link: str

    @property
    def title(self) -> str:
        """The game in words."""
        return f"{self.first} against {self.second} on {self.graph}: {self.result}"


def make_report(template: str, title: str, refresh: int | None = None, **values: Any) -> str:
    """Return the page of a template with its values; ``refresh``: seconds after which a browser loads it again."""
    body = fill(template, title=title, refresh=refresh, **values)
    return make_page(title, body, ["report.css"], ["elements.js", "theme.js", "report.js"], {"refresh": refresh})


def write_report_page(path: Path, template: str, title: str, **values: Any) -> None:
    """Write the page of a template."""
    write_atomically(path, make_report(template, title, **values).encode())


def write_pages(folder: Path, pages: Mapping[str, str]) -> None:
    """Write pages, by their paths in the folder. Pages of contestants that have left are removed."""
    (folder / CONTESTANTS).mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        write_atomically(folder / name, text.encode())
    for path in (folder / CONTESTANTS).glob("*.html"):
        if f"{CONTESTANTS}{path.name}" not in pages:
            path.unlink()


def tournament_pages(
    standings: Standings, title: str, games: Sequence[GameLink] = (), playing: tuple[int, int] | None = None
) -> dict[str, str]:
    """Return the page of the ranking and those of the contestants, by path.

    ``playing``: while games are played, how many of how many are finished; then the pages load themselves again.
    """
    refresh = REFRESH if playing else None
    index = make_report("ranking.html", title, refresh, playing=playing, **ranking_values(standings, games))
    return {RANKING: index, **contestant_pages(standings, RANKING, games, refresh=refresh)}


def ranking_values(standings: Standings, games: Sequence[GameLink]) -> dict[str, Any]:
    """Return the values of the template ranking.html: the plot, the tables, the win matrix, and games to watch."""
    links = {label: f"{CONTESTANTS}{file_name(label)}.html" for label in standings.labels}
    matrix = [(one, [_cell(standings, one, other, links[one]) for other in links]) for one in links]
    tables = report.moves(standings), report.faults(standings), report.broken(standings)
    return {
        "plot": _plot(standings),
        "links": links,
        "warnings": report.without_legal_moves(standings),
        "ranking": report.ranking(standings),
        "matrix": matrix,
        "folded": [report.pairs(standings), report.by_graph(standings)],
        "tables": [table for table in tables if table.rows],
        "games": [(one.title, one.link) for one in games],
    }


def _plot(standings: Standings) -> dict[str, Any]:
    """Return the places in the plot of ratings, in per cent of its width; nothing without contestants."""
    places = standings.ranking
    if not places:
        return {}
    low, high = min(place.low for place in places), max(place.high for place in places)
    step = next((step for step in _STEPS if (high - low) / step <= _MOST_LINES - 2), _STEPS[-1])
    low, high = step * floor(low / step), step * ceil(high / step)
    width = max(high - low, step)

    def at(points: float) -> str:
        return f"{100 * (points - low) / width:.2f}%"

    return {
        "ticks": [{"left": at(tick), "points": tick} for tick in range(low, low + width + 1, step)],
        "rows": [
            {
                "label": place.label,
                "text": f"{place.rating:+.0f} ({place.low:+.0f} to {place.high:+.0f})",
                "low": at(place.low),
                "width": f"{100 * (place.high - place.low) / width:.2f}%",
                "left": at(place.rating),
                "rating": f"{place.rating:+.0f}",
            }
            for place in places
        ],
    }


def _cell(standings: Standings, one: str, other: str, page: str) -> dict[str, str]:
    """Return a cell of the win matrix; nothing where these two did not play."""
    tally = standings.both(one, other)
    if one == other or not tally.games:
        return {}
    rate, (low, high) = tally.win_rate, tally.interval
    counts = f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost ({low:.0%} to {high:.0%})"
    return {
        "rate": f"{100 * rate:.0f}",
        "colour": "--player-1" if rate >= 0.5 else "--player-2",
        "part": f"{100 * abs(rate - 0.5):.0f}",
        "text": f"{one} against {other}: {counts}",
        "target": f"{page}#{file_name(other)}",
    }


def contestant_pages(
    standings: Standings, home: str, games: Sequence[GameLink] = (), texts: bool = True, refresh: int | None = None
) -> dict[str, str]:
    """Return the contestants' pages, by path. ``home``: the page of the ranking; ``texts``: those of faults too."""
    pages = {}
    graphs = report.by_graph(standings)
    for rank, place in enumerate(standings.ranking, 1):
        label, tally, (low, high) = place.label, place.tally, place.tally.interval
        forfeits = f"{place.forfeits} {'game was' if place.forfeits == 1 else 'games were'} lost by forfeit."
        own = [one for one in games if label in (one.first, one.second)]
        tallies = [(graph, standings.graphs.get((graph, label), Tally())) for graph, *_ in graphs.rows]
        pages[f"{CONTESTANTS}{file_name(label)}.html"] = make_report(
            "contestant.html",
            label,
            refresh,
            home=home,
            summary=f"Place {rank} of {len(standings.ranking)}, rating {place.rating:+.0f} ({place.low:+.0f} to "
            f"{place.high:+.0f}). {tally.wins} won, {tally.draws} drawn and {tally.losses} lost of {tally.games} distinct "
            f"games: {tally.win_rate:.0%} won ({low:.0%} to {high:.0%}). {forfeits if place.forfeits else ''}",
            headings=_COLUMNS,
            watch=bool(own),
            opponents=_opponents(standings, label, own),
            faults=_faults(standings, label),
            texts=texts,
            moves=_moves(standings, label),
            graphs=Table(
                graphs.title,
                ["graph", "games", "won / drawn / lost"],
                [[graph, str(tally.games), str(tally)] for graph, tally in tallies if tally.games],
            ),
        )
    return pages


def _opponents(standings: Standings, label: str, games: Sequence[GameLink]) -> list[dict[str, Any]]:
    """Return the results against every opponent, the best first, with the contestant's ``games`` to watch."""
    lost, opponents = standings.forfeits, []
    for place in standings.ranking:
        if (sides := standings.cells.get((label, place.label))) is None:
            continue
        other, tally = place.label, sides[0] + sides[1]
        rate = "{:.0%} ({:.0%} to {:.0%})".format(tally.win_rate, *tally.interval)
        watch = []
        for game in games:
            if other in (game.first, game.second):
                side = 1 if game.first == label else 2
                result = "won" if game.winner == side else "lost" if game.winner else "drawn"
                watch.append((game, f"{result} as player {side}"))
        cells = [f"{place.rating:+.0f}", rate, *map(str, sides), lost[label, other], lost[other, label]]
        opponents.append({"label": other, "page": file_name(other), "games": watch, "cells": cells})
    return opponents


def _faults(standings: Standings, label: str) -> list[dict[str, str]]:
    """Return every kind of fault once, with its number and the text of the first one."""
    groups: dict[tuple[str, str], list[tuple[str, str, bool]]] = {}
    for key, _, fault in standings.faults:
        if fault.strategy == label:
            entry = report.where(key, fault.turn), fault.text, fault.forfeits == "game"
            groups.setdefault((fault.kind, fault.summary), []).append(entry)
    faults = []
    for (kind, summary), group in sorted(groups.items(), key=lambda group: -len(group[1])):
        times, games = f"{len(group)} times" if len(group) > 1 else "once", sum(game for *_, game in group)
        costs = f"; {games} of these cost the game" if games else ""
        where, text, _ = group[0]
        faults.append({"summary": f"{times}: {kind}: {summary}{costs}", "where": where, "text": text})
    return faults


def _moves(standings: Standings, label: str) -> list[str]:
    """Return sentences on the moves and the time; none for a compiled bot among such."""
    moves, times = standings.moves.get(label), standings.times.get(label)
    sentences = [f"{moves.describe(label)}."] if moves and moves.sent else []
    if times and times.turns:
        total, slowest = (
            f"{seconds:,.1f} s" if seconds >= 1 else f"{1_000 * seconds:.0f} ms"
            for seconds in (times.seconds, times.slowest)
        )
        sentences.append(
            f"It took {total} by the clock for {times.turns:,} turns and what came before them; its slowest turn took {slowest}."
        )
    return sentences
