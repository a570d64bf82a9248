"""Unit tests of the page's modules, by node's own test runner: session, forecast, geometry."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from wasm.conftest import NODE

UNITS = sorted(Path(__file__).with_name("units").glob("*.test.mjs"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units_of_the_page_pass(unit: Path) -> None:
    done = subprocess.run([NODE, "--test", unit], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "# pass 0" not in done.stdout, done.stdout + done.stderr
