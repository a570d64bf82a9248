"""HTML parts of reports: tables, the win matrix and lists of games, in pages that load nothing, in light and dark."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple
from zlib import crc32

from planetwars_env.arena import report
from planetwars_env.arena.report import ReportTable
from planetwars_env.arena.standings import Standings
from planetwars_env.render.pages import page_with

CONTESTANTS = "contestants/"
"""Folder of the pages of contestants, beside the page of the ranking."""
_NAMES = ("contestant", "student", "strategy", "against", "graph", "submission", "first in", "which says", "reason")
"""Headings of columns of text."""
_LONGEST_FILE_NAME = 100


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


def page(title: str, parts: Sequence[str], refresh: int | None = None) -> str:
    """Return a page made of HTML parts; ``refresh``: seconds after which a browser loads it again."""
    top = f'<div class="top"><h1>{escape(title)}</h1><button id="theme" aria-label="light or dark">◐</button></div>'
    return page_with(f"{top}{''.join(parts)}", title, ["report.css"], ["theme.js", "report.js"], {"refresh": refresh})


def page_name(label: str) -> str:
    """Return a file name for a label, the same for no other; names that differ only in marks have these spelt out."""
    name = re.sub(r"[^a-zA-Z0-9]", lambda mark: "-" if mark[0] == " " else f"_{ord(mark[0]):x}", label)
    if len(name) <= _LONGEST_FILE_NAME:
        return name
    return f"{name[:_LONGEST_FILE_NAME]}-{crc32(label.encode(errors='replace')):08x}"


def ranking(standings: Standings) -> str:
    """Return the ranking, below a line on everybody whose moves were all illegal."""
    lines = (f"<p><strong>{escape(line)}</strong></p>" for line in report.without_legal_moves(standings))
    return "".join([*lines, table(report.ranking(standings), links=links_of(standings))])


def links_of(standings: Standings, folder: str = CONTESTANTS) -> dict[str, str]:
    """Return the links to the pages of the contestants, by label."""
    return {label: f"{folder}{page_name(label)}.html" for label in standings.labels}


def details(standings: Standings) -> str:
    """Return the win matrix and the other tables; those of the pairs and the graphs are closed."""
    links = links_of(standings)
    parts = [_matrix(standings, links)]
    parts += [table(one(standings), True, links) for one in (report.pairs, report.by_graph)]
    parts += [table(report.moves(standings), links=links)] if standings.moves else []
    parts += [table(report.faults(standings), links=links)] if standings.faults else []
    return "".join([*parts, table(report.broken(standings))] if standings.broken else parts)


def table(content: ReportTable, folded: bool = False, links: Mapping[str, str] | None = None) -> str:
    """Return a table in a box that scrolls in itself; the first column of names stays in sight.

    ``links``: of the texts in columns of names.
    """
    title, headings, rows = content
    names = [place for place, heading in enumerate(headings) if heading in _NAMES]
    kinds = dict.fromkeys(names, ' class="name"') | dict.fromkeys(names[:1], ' class="name fixed"')
    lines = [_line("th", headings, kinds, {}), *(_line("td", row, kinds, links or {}) for row in rows)]
    return section(title, f"<table>{''.join(lines)}</table>", folded)


def _line(tag: str, cells: Sequence[str], kinds: Mapping[int, str], links: Mapping[str, str]) -> str:
    """Return a row of a table; ``kinds``: attributes by column."""
    found = []
    for place, cell in enumerate(cells):
        text = link(cell, links[cell]) if place in kinds and cell in links else escape(cell)
        found.append(f"<{tag}{kinds.get(place, '')}>{text}</{tag}>")
    return f"<tr>{''.join(found)}</tr>"


def link(text: str, target: str) -> str:
    """Return a link."""
    return f'<a href="{escape(target)}">{escape(text)}</a>'


def games_list(games: Sequence[tuple[str, str]]) -> str:
    """Return a list of games to watch (titles and links), empty without games."""
    items = "".join(f"<li>{link(title, target)}</li>" for title, target in games)
    return items and f'<h2>Games to watch</h2><ul class="games">{items}</ul>'


def section(title: str, content: str, folded: bool = False) -> str:
    """Return a heading and HTML in a box that scrolls in itself; ``folded``: closed until it is clicked on."""
    box = f'<div class="scroll" tabindex="0">{content}</div>'
    if folded:
        return f"<details><summary>{escape(title)}</summary>{box}</details>"
    return f"<h2>{escape(title)}</h2>{box}"


def _matrix(standings: Standings, links: Mapping[str, str]) -> str:
    """Return the win matrix in per cent, from orange (0) to blue (100); columns are named by place, cells by tooltips.

    A cell leads to the row of the column's contestant in the page of the row's.
    """
    labels = standings.labels
    head = "".join(f'<th title="{escape(label)}">{place}</th>' for place, label in enumerate(labels, 1))
    lines = []
    for place, one in enumerate(labels, 1):
        cells = [_cell(standings, one, other, links[one]) for other in labels]
        lines.append(f'<tr><td class="name fixed">{place}. {link(one, links[one])}</td>{"".join(cells)}</tr>')
    body = f'<table class="matrix"><tr><th class="name fixed">contestant</th>{head}</tr>{"".join(lines)}</table>'
    return section("Per cent of games that the row wins against the column (its place)", body)


def _cell(standings: Standings, one: str, other: str, target: str) -> str:
    tally = standings.both(one, other)
    if one == other or not tally.games:
        return "<td></td>"
    rate, (low, high) = tally.win_rate, tally.interval
    colour, part = ("--player-1", rate - 0.5) if rate >= 0.5 else ("--player-2", 0.5 - rate)
    said = (
        f"{one} against {other}: {tally.wins} won, {tally.draws} drawn, {tally.losses} lost ({low:.0%} to {high:.0%})"
    )
    style = f"background:color-mix(in srgb,var({colour}) {100 * part:.0f}%,var(--ground))"
    leads = link(f"{100 * rate:.0f}", f"{target}#{page_name(other)}")
    return f'<td style="{style}" title="{escape(said)}">{leads}</td>'
