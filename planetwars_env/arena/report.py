"""Tables of a tournament and their files: CSV, JSON, Markdown, and pages from the templates of render/templates/."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil, floor
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena.game_store import NO_TIME, GameKey
from planetwars_env.arena.isolation import Fault
from planetwars_env.arena.results import Tally, percent
from planetwars_env.arena.standings import Standings
from planetwars_env.arena.tables import Table
from planetwars_env.files import write_atomically
from planetwars_env.move_counts import NO_MOVES
from planetwars_env.render.pages import make_page
from planetwars_env.render.templates import fill
from planetwars_env.text import file_name, markdown_cell


def ranking(standings: Standings) -> Table:
    """Return the ranking, the best first; of a class with the students and their files."""
    headings = ["", "contestant", *standings.author(""), "rating ±95 %", "w/d/l", "won", "95 %", "faults", "forfeits"]
    rows = []
    for rank, place in enumerate(standings.ranking, 1):
        who = [str(rank), place.label, *standings.author(place.label).values()]
        rating = f"{place.rating:+.0f} ±{(place.high - place.low) / 2:.0f}"
        counts = str(place.faults), str(place.forfeits), f"{place.tally.games} of {place.played}"
        rows.append([*who, rating, *_rates(place.tally), *counts])
    title = f"Ranking ({standings.distinct} distinct games of {standings.played} played)"
    return Table(title, [*headings, "distinct of played"], rows)


def matrix(standings: Standings) -> Table:
    """Return the win rates of rows against columns, which are named by their places."""
    labels, rows = standings.labels, []
    for rank, one in enumerate(labels, 1):
        tallies = [standings.both(one, other) for other in labels]
        rows.append([str(rank), one, *(f"{tally.win_rate:.0%}" if tally.games else "" for tally in tallies)])
    title = "Games that the row wins against the column (its place)"
    return Table(title, ["", "contestant", *map(str, range(1, len(labels) + 1))], rows)


def pairs(standings: Standings) -> Table:
    """Return the results of every pair, together and by side, from the side of the better one."""
    rows = []
    for one, other in combinations(standings.labels, 2):
        if sides := standings.cells.get((one, other)):
            of_sides = [text for side in sides for text in (str(side), percent(side.interval))]
            both = sides[0] + sides[1]
            rows.append([one, other, *of_sides, *_rates(both)[1:], str(both.games)])
    headings = ["contestant", "against", "as player 1", "95 % as 1", "as player 2", "95 % as 2", "won", "95 %"]
    return Table("Won / drawn / lost by player", [*headings, "distinct games"], rows)


def _rates(tally: Tally) -> list[str]:
    return [str(tally), f"{tally.win_rate:.0%}", percent(tally.interval)]


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
    groups: dict[tuple[str, str, str], list[tuple[GameKey, Fault]]] = {}
    for key, _, fault in standings.faults:
        groups.setdefault((fault.strategy, fault.kind, fault.forfeits), []).append((key, fault))
    rows = []
    for what, group in sorted(groups.items()):
        key, first = group[0]
        rows.append([*what, str(len(group)), where(key, first.turn), first.summary[:120]])
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


def write_tables(folder: Path, standings: Standings, picture: bytes | None, **more: Any) -> list[str]:
    """Write the tables as ranking.json and .md, standings.csv and pairs.csv; return the names of all files.

    ``picture``: a PNG of the win matrix; ``more``: entries of the JSON.
    """
    files = {
        "standings.csv": standings_csv(standings).encode(),
        "pairs.csv": pairs_csv(standings).encode(),
        "ranking.json": as_json(standings, **more).encode(),
        "ranking.md": as_markdown(standings).encode(),
        **({} if picture is None else {"matrix.png": picture}),
    }
    for name, data in files.items():
        write_atomically(folder / name, data)
    return list(files)


def as_json(standings: Standings, **more: Any) -> str:
    """Return everything as JSON, faults with their tracebacks; ``more`` entries."""
    return json.dumps({**standings.to_dict(), **more}, indent=2, ensure_ascii=False) + "\n"


def standings_csv(standings: Standings) -> str:
    """Return CSV with one line per contestant, the best first."""
    columns = ["rank", "contestant", "rating", "rating_low", "rating_high", "games", "wins", "draws", "losses"]
    columns += ["win_rate", "ci_low", "ci_high", "played", "faults", "forfeits", *standings.author("")]
    rows = [[entry[name] for name in columns] for entry in standings.to_dict()["ranking"]]
    return Table("", ["place", *columns[1:]], rows).csv()


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


def where(key: tuple[str, str, str, int], turn: int) -> str:
    """Return a game and a turn in words."""
    return f"{key[0]} against {key[1]} on {key[2]}, game {key[3]}, turn {turn}"


RANKING, LADDER, CONTESTANTS = "ranking.html", "index.html", "contestants/"
"""The page of the ranking of a tournament and of a ladder, and the folder of the pages of contestants beside it."""
REFRESH, _REFRESH_LADDER = 5, 30
"""Seconds after which a page of a tournament that is being played loads itself again, and any page of a ladder."""
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
    return make_page(title, "report", {"refresh": refresh}, body=body)


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
    standings: Standings,
    title: str,
    games: Sequence[GameLink] = (),
    playing: tuple[int, int] | None = None,
    ladder: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Return the page of the ranking, with games to watch, and those of the contestants, by path.

    ``playing``: while games are played, how many of how many are finished; then the pages load themselves again.
    ``ladder``: values for ladder.html; pages of a ladder do so always, and leave out the texts of faults.
    """
    home, refresh = (RANKING, REFRESH if playing else None) if ladder is None else (LADDER, _REFRESH_LADDER)
    tables, graphs = [moves(standings), faults(standings), broken(standings)], by_graph(standings)
    places = standings.ranking
    low, high = min((one.low for one in places), default=0.0), max((one.high for one in places), default=0.0)
    step = next((step for step in _STEPS if (high - low) / step <= _MOST_LINES - 2), _STEPS[-1])
    low, high = step * floor(low / step), step * ceil(high / step)
    width = max(high - low, step)
    lost = [(key[player - 1], key[2 - player]) for key, player, fault in standings.faults if fault.forfeits == "game"]
    shared = {"standings": standings, "page_of": file_name}
    pages = {
        home: make_report(
            "ranking.html" if ladder is None else "ladder.html",
            title,
            refresh,
            # the ticks of the plot of ratings, and the function from ratings to places in per cent of its width
            plot={"ticks": range(low, low + width + 1, step), "at": lambda points: 100 * (points - low) / width},
            links={label: f"{CONTESTANTS}{file_name(label)}.html" for label in standings.labels},
            warnings=without_legal_moves(standings),
            ranking=ranking(standings),
            folded=[pairs(standings), graphs],
            tables=[table for table in tables if table.rows],
            games=[(one.title, one.link) for one in games],
            playing=playing,
            **shared,
            **(ladder or {}),
        )
    }
    for rank, place in enumerate(places, 1):
        label = place.label
        tallies = [(graph, standings.graphs.get((graph, label), Tally())) for graph, *_ in graphs.rows]
        rows = [[graph, str(tally.games), str(tally)] for graph, tally in tallies if tally.games]
        groups: dict[tuple[str, str], list[tuple[GameKey, Fault]]] = {}
        for key, _, fault in standings.faults:
            if fault.strategy == label:
                groups.setdefault((fault.kind, fault.summary), []).append((key, fault))
        pages[f"{CONTESTANTS}{file_name(label)}.html"] = make_report(
            "contestant.html",
            label,
            refresh,
            home=home,
            rank=rank,
            place=place,
            forfeits=Counter(lost),  # games by (contestant, opponent)
            games=[one for one in games if label in (one.first, one.second)],
            faults=sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])),
            where=where,
            texts=ladder is None,
            moves=standings.moves.get(label, NO_MOVES),
            times=standings.times.get(label, NO_TIME),
            graphs=Table(graphs.title, ["graph", "games", "won / drawn / lost"], rows),
            **shared,
        )
    return pages
