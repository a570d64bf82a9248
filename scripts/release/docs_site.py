"""MkDocs hooks (mkdocs.yml): files outside docs/ that pages link to join the site, with working links.

Pages are written for the repository: a link leads from the file it stands in to another file, so that it works in any
viewer. The site has docs/ at its top and README.md as its first page; everything else keeps its place. Notebooks become pages
with the outputs they were committed with.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
HOME = "index.md"
_CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[ ]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"""(\]\(|\bsrc="|\bhref=")([^)"\s]+)""")


def on_config(config: Any) -> None:
    """Agents and notebooks come and go: the navigation lists those that there are."""
    if notebooks():
        config.nav.insert(2, {"Notebooks": [place_on_site(place) for place in notebooks()]})
    for section in config.nav:
        if "Agents" in section:
            section["Agents"] += [{path.parent.name: str(path.relative_to(ROOT))} for path in agent_cards()]


def on_files(files: Files, config: Any) -> None:
    """Add every file of the repository that a page of the site links to, and what those link to in turn."""
    known, waiting = {f"docs/{file.src_uri}" for file in files}, [f"docs/{file.src_uri}" for file in files]
    waiting += ["README.md", *notebooks()]
    while waiting:
        place = waiting.pop()
        if place not in known:
            known.add(place)
            files.append(file_of(place, config))
        waiting += [found for found in linked_files(place) if found not in known]


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links between files of the repository become links between files of the site."""
    at = page.file.src_uri
    home = place_in_repository(at)

    def lead(match: re.Match[str]) -> str:
        place, anchor = target_of(home, match[2])
        if place is None:
            return match[0]
        return f"{match[1]}{posixpath.relpath(place_on_site(place), posixpath.dirname(at) or '.')}{anchor}"

    parts = _CODE.split(markdown)
    return "".join(part if i % 2 else _LINK.sub(lead, part) for i, part in enumerate(parts))


def file_of(place: str, config: Any) -> File:
    """A file of the repository as one of the site."""
    if place.endswith(".ipynb"):
        return File.generated(config, place_on_site(place), content=page_text(place))
    return File.generated(config, place_on_site(place), abs_src_path=str(ROOT / place))


def notebooks() -> list[str]:
    """The notebooks and those of the course, by their places in the repository."""
    found = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("notebooks/course/*.ipynb")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def page_text(place: str) -> str:
    """The Markdown of a page; nothing for other files. A notebook is made into a page, outputs included."""
    if not place.endswith((".md", ".ipynb")):
        return ""
    text = (ROOT / place).read_text(encoding="utf-8")
    return "\n\n".join(map(cell_text, json.loads(text)["cells"])) if place.endswith(".ipynb") else text


def cell_text(cell: dict[str, Any]) -> str:
    """A cell of a notebook as Markdown: its text, or its code and what came of it."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        return source
    return "\n\n".join([f"```python\n{source}\n```", *map(output_text, cell["outputs"])])


def output_text(output: dict[str, Any]) -> str:
    """The output of a cell, in the richest form that a page can show."""
    data = {kind: "".join(parts) for kind, parts in output.get("data", {}).items() if isinstance(parts, str | list)}
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">'
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            return f"<div>{data[kind]}</div>"
    if "text/markdown" in data:
        return data["text/markdown"]
    text = "".join(output.get("text", output.get("traceback", ""))) or data.get("text/plain", "")
    return f"```text\n{text.rstrip()}\n```"


def agent_cards() -> list[Path]:
    """The cards of the zoo."""
    return sorted(ROOT.glob("agents/*/README.md"))


def links_of(text: str) -> list[str]:
    """The targets of all links and pictures of a page, those in code left out."""
    return [match[2] for part in _CODE.split(text)[::2] for match in _LINK.finditer(part)]


def linked_files(place: str) -> Iterator[str]:
    """The files of the repository that the page at ``place`` links to."""
    for link in links_of(page_text(place)):
        found, _ = target_of(place, link)
        if found is not None:
            yield found


def target_of(place: str, link: str) -> tuple[str | None, str]:
    """The file that a link on the page at ``place`` leads to, None where it is none of the repository; and the anchor."""
    path, mark, anchor = link.partition("#")
    if not path or ":" in path:
        return None, ""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    if (ROOT / found).is_dir():
        found = f"{found}/README.md"
    return (found if (ROOT / found).is_file() else None), mark + anchor


def place_on_site(place: str) -> str:
    """The place of a repository file on the site."""
    if place == "README.md":
        return HOME
    return f"{place.removesuffix('.ipynb')}.md" if place.endswith(".ipynb") else place.removeprefix("docs/")


def place_in_repository(uri: str) -> str:
    """The inverse of `place_on_site`."""
    if uri == HOME:
        return "README.md"
    if (notebook := f"{uri.removesuffix('.md')}.ipynb") in notebooks():
        return notebook
    return f"docs/{uri}" if (ROOT / "docs" / uri).is_file() else uri
