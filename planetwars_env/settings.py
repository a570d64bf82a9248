"""Settings in YAML files: a safe reader (plain values, bounded size and depth, no aliases), and checks of what it read."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError

from planetwars_env.files import read_file
from planetwars_env.graphs.graph import show
from planetwars_env.names import known_name, suggestion

_MAX_BYTES = 2**18
"""A configuration has some hundred."""
_MAX_DEPTH = 8
_LARGEST_NUMBER = 2**53

Bounds = Mapping[str, tuple[float | None, float | None]]
"""Least and largest value of settings, None for no bound."""


class ConfigError(ValueError):
    """An invalid configuration; the message names the key, the fault and what would be right."""


def shipped_settings(folder: Path) -> list[str]:
    """Return the names of the files in a folder of the package."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def read_settings(name: str | Path, folder: Path) -> tuple[Path, Any]:
    """Read a file of the package's ``folder`` by name (in any case), or any YAML file by path; return its path and content.

    An empty file is an empty mapping. ConfigError names a file that cannot be read, or is not YAML.
    """
    known = shipped_settings(folder)
    shipped = known_name(str(name), known)
    path = folder / f"{shipped}.yaml" if shipped else Path(name)
    try:
        data = _Plain(read_file(path, _MAX_BYTES).decode()).get_single_data()
    except OSError as fault:
        right = f"known: {', '.join(known)}; or a YAML file{suggestion(str(name), known)}"
        raise ConfigError(f"no configuration {str(name)!r} ({fault.strerror}); {right}") from fault
    except (
        yaml.YAMLError,
        ValueError,
    ) as fault:  # also: too large, no UTF-8, thousands of digits, the 31st of February
        raise ConfigError(f"{path} is not YAML: {fault}") from fault
    return path, {} if data is None else data


class _Plain(yaml.SafeLoader):
    """Loader that refuses, besides tags that would make objects, deep nesting, and aliases, which may fill the memory."""

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


def checked_settings(where: str, defaults: Mapping[str, Any], data: Any, bounds: Bounds) -> dict[str, Any]:
    """Return the settings in ``data`` in the types of their ``defaults``; ConfigError for any that does not fit."""
    check_keys(where, data, defaults)
    return {key: _value(f"{where}: {key}", defaults[key], value, bounds.get(key)) for key, value in data.items()}


def check_keys(where: str, data: Any, known: Iterable[str]) -> None:
    """ConfigError for anything but a mapping with some of the ``known`` keys."""
    known = list(known)
    if not isinstance(data, dict):
        raise ConfigError(f"{where} must be a mapping with some of {', '.join(known)}, not {show(data)}")
    for key in data:
        if key not in known:
            raise ConfigError(unknown_name(f"{where}: unknown key", key, known))


def unknown_name(where: str, name: Any, known: Iterable[str]) -> str:
    """Return the sentence on a name that is none of the ``known`` ones."""
    known = list(known)
    return f"{where} {show(name)}; known: {', '.join(known)}{suggestion(name, known)}"


def differences(before: Any, now: Any, where: str = "") -> list[str]:
    """Return a sentence per key of two (nested) mappings whose values differ."""
    if isinstance(before, dict) and isinstance(now, dict):
        names = {key: f"{where}: {key}".strip(": ") for key in sorted({*before, *now}, key=str)}
        return [one for key, name in names.items() for one in differences(before.get(key), now.get(key), name)]
    return [] if before == now else [f"{where} was {show(before)}, not {show(now)}"]


def _value(where: str, default: Any, value: Any, bounds: tuple[float | None, float | None] | None) -> Any:
    """Return ``value`` in the type of ``default``; ConfigError for another type and for numbers out of bounds."""
    if isinstance(default, tuple):
        if not isinstance(value, list | tuple) or not value:
            raise ConfigError(f"{where} must be a list with at least one item, not {show(value)}")
        return tuple(_value(f"{where}, item {i + 1},", default[0], item, bounds) for i, item in enumerate(value))
    types, right = _TYPES[type(default)]
    # Arrays and random number generators take numbers of this size only; NaN is not within the bounds either.
    finite = not isinstance(value, int | float) or -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER
    # bool is a subclass of int: true is not a number.
    if not isinstance(value, types) or isinstance(value, bool) != isinstance(default, bool) or not finite:
        raise ConfigError(f"{where} must be {right}, not {show(value)}")
    least, most = bounds or (None, None)
    if isinstance(value, int | float) and least is not None and value < least:
        raise ConfigError(f"{where} must be at least {least}, not {value}")
    if isinstance(value, int | float) and most is not None and value > most:
        raise ConfigError(f"{where} must be at most {most}, not {value}")
    return float(value) if isinstance(default, float) else value


_TYPES: dict[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
    type(None): ((int, type(None)), "a whole number or null"),
}
