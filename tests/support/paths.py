"""Folders of the checkout that tests read."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
PACKAGE = ROOT / "planetwars_env"
GOLDEN = TESTS / "golden"
HOSTILE = TESTS / "hostile"
SPREADER = TESTS / "honest" / "spreader.py"
"""An honest strategy in a file of its own."""
TALKER = TESTS / "honest" / "talker.py"
"""One that tells much and fails from turn 4 on."""
