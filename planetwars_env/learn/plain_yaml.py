"""Safe YAML reader for settings: plain values, bounded size and depth, no aliases."""

from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError

from planetwars_env.files import read_file

_MAX_BYTES = 2**18
"""A configuration has some hundred."""
_MAX_DEPTH = 8


def read_yaml(path: Path) -> Any:
    """Read the plain values of a file. OSError for an unreadable file, yaml.YAMLError, with its line, for invalid content.

    Tags that would make objects are refused as in `yaml.safe_load`. So are aliases: some hundred bytes of them expand to more
    than fits into memory.
    """
    try:
        return _Plain(read_file(path, _MAX_BYTES).decode()).get_single_data()
    except ValueError as fault:  # too large, no UTF-8, a number of thousands of digits, the 31st of February
        raise yaml.YAMLError(str(fault)) from fault


class _Plain(yaml.SafeLoader):
    """SafeLoader that refuses aliases and deep nesting."""

    deep = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent):
            self._refuse("aliases (*name) are not read here: write the value out", event)
        if self.deep >= _MAX_DEPTH:
            self._refuse(f"settings are nested at most {_MAX_DEPTH} deep", event)
        self.deep += 1
        node = super().compose_node(parent, index)
        self.deep -= 1
        return node

    def _refuse(self, fault: str, event: Any) -> None:
        raise ComposerError(None, None, fault, event.start_mark)
