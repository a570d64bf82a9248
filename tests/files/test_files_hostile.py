"""Damaged and hostile files, and configurations that bomb, end in one error of the documented type that names the file."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import planetwars_env as pw
from planetwars_env.learn.agent import AgentError, load_agent
from planetwars_env.learn.config import TrainConfig, load_config
from planetwars_env.learn.tensors import write_tensors
from planetwars_env.replay import ReplayError
from planetwars_env.settings import ConfigError
from support.file_kinds import HOSTILE, KINDS, damages, make, put, replaced

SOME = settings(max_examples=max(1, settings().max_examples // 4))
"""There are many kinds of files."""
TEXTS = ["replay", "results", "history"]
"""Those of JSON."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("good")
    return {name: make(kind, folder / name) for name, kind in KINDS.items()}


def read(name: str, path: Path) -> Any:
    """The contents of the file, None where it was refused as documented; any other exception fails the test."""
    kind = KINDS[name]
    try:
        return kind.read(path)
    except kind.error as fault:
        said = str(fault)
        assert kind.name in said or str(path.parent) in said
        assert len(said) < 3000
        return None


@pytest.mark.parametrize("name", KINDS)
def test_a_good_file_is_read(name: str, good: dict[str, Path]) -> None:
    assert read(name, good[name]) is not None


@pytest.mark.parametrize("name", KINDS)
@SOME
@given(damage=damages())
def test_a_damaged_file_is_read_or_refused_with_one_error(
    name: str, good: dict[str, Path], damage: Callable[[bytes], bytes]
) -> None:
    data = good[name].read_bytes()
    try:
        put(good[name], damage(data))
        read(name, good[name])
    finally:
        put(good[name], data)


@pytest.mark.parametrize("name", ["checkpoint", "weights", "packed replay"])
@SOME
@given(damage=damages())
def test_damage_to_numbers_does_not_pass_unnoticed(
    name: str, good: dict[str, Path], damage: Callable[[bytes], bytes]
) -> None:
    """A run does not go on, and an agent does not play, with other numbers than were written."""
    data = good[name].read_bytes()
    before = told(read(name, good[name]))
    try:
        put(good[name], damage(data))
        after = read(name, good[name])
        assert after is None or told(after) == before
    finally:
        put(good[name], data)


def told(content: Any) -> str:
    """All that was read, as text."""
    if hasattr(content, "network"):
        return str({name: part.tolist() for name, part in content.network.state_dict().items()})
    return repr(content)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_a_file_of_another_kind_is_refused(name: str, other: str, good: dict[str, Path], tmp_path: Path) -> None:
    path = make(KINDS[name], tmp_path)
    data = good[other].read_bytes()
    put(path, data)
    same = name == other or {name, other} == {"replay", "packed replay"}
    assert (read(name, path) is not None) == same


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    "data", [b"", b"\0" * 5000, b"\xff" * 5000, b"[" * 100_000, b'{"a":' * 50_000, b"PK\3\4" + b"\0" * 99]
)
def test_nonsense_is_refused(name: str, data: bytes, tmp_path: Path) -> None:
    if name == "tournament" and not data:
        pytest.skip("an empty file is an empty database")
    if name == "configuration" and not data:
        pytest.skip("an empty configuration is the default one")
    path = make(KINDS[name], tmp_path)
    put(path, data)
    assert read(name, path) is None


@pytest.mark.parametrize("name", TEXTS)
@SOME
@given(place=st.integers(0, 10**6), value=st.sampled_from(HOSTILE))
def test_hostile_values_anywhere_in_json_are_refused_or_harmless(
    name: str, good: dict[str, Path], place: int, value: Any
) -> None:
    """NaN, infinity, numbers beyond 64 bits, escape sequences, lone surrogates, nests: in every place of the file."""
    data = good[name].read_bytes()
    try:
        put(good[name], json.dumps(replaced(json.loads(data), place, value)).encode())
        read(name, good[name])
    finally:
        put(good[name], data)


def test_a_small_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    """Two megabytes of a board whose shuttles alone would need six gigabytes; test_replay.py has the packed kind."""
    replay = json.loads(make(KINDS["replay"], tmp_path).read_text())
    planets = [{"id": n, "habitability": 1, "size": 1, "base": n + 1 if n < 2 else 0} for n in range(400)]
    edges = [{"a": a, "b": b, "weight": 1000} for a in range(400) for b in range(a + 1, 400) if (a + b) % 2]
    replay["graph"], replay["rules"]["turns_per_weight"] = {"planets": planets, "edges": edges}, 10
    (tmp_path / "huge.json").write_text(json.dumps(replay))
    with pytest.raises(ReplayError, match=r"huge\.json: its game needs"):
        pw.Replay.load(tmp_path / "huge.json", verify=True)


def test_names_that_would_command_a_terminal_are_refused(tmp_path: Path) -> None:
    replay = json.loads(make(KINDS["replay"], tmp_path).read_text())
    (tmp_path / "game.json").write_text(json.dumps({**replay, "players": ["\x1b]0;owned\x07", "ai1"]}))
    with pytest.raises(ReplayError, match="printable"):
        pw.Replay.load(tmp_path / "game.json")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(value: float, tmp_path: Path) -> None:
    path = make(KINDS["weights"], tmp_path)
    weights = {name: part.numpy().copy() for name, part in load_agent(tmp_path).network.state_dict().items()}
    weights["head"][0] = value
    write_tensors(path, weights, {})
    with pytest.raises(AgentError, match="head must be finite"):
        load_agent(tmp_path)


@pytest.mark.parametrize("network", ["width: 4000, rounds: 60", "width: 8, rounds: 64", "width: 4096, rounds: 1"])
def test_a_network_larger_than_its_weights_is_never_made(network: str, tmp_path: Path) -> None:
    """4,000 wide and 60 deep it would take 40 GB before anybody noticed that the file is too small for it."""
    make(KINDS["weights"], tmp_path)
    (tmp_path / "config.yaml").write_text(f"network: {{{network}}}\n")
    with pytest.raises(AgentError, match="does not fit"):
        load_agent(tmp_path)


# --- configurations ----------------------------------------------------------------------------------------------

LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefghijk", "bcdefghijkl", strict=True)
)


@pytest.fixture(scope="module")
def settings_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("yaml") / "settings.yaml"


def read_settings(path: Path, data: bytes) -> TrainConfig | None:
    path.write_bytes(data)
    try:
        return load_config(path)
    except ConfigError as fault:
        said = str(fault)
    assert "settings.yaml" in said and len(said) < 2000
    return None


@given(place=st.integers(0, 10**6), value=st.sampled_from(HOSTILE))
def test_hostile_values_anywhere_in_a_configuration_are_refused_or_harmless(
    settings_file: Path, place: int, value: Any
) -> None:
    """Check a configuration: every number is finite and fits into arrays, and the file can be written again."""
    data = replaced(TrainConfig().to_dict(), place, value)
    config = read_settings(
        settings_file, json.dumps(data, allow_nan=True).replace("NaN", ".nan").replace("Infinity", ".inf").encode()
    )
    if config is not None:
        numbers = [n for part in config.to_dict().values() for n in part.values() if isinstance(n, int | float)]
        assert all(-(2**53) <= number <= 2**53 for number in numbers)
        assert read_settings(settings_file, yaml.safe_dump(config.to_dict()).encode()) == config


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
def test_bombs_nests_and_impossible_numbers_are_refused_at_once(settings_file: Path, text: str) -> None:
    began = time.monotonic()
    assert read_settings(settings_file, text.encode()) is None
    assert time.monotonic() - began < 10


def test_aliases_are_told_with_their_line(settings_file: Path) -> None:
    settings_file.write_text(LAUGHS)
    with pytest.raises(ConfigError, match=r"(?s)aliases \(\*name\) are not read.*line 2"):
        load_config(settings_file)
