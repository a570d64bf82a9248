"""Pages of reports: HTML that loads nothing, in light and dark, from the templates of render/templates/."""

from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.files import write_atomically
from planetwars_env.render.pages import make_page
from planetwars_env.render.templates import fill


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
    return make_page(title, body, ["report.css"], ["elements.js", "theme.js", "report.js"], {"refresh": refresh})


def write_report(path: Path, template: str, title: str, **values: Any) -> None:
    """Write the page of a template."""
    write_atomically(path, make_report(template, title, **values).encode())
