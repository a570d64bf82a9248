"""Folders of the checkout that tests read."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
PACKAGE = ROOT / "planetwars_env"
GOLDEN = TESTS / "golden"
HOSTILE = TESTS / "hostile"
SPREADER = TESTS / "honest" / "spreader.py"
"""An honest strategy in a file of its own."""
