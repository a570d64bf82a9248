"""Tables of results: aligned text, Markdown and CSV here, HTML by `table` of render/templates/report_parts.html."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from planetwars_env.text import csv_cell, markdown_cell

_TEXTS = {
    *("contestant", "student", "strategy", "submission", "against", "opponent", "graph", "graphs", "rules", "reason"),
    *("start", "first in", "which says"),
}
"""Headings of columns of text, which stand on the left; every other column holds numbers."""


@dataclass(frozen=True)
class Table:
    """Table with a title. Cells are texts, for CSV also numbers."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def texts(self) -> list[int]:
        """The columns of text."""
        return [place for place, heading in enumerate(self.headings) if heading in _TEXTS]

    def without(self, *left_out: str) -> "Table":
        """Return the table without the columns of these headings."""
        kept = [place for place, heading in enumerate(self.headings) if heading not in left_out]
        headings, *rows = ([row[place] for place in kept] for row in (self.headings, *self.rows))
        return replace(self, headings=headings, rows=rows)

    def __str__(self) -> str:
        """Return the title and the table as text, the columns aligned."""
        lines = [self.headings, *self.rows]
        sides = [str.ljust if place in self.texts else str.rjust for place in range(len(self.headings))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = (
            "  ".join(side(cell, width) for side, cell, width in zip(sides, line, widths, strict=True))
            for line in lines
        )
        return "\n".join([self.title, *map(str.rstrip, texts)])

    def markdown(self) -> str:
        """Return the table without its title as Markdown."""
        lines = [map(markdown_cell, row) for row in (self.headings, ["---"] * len(self.headings), *self.rows)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

    def csv(self) -> str:
        """Return the table without its title as CSV; no spreadsheet reads a text in it as a formula."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows([csv_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in self.rows)
        return text.getvalue()
