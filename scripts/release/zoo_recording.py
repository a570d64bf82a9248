"""Recorded observations and actions of an agent, to test that it still acts the same after a change."""

import io
import math
import struct
import zipfile
import zlib
from dataclasses import astuple, dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np

from planetwars_env.arena.evaluation import evaluate
from planetwars_env.codec.checks import checked_actions, checked_observation
from planetwars_env.codec.limits import Limits
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.files import read_file, replacement_file
from planetwars_env.learn.agent import Agent, AgentError, load_agent
from planetwars_env.text import clean_name

OBSERVATIONS = "observations.npz"
_RECORDED = 256
_GAMES = 8
_OPPONENTS = ("random", "ai2", "ai3")
_MAX_BYTES, _MAX_UNPACKED_BYTES = 32 * 2**20, 256 * 2**20
"""Of a file, and of its arrays; 256 observations within `LARGE` take 5 MB."""
_MAX_ARRAYS = 32
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TokenError,
)
"""Errors of zipfile and NumPy for damaged files, and for archives packed in ways that NumPy does not use."""


@dataclass(frozen=True)
class Recording:
    """``observations``: the "tensors" of n observations within ``limits``. ``actions``: [n, P], or [n] orders."""

    limits: Limits
    observations: dict[str, Array]
    actions: Array

    def save(self, path: Path) -> None:
        """Write a compressed .npz file, atomically."""
        arrays: dict[str, Any] = {
            **self.observations,
            "limits": np.array(astuple(self.limits)),
            "actions": self.actions,
        }
        with replacement_file(path, ".npz") as draft:  # NumPy adds the suffix to any other name
            np.savez_compressed(draft, **arrays)

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Read a file of `save`; runs no code. AgentError for a missing or damaged file."""
        try:
            parts = _arrays(read_file(path, _MAX_BYTES))
            limits, actions = Limits(*map(int, parts.pop("limits"))), parts.pop("actions")
            observations = checked_observation(limits, int(parts["action_mask"].shape[-1]), parts)
            shape = (len(observations["clock"]), limits.planets)[: actions.ndim]
            return cls(limits, observations, checked_actions(actions, shape, "the recorded actions"))
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            OverflowError,
            EOFError,
            MemoryError,
            *_ARCHIVE_ERRORS,
        ) as fault:
            raise AgentError(f"{path} holds no recorded observations ({clean_name(fault, 300)})") from fault

    def agreement(self, folder: Path) -> float:
        """Return the fraction of observations for which the agent in ``folder`` still gives the recorded actions.

        The actions of all planets must be equal. AgentError where the observations do not fit this agent.
        """
        agent = load_agent(folder, limits=self.limits)
        try:
            actions = agent.act(self.observations)
            checked_actions(self.actions, actions.shape, "the recorded actions")
        except ValueError as fault:
            raise AgentError(f"the recorded observations do not fit the agent in {folder}: {fault}") from fault
        return float(np.mean((actions == self.actions).reshape(len(actions), -1).all(1)))


def _arrays(data: bytes) -> dict[str, Array]:
    """Return the arrays of an .npz file; ValueError, before any is allocated, for too many bytes or wrong sizes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
        if len(entries) > _MAX_ARRAYS or unpacked > _MAX_UNPACKED_BYTES:
            raise ValueError(f"{len(entries)} arrays of {unpacked:,} bytes are too large for recorded observations")
        for entry in entries:
            with archive.open(entry) as file:
                if _stated_bytes(file) > entry.file_size:
                    raise ValueError(f"{entry.filename[:40]!r} states more numbers than it holds")
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _stated_bytes(file: IO[bytes]) -> int:
    """Return the size that an array's header states: NumPy allocates it before it reads the numbers."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file)
    return math.prod(shape) * kind.itemsize


def record(agent: Agent, rules: Rules) -> Recording:
    """Record observations, spread evenly over whole games against some bots on the test pool."""
    recorder = _Recorder(agent)
    evaluate(recorder, _OPPONENTS, "test", _GAMES, rules)
    actions = np.concatenate(recorder.actions)
    rows = np.unique(np.linspace(0, len(actions) - 1, _RECORDED).astype(int))
    seen = recorder.observations
    return Recording(
        agent.limits, {name: np.concatenate([one[name] for one in seen])[rows] for name in seen[0]}, actions[rows]
    )


class _Recorder:
    """`Policy` that acts as an agent and records observations and actions."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.compete, self.limits = agent.name, agent.compete, agent.limits
        self.fractions, self.max_orders = agent.fractions, agent.max_orders
        self._agent = agent
        self.observations: list[dict[str, Array]] = []
        self.actions: list[Array] = []

    def act(self, observation: dict[str, Array]) -> Array:
        actions = self._agent.act(observation)
        self.observations.append({name: np.array(part) for name, part in observation.items()})
        self.actions.append(actions.copy())
        return actions
