"""The folders of what is shipped. A module of its own, so that strategies' processes find agents without loading NumPy."""

from pathlib import Path


def data_root(kind: str = "graphs") -> Path:
    """The folder of what is shipped, "graphs" or "agents": in the installed package, or at the top of a source checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / kind
    return installed if installed.is_dir() else package.parent / kind
