"""Site of a ladder: static files that any web server can show. Faults stand there without the code lines of their authors."""

import time
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

from planetwars_env.arena import report
from planetwars_env.arena.game_records import GameRow
from planetwars_env.arena.game_store import load_replay
from planetwars_env.arena.ladder import Ladder
from planetwars_env.arena.report_page import GameLink, make_report
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament_pages import contestant_pages, ranking_values, write_pages
from planetwars_env.render.pages import write_game_page
from planetwars_env.replay import ReplayError

_REFRESH = 30
_PAGES_AT_ONCE = 4
"""New pages of games per writing, so that they do not keep the next games waiting."""
_POINTS = 200
"""Points of a curve in the history."""
_WIDTH, _HEIGHT = 300, 36


def write_site(ladder: Ladder, site: Path, replays: int, title: str, idle: bool) -> Standings:
    """Write the site and return the standings on it; with ``idle`` all pages of games that are missing, else a few."""
    standings = ladder.standings()
    games = _replays(ladder, standings, site / "replays", replays, None if idle else _PAGES_AT_ONCE)
    state = "nothing is due" if idle else "games are being played"
    not_playing = [
        [name, ladder.submissions[name].place, problem, ladder.players.get(name, "nothing")]
        for name in ladder.present
        if (problem := ladder.submissions[name].problem)
    ]
    page = make_report(
        "ladder.html",
        title,
        _REFRESH,
        state=f"{time.strftime('%Y-%m-%d %H:%M:%S')}: {len(ladder.players)} submissions play, {state}.",
        not_playing=Table(
            "Submissions whose last version does not play",
            ["student", "submission", "reason", "plays instead"],
            not_playing,
        ),
        history=_history(ladder, standings),
        **ranking_values(standings, games),
    )
    files = {
        "index.html": page,
        "standings.csv": report.standings_csv(standings),
        "pairs.csv": report.pairs_csv(standings),
    }
    write_pages(site, {**files, **contestant_pages(standings, "index.html", games, texts=False, refresh=_REFRESH)})
    return standings


def _history(ladder: Ladder, standings: Standings) -> list[dict[str, Any]]:
    """Return a curve of ratings per submission over all of its versions."""
    moments = list(ladder.store.metadata_like("history ").values())
    moments = moments[:: 1 + len(moments) // _POINTS] + moments[-1:]
    ratings = [rating for moment in moments for rating, *_ in moment.values()]
    low, high = min(ratings, default=0), max(ratings, default=0)
    versions = {label: ladder.submissions[name].labels for name, label in ladder.players.items()}
    rows = []
    for label in standings.labels:
        own = versions.get(label, [label])
        curve = [(x, moment[one][0]) for x, moment in enumerate(moments) for one in own if one in moment]
        points = (
            f"{_WIDTH * x / max(1, len(moments) - 1):.1f},{_HEIGHT * (high - y) / max(1, high - low):.1f}"
            for x, y in curve
        )
        first, last = (f"{curve[end][1]:+.0f}" if curve else "" for end in (0, -1))
        rows.append({"label": label, "versions": len(own), "points": " ".join(points), "first": first, "last": last})
    return rows


def _replays(ladder: Ladder, standings: Standings, folder: Path, each: int, most: int | None) -> list[GameLink]:
    """Write pages of each contestant's most surprising losses, at most ``most`` new ones; return titles and links.

    Pages that belong to no contestant any more are removed.
    """
    ratings = {place.label: place.rating for place in standings.ranking}
    lost: dict[str, list[GameRow]] = {label: [] for label in standings.labels}
    for row in ladder.store.rows():
        if row.winner and {row.first, row.second} <= ratings.keys():
            lost[row.lost_by].append(row)
    wanted: dict[str, GameRow] = {}
    for player in ladder.players.values():
        lost[player].sort(key=lambda row: ratings[row.won_by])
        wanted |= {f"{crc32(repr(row[:4]).encode()):08x}-{row.fingerprint}.html": row for row in lost[player][:each]}
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.name for path in folder.glob("*.html")}
    for name in there - wanted.keys():
        (folder / name).unlink()
    for name in islice((name for name in wanted if name not in there), most):
        try:
            write_game_page(folder / name, load_replay(ladder.store, wanted[name].key))
        except ReplayError:
            continue  # too long for a page
        there.add(name)
    links = []
    for name, row in wanted.items():
        if name in there:
            result = f"{row.lost_by} {'forfeited' if row.ended == 'forfeit' else 'lost'} on turn {row.turns}"
            links.append(GameLink(row.first, row.second, row.graph, result, row.winner, f"replays/{name}"))
    return links
