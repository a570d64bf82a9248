"""HTML pages of a tournament: the ranking, and one page per contestant with its results, faults, moves and time."""

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor
from pathlib import Path

from planetwars_env.arena import report
from planetwars_env.arena.report_page import (
    CONTESTANTS,
    GameLink,
    details,
    games_list,
    link,
    links_of,
    page,
    page_name,
    ranking,
    section,
    table,
)
from planetwars_env.arena.results import Tally
from planetwars_env.arena.standings import RankedContestant, Standings
from planetwars_env.files import write_atomically

RANKING = "ranking.html"
REFRESH = 5
"""Seconds after which a page of a tournament that is being played loads itself again."""
_COLUMNS = (
    "rating",
    "win rate (95 %)",
    "as player 1",
    "as player 2",
    "lost by forfeit",
    "won by forfeit",
)
"""Headings after the opponent's name."""
_STEPS = (10, 20, 50, 100, 200, 500, 1_000)
_MOST_LINES = 6
"""Distances of the lines in the plot of ratings, and their number."""


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
    parts = [_progress(*playing)] if playing else []
    parts += [rating_plot(standings), ranking(standings), details(standings)]
    index = page(title, [*parts, games_list([(one.title, one.link) for one in games])], refresh)
    return {RANKING: index, **contestant_pages(standings, RANKING, games, refresh=refresh)}


def contestant_pages(
    standings: Standings, home: str, games: Sequence[GameLink] = (), texts: bool = True, refresh: int | None = None
) -> dict[str, str]:
    """Return the contestants' pages, by path. ``home``: the page of the ranking; ``texts``: those of faults too."""
    found = {}
    for rank, place in enumerate(standings.ranking, 1):
        label, tally = place.label, place.tally
        low, high = tally.interval
        said = (
            f"Place {rank} of {len(standings.ranking)}, rating {place.rating:+.0f} ({place.low:+.0f} to {place.high:+.0f}). "
            f"{tally.wins} won, {tally.draws} drawn and {tally.losses} lost of {tally.games} distinct games: "
            f"{tally.win_rate:.0%} won ({low:.0%} to {high:.0%}). {_forfeits(place.forfeits)}"
        )
        parts = [f'<p class="back">{link("← ranking", f"../{home}")}</p>', f"<p>{escape(said)}</p>"]
        parts += [_opponents(standings, label, games), _faults(standings, label, texts), _moves(standings, label)]
        found[f"{CONTESTANTS}{page_name(label)}.html"] = page(label, [*parts, _graphs(standings, label)], refresh)
    return found


def _progress(done: int, total: int) -> str:
    said = f"{done:,} of {total:,} games are played. This page loads itself again every {REFRESH} seconds."
    return f'<progress value="{done}" max="{total}" aria-label="games played"></progress><p class="soft">{said}</p>'


def _forfeits(count: int) -> str:
    return f"{count} {'game was' if count == 1 else 'games were'} lost by forfeit." if count else ""


def _opponents(standings: Standings, label: str, games: Sequence[GameLink]) -> str:
    """Return the results against every opponent, the best first, with the games to watch."""
    lost, links = standings.forfeits, links_of(standings, "")
    own = [one for one in games if label in (one.first, one.second)]
    heads = ('<th class="watch">watch</th>' if own else "") + "".join(f"<th>{name}</th>" for name in _COLUMNS)
    rows = []
    for place in standings.ranking:
        other = place.label
        if (label, other) not in standings.cells:
            continue
        sides = standings.cells[label, other]
        tally = sides[0] + sides[1]
        low, high = tally.interval
        cells = [f"{place.rating:+.0f}", f"{tally.win_rate:.0%} ({low:.0%} to {high:.0%})"]
        cells += [*map(_counts, sides), str(lost[label, other]), str(lost[other, label])]
        watch = "".join(_watch(one, label) for one in own if other in (one.first, one.second))
        row = (f'<td class="watch">{watch}</td>' if own else "") + "".join(f"<td>{cell}</td>" for cell in cells)
        name = link(other, links[other])
        rows.append(f'<tr id="{page_name(other)}"><td class="name fixed">{name}</td>{row}</tr>')
    return section(
        "By opponent; won / drawn / lost as either player",
        f'<table><tr><th class="name fixed">against</th>{heads}</tr>{"".join(rows)}</table>',
    )


def _watch(one: GameLink, label: str) -> str:
    side = 1 if one.first == label else 2
    said = "won" if one.winner == side else "lost" if one.winner else "drawn"
    target = f"../{one.link}"
    return f'<a href="{escape(target)}" title="{escape(one.title)}">{said} as player {side}</a> '


def _faults(standings: Standings, label: str, texts: bool) -> str:
    """Return every kind of fault once, with its number and the text of the first one."""
    groups: dict[tuple[str, str], list[tuple[str, str, bool]]] = {}
    for key, _, fault in standings.faults:
        if fault.strategy == label:
            told = report.where(key, fault.turn), fault.text, fault.forfeits == "game"
            groups.setdefault((fault.kind, fault.summary), []).append(told)
    parts = []
    for (kind, summary), found in sorted(groups.items(), key=lambda group: -len(group[1])):
        times = f"{len(found)} times" if len(found) > 1 else "once"
        cost = sum(lost for _, _, lost in found)
        said = f"{times}: {kind}: {summary}{f'; {cost} of these cost the game' if cost else ''}"
        first = f"<p>First in {escape(found[0][0])}.</p>"
        text = f"<pre>{escape(found[0][1])}</pre>" if texts else ""
        parts.append(f'<details class="fault"><summary>{escape(said)}</summary>{first}{text}</details>')
    return f"<h2>Faults</h2>{''.join(parts)}" if parts else ""


def _moves(standings: Standings, label: str) -> str:
    """Return sentences on the moves and the time; empty for a compiled bot among such."""
    moves, times = standings.moves.get(label), standings.times.get(label)
    said = [f"{moves.describe(label)}."] if moves and moves.sent else []
    if times and times.turns:
        said.append(
            f"It took {_time(times.seconds)} by the clock for {times.turns:,} turns and what came before them; its slowest "
            f"turn took {_time(times.slowest)}."
        )
    return f"<h2>Moves and time</h2><p>{escape(' '.join(said))}</p>" if said else ""


def _graphs(standings: Standings, label: str) -> str:
    title, (first, *_), rows = report.by_graph(standings)
    tallies = [(row[0], standings.graphs.get((row[0], label), Tally())) for row in rows]
    lines = [[graph, str(tally.games), _counts(tally)] for graph, tally in tallies if tally.games]
    return table((title, [first, "games", "won / drawn / lost"], lines), folded=True)


def _counts(tally: Tally) -> str:
    return f"{tally.wins} / {tally.draws} / {tally.losses}"


def _time(seconds: float) -> str:
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{1_000 * seconds:.0f} ms"


def rating_plot(standings: Standings) -> str:
    """Return a line per contestant, the best first: its name, a dot on its 95 % interval, and its rating."""
    places = standings.ranking
    if not places:
        return ""
    low, high = min(place.low for place in places), max(place.high for place in places)
    step = next((step for step in _STEPS if (high - low) / step <= _MOST_LINES - 2), _STEPS[-1])
    low, high = step * floor(low / step), step * ceil(high / step)
    width = max(high - low, step)

    def at(points: float) -> str:
        return f"{100 * (points - low) / width:.2f}%"

    ticks = range(low, low + width + 1, step)
    lines = "".join(f'<i style="left:{at(tick)}"></i>' for tick in ticks)
    numbers = "".join(f'<span style="left:{at(tick)}">{tick}</span>' for tick in ticks)
    links = links_of(standings)

    def row(rank: int, place: RankedContestant) -> str:
        said = escape(f"{place.rating:+.0f} ({place.low:+.0f} to {place.high:+.0f})")
        interval = f'<s style="left:{at(place.low)};width:{100 * (place.high - place.low) / width:.2f}%"></s>'
        track = f'<div class="track" title="{said}">{lines}{interval}<u style="left:{at(place.rating)}"></u></div>'
        return f"<li>{link(f'{rank}. {place.label}', links[place.label])}{track}<b>{place.rating:+.0f}</b></li>"

    rows = "".join(row(rank, place) for rank, place in enumerate(places, 1))
    axis = f'<li aria-hidden="true"><span></span><div class="track">{numbers}</div><b></b></li>'
    return f'<h2>Ratings with 95 % intervals</h2><ul class="dots">{rows}{axis}</ul>'
