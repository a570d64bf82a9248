"""Folders of the shipped data; it loads no NumPy, so that strategies' processes stay small."""

from pathlib import Path


def data_root(kind: str = "graphs") -> Path:
    """Return the folder of the shipped "graphs" or "agents": in the installed package, or at the top of a source checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / kind
    return installed if installed.is_dir() else package.parent / kind
