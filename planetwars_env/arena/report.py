"""Tables of a tournament, and their files: CSV, JSON and Markdown (tournament_pages.py: HTML)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planetwars_env.arena.plan import Seed
from planetwars_env.arena.results import Tally
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tables import Table
from planetwars_env.files import write_atomically
from planetwars_env.text import markdown_cell


def ranking(standings: Standings) -> Table:
    """Return the ranking, the best first; of a class with the students and their files."""
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
        faults = f"{place.faults}, {place.forfeits} games forfeited" if place.faults else "none"
        games = f"{place.tally.games} of {place.played}"
        cells = [rating, str(place.tally), _rate(place.tally), games, faults]
        rows.append([str(rank), place.label, *cells, *standings.author(place.label)])
    title = f"Ranking ({standings.distinct} distinct games of {standings.played} played)"
    return Table(title, [*headings, *standings.author_columns], rows)


def matrix(standings: Standings) -> Table:
    """Return the win rates of rows against columns."""
    labels = standings.labels
    rows = [[one, *("" if one == other else _rate(standings.both(one, other)) for other in labels)] for one in labels]
    return Table("Games that the row wins against the column", ["contestant", *labels], rows)


def pairs(standings: Standings) -> Table:
    """Return the results of every pair, by side."""
    headings = ["contestant", "against", "as player 1", "95 %", "as player 2", "95 %", "distinct games"]
    rows = []
    for one in standings.labels:
        for other in standings.labels:
            if sides := standings.cells.get((one, other)):
                cells = [text for side in sides for text in (str(side), _interval(side))]
                rows.append([one, other, *cells, str(sides[0].games + sides[1].games)])
    return Table("Won / drawn / lost by player", headings, rows)


def by_graph(standings: Standings) -> Table:
    """Return the wins by graph."""
    labels, tallies = standings.labels, standings.graphs
    names = list(dict.fromkeys(graph for graph, _ in tallies))
    names.sort(
        key=lambda name: [int(part) if part.isdigit() else part for part in name.replace("#", "/").split("/")][-1:]
    )
    rows = [[name, *(str(tallies.get((name, label), Tally()).wins) for label in labels)] for name in names]
    return Table("Games won by graph", ["graph", *labels], rows)


def faults(standings: Standings) -> Table:
    """Return the number of faults by strategy and kind, with the text of the first one."""
    counts: dict[tuple[str, str, str], list[str]] = {}
    for key, _, fault in standings.faults:
        entry = counts.setdefault(
            (fault.strategy, fault.kind, fault.forfeits), ["0", where(key, fault.turn), fault.summary[:120]]
        )
        entry[0] = str(int(entry[0]) + 1)
    rows = [[*what, *entry] for what, entry in sorted(counts.items())]
    return Table("Faults", ["contestant", "fault", "costs the", "times", "first in", "which says"], rows)


def moves(standings: Standings) -> Table:
    """Return the number of moves that each contestant sent, and of those that were dropped, by reason."""
    headings = ["contestant", "sent", "dropped", "no edge", "no people", "not its own", "too many"]
    rows = [
        [label, *(f"{count:,}" for count in (counts.sent, counts.dropped, *counts[1:]))]
        for label, counts in sorted(standings.moves.items())
    ]
    return Table("Moves, and those that were dropped", headings, rows)


def broken(standings: Standings) -> Table:
    """Return the submissions that could not be loaded, with the reason."""
    rows = [[one.student, one.place, f"did not load: {one.reason}"] for one in standings.submissions if one.reason]
    return Table("Submissions that did not play", ["student", "submission", "reason"], rows)


def without_legal_moves(standings: Standings) -> list[str]:
    """Return one sentence on each contestant that sent moves of which none was legal."""
    return [
        f"{counts.describe(label)}."
        for label, counts in sorted(standings.moves.items())
        if counts.sent and counts.dropped == counts.sent
    ]


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
    head = ["place", "contestant", "rating", "rating_low", "rating_high", "games", "wins", "draws", "losses"]
    head += ["win_rate", "ci_low", "ci_high", "played", "faults", "forfeits"]
    rows = []
    for rank, (label, rating, low, high, tally, *counts) in enumerate(standings.ranking, 1):
        rates = (f"{rate:.4f}" for rate in (tally.win_rate, *tally.interval))
        numbers = rating, low, high, tally.games, tally.wins, tally.draws, tally.losses, *rates, *counts
        rows.append([rank, label, *numbers, *standings.author(label)])
    return Table("", [*head, *standings.author_columns], rows).csv()


def pairs_csv(standings: Standings) -> str:
    """Return CSV with one line per ordered pair."""
    columns = ["games", "wins", "draws", "losses"]
    rows = [
        [one, other, *(getattr(side, name) for side in sides for name in columns)]
        for (one, other), sides in sorted(standings.cells.items())
    ]
    head = ["contestant", "against", *(f"{name}_as_player_{side}" for side in (1, 2) for name in columns)]
    return Table("", head, rows).csv()


def as_markdown(standings: Standings) -> str:
    """Return all tables as Markdown; those of the moves, faults and broken submissions only if there are any."""
    tables = [ranking(standings), matrix(standings), pairs(standings), by_graph(standings)]
    tables += [table for table in (moves(standings), faults(standings), broken(standings)) if table.rows]
    texts = [f"## {table.title}\n\n{table.markdown()}" for table in tables]
    return "\n".join([*(f"{markdown_cell(line)}\n" for line in without_legal_moves(standings)), *texts])


def _rate(tally: Tally) -> str:
    return f"{tally.win_rate:.1%} ({_interval(tally)})" if tally.games else ""


def _interval(tally: Tally) -> str:
    low, high = tally.interval
    return f"{low:.0%} - {high:.0%}"


def where(key: tuple[str, str, str, int], turn: int) -> str:
    """Return a game and a turn in words."""
    return f"{key[0]} against {key[1]} on {key[2]}, game {key[3]}, turn {turn}"
