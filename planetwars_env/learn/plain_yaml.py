"""YAML as settings need it: plain values, nested a little, nothing that unfolds when it is read."""

from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError

from planetwars_env.files import read_file

_LARGEST = 2**18
"""Bytes; a configuration has some hundred."""
_DEEPEST = 8


def read_yaml(path: Path) -> Any:
    """The plain values of a file. OSError where it cannot be read, yaml.YAMLError for anything else, by line where there is one.

    Tags that would make objects are refused as in `yaml.safe_load`. So are aliases: some hundred bytes of them stand for more
    than fits into a memory.
    """
    try:
        return _Plain(read_file(path, _LARGEST).decode()).get_single_data()
    except ValueError as fault:  # too large, no UTF-8, a number of thousands of digits, the 31st of February
        raise yaml.YAMLError(str(fault)) from fault


class _Plain(yaml.SafeLoader):
    """SafeLoader without aliases, and without nesting that would exhaust the stack."""

    deep = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent):
            self._refuse("aliases (*name) are not read here: write the value out", event)
        if self.deep >= _DEEPEST:
            self._refuse(f"settings are nested at most {_DEEPEST} deep", event)
        self.deep += 1
        node = super().compose_node(parent, index)
        self.deep -= 1
        return node

    def _refuse(self, fault: str, event: Any) -> None:
        raise ComposerError(None, None, fault, event.start_mark)
