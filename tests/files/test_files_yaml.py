"""Configurations that somebody else wrote: bombs, nests, objects and impossible numbers are one sentence that names the file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.settings import ConfigError
from support.file_kinds import HOSTILE, replaced

LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefghijk", "bcdefghijkl", strict=True)
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("yaml") / "settings.yaml"


def read(path: Path, data: bytes) -> TrainConfig | None:
    path.write_bytes(data)
    try:
        return load_config(path)
    except ConfigError as fault:
        said = str(fault)
    assert "settings.yaml" in said and len(said) < 2000
    return None


@given(place=st.integers(0, 10**6), value=st.sampled_from(HOSTILE))
def test_hostile_values_anywhere_are_refused_or_harmless(path: Path, place: int, value: Any) -> None:
    """Check a configuration: every number is finite and fits into arrays, and the file can be written again."""
    data = replaced(TrainConfig().to_dict(), place, value)
    config = read(path, json.dumps(data, allow_nan=True).replace("NaN", ".nan").replace("Infinity", ".inf").encode())
    if config is not None:
        numbers = [n for part in config.to_dict().values() for n in part.values() if isinstance(n, int | float)]
        assert all(-(2**53) <= number <= 2**53 for number in numbers)
        assert read(path, yaml.safe_dump(config.to_dict()).encode()) == config


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        f"task: {{graphs: &a {'x' * 99}, limits: *a}}",
        "task: &a {opponents: *a}",
        "task: " + "[" * 50_000,
        "task: " + "[" * 9 + "]" * 9,
        "task: " + "{a: " * 3000,
        "- " * 50_000,
        "x" * 2**19,
        "schedule: {seed: " + "9" * 5000 + "}",
        "schedule: {seed: " + "9" * 30 + "}",
        "schedule: {steps: 2001-13-45}",
        *(f"learner: {{gamma: {value}}}" for value in (".nan", ".inf", "-.inf", "null")),
        "learner: {learning_rate: 1e400}",
        "task: {fractions: [.nan]}",
        *(f"network: {{{key}: 1000000000}}" for key in ("width", "rounds")),
        "learner: {num_envs: 1000000000000}",
        "- 1",
        "extra: {}",
        "task: 7",
        "task: [",
        "? [1, 2]\n: 3",
        "\x00",
        "task: !!python/name:os.system",
        "!!binary x",
    ],
)
def test_bombs_nests_and_impossible_numbers_are_refused_at_once(path: Path, text: str) -> None:
    began = time.monotonic()
    assert read(path, text.encode()) is None
    assert time.monotonic() - began < 10


def test_aliases_are_told_with_their_line(path: Path) -> None:
    path.write_text(LAUGHS)
    with pytest.raises(ConfigError, match=r"(?s)aliases \(\*name\) are not read.*line 2"):
        load_config(path)
