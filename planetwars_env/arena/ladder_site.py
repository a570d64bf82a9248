"""Site of a ladder: static files that any web server can show. Faults stand there without the code lines of their authors."""

import html
import time
from itertools import islice
from pathlib import Path
from zlib import crc32

from planetwars_env.arena import report, report_page
from planetwars_env.arena.game_records import GameRow
from planetwars_env.arena.ladder import Ladder
from planetwars_env.arena.replays import load_replay
from planetwars_env.arena.report_page import GameLink
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tournament_pages import contestant_pages, rating_plot, write_pages
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
    links = _replays(ladder, standings, site / "replays", replays, None if idle else _PAGES_AT_ONCE)
    state = "nothing is due" if idle else "games are being played"
    updated = f"{time.strftime('%Y-%m-%d %H:%M:%S')}: {len(ladder.players)} submissions play, {state}."
    parts = [
        f'<p class="soft">{updated} The ratings have mean 0; 400 points are odds of ten to one.</p>',
        rating_plot(standings),
        report_page.ranking(standings),
        _out_of_play(ladder),
        _history(ladder, standings),
        report_page.details(standings),
        report_page.games_list([(one.title, one.link) for one in links]),
    ]
    page = report_page.page(title, parts, _REFRESH)
    files = {
        "index.html": page,
        "standings.csv": report.standings_csv(standings),
        "pairs.csv": report.pairs_csv(standings),
    }
    write_pages(site, {**files, **contestant_pages(standings, "index.html", links, texts=False, refresh=_REFRESH)})
    return standings


def _out_of_play(ladder: Ladder) -> str:
    """Return the table of submissions whose last version does not play, with reasons; empty if there are none."""
    rows = []
    for name in ladder.present:
        if problem := ladder.submissions[name].problem:
            rows.append([name, ladder.submissions[name].place, problem, ladder.players.get(name, "nothing")])
    table = "Submissions whose last version does not play", ["student", "submission", "reason", "plays instead"], rows
    return report_page.table(table) if rows else ""


def _history(ladder: Ladder, standings: Standings) -> str:
    """Return a curve of ratings per submission over all of its versions."""
    moments = list(ladder.store.metadata_like("history ").values())
    moments = moments[:: 1 + len(moments) // _POINTS] + moments[-1:]
    all_ratings = [rating for moment in moments for rating, *_ in moment.values()]
    low, high = min(all_ratings, default=0), max(all_ratings, default=0)
    versions = {label: ladder.submissions[name].labels for name, label in ladder.players.items()}
    rows = []
    for label in standings.labels:
        own = versions.get(label, [label])
        curve = [(x, moment[one][0]) for x, moment in enumerate(moments) for one in own if one in moment]
        points = " ".join(
            f"{_WIDTH * x / max(1, len(moments) - 1):.1f},{_HEIGHT * (high - y) / max(1, high - low):.1f}"
            for x, y in curve
        )
        drawn = f'<polyline points="{points}" fill="none" stroke="var(--player-1)" stroke-width="2"/>'
        svg = f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="-2 -2 {_WIDTH + 4} {_HEIGHT + 4}">{drawn}</svg>'
        ends = f"{curve[0][1]:+.0f}</td><td>{curve[-1][1]:+.0f}" if curve else "</td><td>"
        rows.append(
            f'<tr><td class="name fixed">{html.escape(label)}</td><td>{len(own)}</td><td>{svg}</td><td>{ends}</td></tr>'
        )
    head = '<tr><th class="name fixed">contestant</th><th>versions</th><th>rating</th><th>first</th><th>last</th></tr>'
    return report_page.section("History of the ratings", f"<table>{head}{''.join(rows)}</table>")


def _replays(ladder: Ladder, standings: Standings, folder: Path, each: int, most: int | None) -> list[GameLink]:
    """Write pages of each contestant's most surprising losses, at most ``most`` new ones; return titles and links.

    Pages that belong to no contestant any more are removed.
    """
    ratings = {place.label: place.rating for place in standings.ranking}
    lost: dict[str, list[GameRow]] = {label: [] for label in standings.labels}
    for row in ladder.store.rows():
        if row.winner and {row.first, row.second} <= ratings.keys():
            lost[(row.second, row.first)[row.winner - 1]].append(row)
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
    return [_link(row, f"replays/{name}") for name, row in wanted.items() if name in there]


def _link(row: GameRow, link: str) -> GameLink:
    lost = (row.second, row.first)[row.winner - 1]
    how = "forfeited" if row.ended == "forfeit" else "lost"
    return GameLink(row.first, row.second, row.graph, f"{lost} {how} on turn {row.turns}", row.winner, link)
