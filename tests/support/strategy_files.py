"""Texts of strategies that tests write into files, and where these are isolated."""

import os

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="strategies are isolated on systems that fork")

BOT = """
import planetwars_env as pw
{above}

class {name}(pw.Strategy):
    {attributes}
    def take_turn(self, view):
        {turn}
"""


def bot(name: str = "Mine", /, above: str = "", turn: str = "return []", **attributes: object) -> str:
    """The class of this name with these attributes: ``turn`` is what it does on every turn, in lines as a file has them."""
    stated = "\n    ".join(f"{key} = {value!r}" for key, value in attributes.items())
    return BOT.format(name=name, above=above, attributes=stated, turn="\n        ".join(turn.splitlines()))
