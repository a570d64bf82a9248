"""HTML pages of a tournament: one file that loads nothing, in light and dark, readable on a phone."""

import html
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from planetwars_env.arena import report
from planetwars_env.arena.report import ReportTable
from planetwars_env.arena.standings import Standings
from planetwars_env.render.pages import colour_variables

_FEW = 8
"""Contestants up to which every table is open."""
_NAMES = ("contestant", "student", "against", "graph", "submission", "first in", "which says", "reason")
"""Headings of columns of text."""
_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;max-width:76em;margin:0 auto;padding:1em}
body{background:var(--ground);color:var(--ink)}
h1{font-size:1.5em}h2,summary{font-size:1.15em;font-weight:600;margin:1.4em 0 .4em}summary{cursor:pointer}
a{color:var(--player-1)}
.scroll{overflow:auto;width:fit-content;max-width:100%;max-height:85vh;border:1px solid var(--line);border-radius:8px}
table{border-collapse:separate;border-spacing:0}
td,th{padding:.25em .7em;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;background:var(--ground)}
th{position:sticky;top:0;z-index:2;background:var(--panel)}tr:last-child>td{border-bottom:0}
.name{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9em;max-width:24em}
.name:not(.fixed){min-width:14em}.name.fixed{position:sticky;left:0;z-index:1}th.name.fixed{z-index:3}
.matrix td,.matrix th{padding:.25em .4em;min-width:2.6em;text-align:center}
.matrix .name{text-align:left;min-width:12em;max-width:20em}
pre{overflow:auto;background:var(--panel);padding:.7em;border-radius:8px}.soft{color:var(--soft)}
@media(max-width:40em){body{padding:.6em}td,th{padding:.25em .45em}.name,.matrix .name{min-width:7em;max-width:9em}}
"""


def as_html(standings: Standings, title: str, games: Sequence[tuple[str, str]] = ()) -> str:
    """Return the page of a tournament, the ranking first; ``games``: titles and links."""
    few = len(standings.labels) <= _FEW
    return page(title, [ranking(standings), details(standings, not few), games_list(games), fault_texts(standings)])


def page(title: str, parts: Sequence[str], refresh: int | None = None) -> str:
    """Return a page made of HTML parts; ``refresh``: seconds after which a browser loads it again."""
    title = html.escape(title)
    again = f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{again}<title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f'<link rel="icon" href="data:,"><style>{colour_variables()}{_STYLE}</style></head>'
        f"<body><h1>{title}</h1>{''.join(parts)}</body></html>\n"
    )


def ranking(standings: Standings) -> str:
    """Return the ranking, below a line on everybody whose moves were all illegal."""
    lines = (f"<p><strong>{html.escape(line)}</strong></p>" for line in report.without_legal_moves(standings))
    return "".join([*lines, table(report.ranking(standings))])


def details(standings: Standings, folded: bool) -> str:
    """Return the win matrix and the other tables; ``folded``: those of the pairs and the graphs are closed."""
    parts = [_matrix(standings), *(table(one(standings), folded) for one in (report.pairs, report.by_graph))]
    parts += [table(report.moves(standings))] if standings.moves else []
    parts += [table(report.faults(standings))] if standings.faults else []
    return "".join([*parts, table(report.broken(standings))] if standings.broken else parts)


def table(content: ReportTable, folded: bool = False, links: Sequence[str] = ()) -> str:
    """Return a table in a box that scrolls in itself; the first column of names stays in sight.

    ``links``: of the first column, one per row.
    """
    title, headings, rows = content
    names = [place for place, heading in enumerate(headings) if heading in _NAMES]
    kinds = dict.fromkeys(names, ' class="name"') | dict.fromkeys(names[:1], ' class="name fixed"')
    lines = [_line("th", headings, kinds)]
    lines += [_line("td", row, kinds, link) for row, link in zip_longest(rows, links, fillvalue="")]
    return section(title, f"<table>{''.join(lines)}</table>", folded)


def _line(tag: str, cells: Sequence[str], kinds: Mapping[int, str], link: str = "") -> str:
    """Return a row of a table; ``kinds``: attributes by column; ``link``: of the first cell."""
    texts = [html.escape(cell) for cell in cells]
    if link:
        texts[0] = f'<a href="{html.escape(link)}">{texts[0]}</a>'
    found = (f"<{tag}{kinds.get(i, '')}>{text}</{tag}>" for i, text in enumerate(texts))
    return f"<tr>{''.join(found)}</tr>"


def games_list(games: Sequence[tuple[str, str]]) -> str:
    """Return a list of games to watch (titles and links), empty without games."""
    items = "".join(f'<li><a href="{html.escape(link)}">{html.escape(title)}</a></li>' for title, link in games)
    return items and f"<h2>Games to watch</h2><ul>{items}</ul>"


def fault_texts(standings: Standings) -> str:
    """Return the texts of the first 200 faults, folded."""
    return "".join(
        f"<details><summary>{html.escape(f'{fault.strategy}: {fault.kind} in {report.where(key, fault.turn)}')}</summary>"
        f"<pre>{html.escape(fault.text)}</pre></details>"
        for key, _, fault in standings.faults[:200]
    )


def section(title: str, content: str, folded: bool = False) -> str:
    """Return a heading and HTML in a box that scrolls in itself; ``folded``: closed until it is clicked on."""
    box = f'<div class="scroll" tabindex="0">{content}</div>'
    if folded:
        return f"<details><summary>{html.escape(title)}</summary>{box}</details>"
    return f"<h2>{html.escape(title)}</h2>{box}"


def _matrix(standings: Standings) -> str:
    """Return the win matrix in per cent, from orange (0) to blue (100); columns are named by place, cells by tooltips."""
    labels = [html.escape(label) for label in standings.labels]
    head = "".join(f'<th title="{label}">{place}</th>' for place, label in enumerate(labels, 1))
    lines = []
    for place, (one, label) in enumerate(zip(standings.labels, labels, strict=True), 1):
        cells = [_cell(standings, one, other) for other in standings.labels]
        lines.append(f'<tr><td class="name fixed">{place}. {label}</td>{"".join(cells)}</tr>')
    body = f'<table class="matrix"><tr><th class="name fixed">contestant</th>{head}</tr>{"".join(lines)}</table>'
    return section("Per cent of games that the row wins against the column (its place)", body)


def _cell(standings: Standings, one: str, other: str) -> str:
    tally = standings.both(one, other)
    if one == other or not tally.games:
        return "<td></td>"
    rate, (low, high) = tally.win_rate, tally.interval
    colour, part = ("--player-1", rate - 0.5) if rate >= 0.5 else ("--player-2", 0.5 - rate)
    said = (
        f"{one} against {other}: {tally.wins} won, {tally.draws} drawn, {tally.losses} lost ({low:.0%} to {high:.0%})"
    )
    style = f"background:color-mix(in srgb,var({colour}) {100 * part:.0f}%,var(--ground))"
    return f'<td style="{style}" title="{html.escape(said)}">{100 * rate:.0f}</td>'
