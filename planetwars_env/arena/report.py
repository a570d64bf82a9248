"""Tables of a tournament as text, CSV, JSON, Markdown and one HTML page."""

import base64
import csv
import html
import io
import json
from collections.abc import Sequence
from pathlib import Path

from planetwars_env.arena.results import Tally
from planetwars_env.arena.seeds import Seed
from planetwars_env.arena.standings import Standings
from planetwars_env.files import write_atomically
from planetwars_env.text import csv_cell, markdown_cell

ReportTable = tuple[str, list[str], list[list[str]]]
"""Title, headings, rows."""


def ranking(standings: Standings) -> ReportTable:
    """The ranking, the best first."""
    headings = [
        "",
        "contestant",
        "rating (95 %)",
        "won / drawn / lost",
        "win rate (95 %)",
        "distinct of played",
        "faults",
    ]
    rows = []
    for rank, place in enumerate(standings.ranking, 1):
        rating = f"{place.rating:+.0f} ({place.low:+.0f} to {place.high:+.0f})"
        faults = f"{place.faults}, {place.forfeits} games lost" if place.faults else "none"
        games = f"{place.tally.games} of {place.played}"
        rows.append([str(rank), place.label, rating, _counts(place.tally), _rate(place.tally), games, faults])
    return f"Ranking ({standings.distinct} distinct games of {standings.played} played)", headings, rows


def matrix(standings: Standings) -> ReportTable:
    """Return the win rates of rows against columns."""
    labels = standings.labels
    rows = [[one, *("" if one == other else _rate(standings.both(one, other)) for other in labels)] for one in labels]
    return "Games that the row wins against the column", ["", *labels], rows


def pairs(standings: Standings) -> ReportTable:
    """Return the results of every pair, by side."""
    headings = ["contestant", "against", "as player 1", "95 %", "as player 2", "95 %", "distinct games"]
    rows = []
    for one in standings.labels:
        for other in standings.labels:
            if (one, other) in standings.cells:
                sides = standings.cells[one, other]
                cells = [text for side in sides for text in (_counts(side), _interval(side))]
                rows.append([one, other, *cells, str(sides[0].games + sides[1].games)])
    return "Won / drawn / lost by player", headings, rows


def by_graph(standings: Standings) -> ReportTable:
    """Return the wins by graph."""
    labels, tallies = standings.labels, standings.graphs
    names = list(dict.fromkeys(graph for graph, _ in tallies))
    names.sort(
        key=lambda name: [int(part) if part.isdigit() else part for part in name.replace("#", "/").split("/")][-1:]
    )
    rows = [[name, *(str(tallies.get((name, label), Tally()).wins) for label in labels)] for name in names]
    return "Games won by graph", ["graph", *labels], rows


def faults(standings: Standings) -> ReportTable:
    """Return the number of faults by strategy and kind, with the text of the first one."""
    counts: dict[tuple[str, str, str], list[str]] = {}
    for key, _, fault in standings.faults:
        entry = counts.setdefault(
            (fault.strategy, fault.kind, fault.forfeits), ["0", _where(key, fault.turn), fault.summary[:120]]
        )
        entry[0] = str(int(entry[0]) + 1)
    rows = [[*what, *entry] for what, entry in sorted(counts.items())]
    return "Faults", ["contestant", "fault", "costs the", "times", "first in", "which says"], rows


def moves(standings: Standings) -> ReportTable:
    """Return the number of moves that each contestant sent, and of those that were dropped, by reason."""
    headings = ["contestant", "sent", "dropped", "no edge", "no people", "not its own", "too many"]
    rows = [
        [label, *(f"{count:,}" for count in (counts.sent, counts.dropped, *counts[1:]))]
        for label, counts in sorted(standings.moves.items())
    ]
    return "Moves, and those that were dropped", headings, rows


def without_legal_moves(standings: Standings) -> list[str]:
    """Return one sentence on each contestant that sent moves of which none was legal."""
    return [
        f"{counts.describe(label)}."
        for label, counts in sorted(standings.moves.items())
        if counts.sent and counts.dropped == counts.sent
    ]


def tables(standings: Standings) -> list[ReportTable]:
    """Return all tables; those of the moves and faults only if there are any."""
    found = [ranking(standings), matrix(standings), pairs(standings), by_graph(standings)]
    found += [moves(standings)] if standings.moves else []
    return [*found, faults(standings)] if standings.faults else found


def as_text(table: ReportTable) -> str:
    """Return a table for a terminal: columns aligned, the first two to the left."""
    title, headings, rows = table
    sides = [str.ljust if i < 2 else str.rjust for i in range(len(headings))]
    widths = [max(len(line[i]) for line in (headings, *rows)) for i in range(len(headings))]
    lines = [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, line, widths, strict=True))
        for line in (headings, *rows)
    ]
    return "\n".join([title, *(line.rstrip() for line in lines)])


def write_tables(
    folder: Path,
    standings: Standings,
    seed: Seed | None = None,
    picture: bytes | None = None,
    title: str | None = None,
    games: Sequence[tuple[str, str]] = (),
) -> list[str]:
    """Write the tables as ranking.json, .csv and .md, and return the names of all files.

    ``seed``: into the JSON; ``picture``: a PNG of the win matrix; ``title``: of ranking.html, which None leaves out;
    ``games``: titles and links on that page.
    """
    files = {
        "ranking.json": as_json(standings, seed).encode(),
        "ranking.csv": as_csv(standings).encode(),
        "ranking.md": as_markdown(standings).encode(),
    }
    if picture is not None:
        files["matrix.png"] = picture
    if title is not None:
        pictures = [] if picture is None else [picture]
        files["ranking.html"] = as_html(standings, title, pictures, games).encode()
    for name, data in files.items():
        write_atomically(folder / name, data)
    return list(files)


def as_json(standings: Standings, seed: Seed | None = None) -> str:
    """Return everything as JSON, faults with their tracebacks; ``seed``: that of all games."""
    with_seed = {} if seed is None else {"seed": seed}
    return json.dumps({**standings.to_dict(), **with_seed}, indent=2, ensure_ascii=False) + "\n"


def as_csv(standings: Standings) -> str:
    """Return CSV with one line per ordered pair."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = ["games", "wins", "draws", "losses"]
    writer.writerow(["contestant", "against", *(f"{name}_as_player_{n}" for n in (1, 2) for name in columns)])
    for (one, other), sides in sorted(standings.cells.items()):
        writer.writerow([csv_cell(one), csv_cell(other), *(getattr(side, name) for side in sides for name in columns)])
    return text.getvalue()


def as_markdown(standings: Standings) -> str:
    """Return all tables as Markdown."""
    found = [f"## {title}\n\n{markdown(headings, rows)}" for title, headings, rows in tables(standings)]
    return "\n".join([*(f"{markdown_cell(line)}\n" for line in without_legal_moves(standings)), *found])


def as_html(
    standings: Standings, title: str, pictures: Sequence[bytes] = (), games: Sequence[tuple[str, str]] = ()
) -> str:
    """Return one page with all tables, faults with their tracebacks, and ``pictures`` (PNG); ``games``: titles and links."""
    title = html.escape(title)
    images = "".join(
        f'<img alt="win matrix" src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
        for picture in pictures
    )
    texts = "".join(
        f"<details><summary>{html.escape(f'{fault.strategy}: {fault.kind} in {_where(key, fault.turn)}')}</summary>"
        f"<pre>{html.escape(fault.text)}</pre></details>"
        for key, _, fault in standings.faults[:200]
    )
    body = "".join(f"<p><strong>{html.escape(line)}</strong></p>" for line in without_legal_moves(standings))
    body += "".join(_html(table) for table in tables(standings))
    watch = "".join(
        f'<li><a href="{html.escape(link)}">{html.escape(title_of_game)}</a></li>' for title_of_game, link in games
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1>{images}{body}{watch and f'<h2>Games to watch</h2><ul>{watch}</ul>'}{texts}</html>\n"
    )


_STYLE = (
    "body{font:15px/1.4 system-ui,sans-serif;max-width:75em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:right}"
    "td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}img{max-width:100%}pre{overflow:auto;background:#f6f6f6;padding:.7em}"
)


def _html(table: ReportTable) -> str:
    title, headings, rows = table
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h2>{html.escape(title)}</h2><table><tr>{head}</tr>{body}</table>"


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [[markdown_cell(cell) for cell in row] for row in (headings, ["---"] * len(headings), *rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _rate(tally: Tally) -> str:
    return f"{tally.win_rate:.1%} ({_interval(tally)})" if tally.games else ""


def _interval(tally: Tally) -> str:
    low, high = tally.interval
    return f"{low:.0%} - {high:.0%}"


def _counts(tally: Tally) -> str:
    return f"{tally.wins} / {tally.draws} / {tally.losses}"


def _where(key: tuple[str, str, str, int], turn: int) -> str:
    return f"{key[0]} against {key[1]} on {key[2]}, game {key[3]}, turn {turn}"
