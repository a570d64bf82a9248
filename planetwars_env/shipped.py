"""Shipped data: folders of graphs, agents and pages, names of agents, the version, and where the package came from.

It loads no NumPy, so that strategies' processes stay small.
"""

from pathlib import Path

from planetwars_env.names import known_name

PACKAGE_VERSION = "0.2.0"


def data_root(kind: str = "graphs") -> Path:
    """Return the folder of the shipped "graphs", "agents" or "docs": in the package, or at the top of a source checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / kind
    return installed if installed.is_dir() else package.parent / kind


def agent_names() -> list[str]:
    """The agents of the zoo."""
    names = [path.parent.name for path in data_root("agents").glob("*/weights.safetensors")]
    return sorted(name for name in names if not name.startswith("."))


def agent_folder(name: str | Path) -> Path:
    """The folder of an agent: the zoo's by its name in any case, else ``name`` as a path."""
    text = str(name)
    known = text if text in agent_names() or Path(text).is_dir() else known_name(text, agent_names())
    return data_root("agents") / known if known in agent_names() else Path(text)


def pip_line(extra: str) -> str:
    """Return the command that adds an extra to this installation, from the checkout, file or index that it came from."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        origin = json.loads(distribution("planetwars-env").read_text("direct_url.json") or "{}")  # PEP 610
    except (PackageNotFoundError, ValueError):
        origin = {}
    if origin.get("dir_info", {}).get("editable"):
        return f'pip install -e "{unquote(urlsplit(origin["url"]).path)}[{extra}]"'
    place = f" @ {origin['url']}" if "url" in origin else ""
    return f'pip install "planetwars-env[{extra}]{place}"'
