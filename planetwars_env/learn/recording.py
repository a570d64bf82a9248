"""What an agent was shown in some games and how it answered, in one small file: proof that it still plays the same."""

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
_KEPT = 256
_GAMES = 8
_OPPONENTS = ("random", "ai2", "ai3")
_LARGEST, _LARGEST_UNPACKED = 32 * 2**20, 256 * 2**20
"""Bytes of a file, and of its arrays; 256 observations within `LARGE` take 5 MB."""
_MOST_ARRAYS = 32
_NO_ARCHIVE = zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, SyntaxError, TokenError
"""What zipfile and NumPy raise for files that are damaged, or packed in ways that NumPy does not use."""


@dataclass(frozen=True)
class Recording:
    """``shown``: the "tensors" of n observations within ``limits``; ``answers``: the actions [n, P], or [n] orders."""

    limits: Limits
    shown: dict[str, Array]
    answers: Array

    def save(self, path: Path) -> None:
        """Write a compressed file."""
        arrays: dict[str, Any] = {**self.shown, "limits": np.array(astuple(self.limits)), "answers": self.answers}
        with replacement_file(path, ".npz") as draft:  # NumPy adds the suffix to any other name
            np.savez_compressed(draft, **arrays)

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """The inverse of `save`; runs no code. AgentError for a missing or damaged file."""
        try:
            parts = _arrays(read_file(path, _LARGEST))
            limits, answers = Limits(*map(int, parts.pop("limits"))), parts.pop("answers")
            shown = checked_observation(limits, int(parts["action_mask"].shape[-1]), parts)
            shape = (len(shown["clock"]), limits.planets)[: answers.ndim]
            return cls(limits, shown, checked_actions(answers, shape, "the answers"))
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            OverflowError,
            EOFError,
            MemoryError,
            *_NO_ARCHIVE,
        ) as fault:
            raise AgentError(f"{path} holds no recorded observations ({clean_name(fault, 300)})") from fault

    def agreement(self, folder: Path) -> float:
        """The share of observations that the agent in ``folder`` answers as it did then, every planet alike.

        AgentError where the observations are none of this agent's.
        """
        agent = load_agent(folder, limits=self.limits)
        try:
            answers = agent.act(self.shown)
            checked_actions(self.answers, answers.shape, "the answers")
        except ValueError as fault:
            raise AgentError(f"the recorded observations do not fit the agent in {folder}: {fault}") from fault
        return float(np.mean((answers == self.answers).reshape(len(answers), -1).all(1)))


def _arrays(data: bytes) -> dict[str, Array]:
    """Return the arrays of an .npz file; ValueError before any is made where they are too large or larger than their data."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
        if len(entries) > _MOST_ARRAYS or unpacked > _LARGEST_UNPACKED:
            raise ValueError(f"{len(entries)} arrays of {unpacked:,} bytes are too large for recorded observations")
        for entry in entries:
            with archive.open(entry) as file:
                if _stated_bytes(file) > entry.file_size:
                    raise ValueError(f"{entry.filename[:40]!r} states more numbers than it holds")
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _stated_bytes(file: IO[bytes]) -> int:
    """Of the numbers that the head of an array announces, which NumPy makes room for before it reads them."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file)
    return math.prod(shape) * kind.itemsize


def record(agent: Agent, rules: Rules) -> Recording:
    """Observations spread evenly over whole games on the test pool against some bots."""
    witness = _Witness(agent)
    evaluate(witness, _OPPONENTS, "test", _GAMES, rules)
    answers = np.concatenate(witness.answers)
    rows = np.unique(np.linspace(0, len(answers) - 1, _KEPT).astype(int))
    shown = {name: np.concatenate([one[name] for one in witness.shown])[rows] for name in witness.shown[0]}
    return Recording(agent.limits, shown, answers[rows])


class _Witness:
    """The same `Policy` as the agent, which remembers everything."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.compete, self.limits = agent.name, agent.compete, agent.limits
        self.fractions, self.max_orders = agent.fractions, agent.max_orders
        self._agent = agent
        self.shown: list[dict[str, Array]] = []
        self.answers: list[Array] = []

    def act(self, observation: dict[str, Array]) -> Array:
        answer = self._agent.act(observation)
        self.shown.append({name: np.array(part) for name, part in observation.items()})
        self.answers.append(answer.copy())
        return answer
