"""Tables of a tournament as text, CSV, JSON and Markdown (tournament_pages.py: as HTML)."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from planetwars_env.arena.results import Tally
from planetwars_env.arena.seeds import Seed
from planetwars_env.arena.standings import Author, Standings
from planetwars_env.files import write_atomically
from planetwars_env.text import csv_cell, markdown_cell

ReportTable = tuple[str, list[str], list[list[str]]]
"""Title, headings, rows."""


def ranking(standings: Standings) -> ReportTable:
    """The ranking, the best first; of a class with the students and their files."""
    headings = [
        "",
        "contestant",
        "rating (95 %)",
        "won / drawn / lost",
        "win rate (95 %)",
        "distinct of played",
        "faults",
    ]
    headings += ["student", "strategy", "submission"] if standings.authors else []
    rows = []
    for rank, place in enumerate(standings.ranking, 1):
        rating = f"{place.rating:+.0f} ({place.low:+.0f} to {place.high:+.0f})"
        faults = f"{place.faults}, {place.forfeits} games forfeited" if place.faults else "none"
        games = f"{place.tally.games} of {place.played}"
        cells = [rating, _counts(place.tally), _rate(place.tally), games, faults]
        rows.append([str(rank), place.label, *cells, *author_cells(standings, place.label)])
    return f"Ranking ({standings.distinct} distinct games of {standings.played} played)", headings, rows


def author_cells(standings: Standings, label: str) -> Sequence[str]:
    """Return student, strategy and submission of a contestant; nothing where there is no class."""
    return standings.authors.get(label, Author()) if standings.authors else ()


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
            (fault.strategy, fault.kind, fault.forfeits), ["0", where(key, fault.turn), fault.summary[:120]]
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


def broken(standings: Standings) -> ReportTable:
    """Return the submissions that could not be loaded, with the reason."""
    rows = [
        [label, standings.authors.get(label, Author()).submission, f"did not load: {reason}"]
        for label, reason in standings.broken.items()
    ]
    return "Submissions that did not play", ["student", "submission", "reason"], rows


def without_legal_moves(standings: Standings) -> list[str]:
    """Return one sentence on each contestant that sent moves of which none was legal."""
    return [
        f"{counts.describe(label)}."
        for label, counts in sorted(standings.moves.items())
        if counts.sent and counts.dropped == counts.sent
    ]


def tables(standings: Standings) -> list[ReportTable]:
    """Return all tables; those of the moves, faults and broken submissions only if there are any."""
    found = [ranking(standings), matrix(standings), pairs(standings), by_graph(standings)]
    found += [moves(standings)] if standings.moves else []
    found += [faults(standings)] if standings.faults else []
    return [*found, broken(standings)] if standings.broken else found


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
    head: Mapping[str, Any] | None = None,
) -> list[str]:
    """Write the tables as ranking.json and .md, standings.csv and pairs.csv; return the names of all files.

    ``seed``, ``head`` (`provenance`): into the JSON; ``picture``: a PNG of the win matrix.
    """
    files = {
        "standings.csv": standings_csv(standings).encode(),
        "pairs.csv": pairs_csv(standings).encode(),
        "ranking.json": as_json(standings, seed, head).encode(),
        "ranking.md": as_markdown(standings).encode(),
    }
    if picture is not None:
        files["matrix.png"] = picture
    for name, data in files.items():
        write_atomically(folder / name, data)
    return list(files)


def as_json(standings: Standings, seed: Seed | None = None, head: Mapping[str, Any] | None = None) -> str:
    """Return everything as JSON, faults with their tracebacks; ``seed``: that of all games; ``head``: what was played."""
    with_seed = {} if seed is None else {"seed": seed}
    played = {} if head is None else {"played": head}
    return json.dumps({**standings.to_dict(), **with_seed, **played}, indent=2, ensure_ascii=False) + "\n"


def standings_csv(standings: Standings) -> str:
    """Return CSV with one line per contestant, the best first."""
    counts = ("games", "wins", "draws", "losses")
    head = ["place", "contestant", "rating", "rating_low", "rating_high", *counts, "win_rate", "ci_low", "ci_high"]
    lines = []
    for rank, place in enumerate(standings.ranking, 1):
        tally, shares = place.tally, (place.tally.win_rate, *place.tally.interval)
        line = [
            rank,
            csv_cell(place.label),
            place.rating,
            place.low,
            place.high,
            *(getattr(tally, name) for name in counts),
        ]
        author = map(csv_cell, author_cells(standings, place.label))
        lines.append(
            [*line, *(f"{share:.4f}" for share in shares), place.played, place.faults, place.forfeits, *author]
        )
    authors = Author._fields if standings.authors else ()
    return _csv([*head, "played", "faults", "forfeits", *authors], lines)


def pairs_csv(standings: Standings) -> str:
    """Return CSV with one line per ordered pair."""
    columns = ["games", "wins", "draws", "losses"]
    lines = [
        [csv_cell(one), csv_cell(other), *(getattr(side, name) for side in sides for name in columns)]
        for (one, other), sides in sorted(standings.cells.items())
    ]
    return _csv(["contestant", "against", *(f"{name}_as_player_{n}" for n in (1, 2) for name in columns)], lines)


def _csv(headings: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([headings, *lines])
    return text.getvalue()


def as_markdown(standings: Standings) -> str:
    """Return all tables as Markdown."""
    found = [f"## {title}\n\n{markdown(headings, rows)}" for title, headings, rows in tables(standings)]
    return "\n".join([*(f"{markdown_cell(line)}\n" for line in without_legal_moves(standings)), *found])


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


def where(key: tuple[str, str, str, int], turn: int) -> str:
    """Return a game and a turn in words."""
    return f"{key[0]} against {key[1]} on {key[2]}, game {key[3]}, turn {turn}"
