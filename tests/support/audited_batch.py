"""A batch with the shadow state of an audit beside it (scripts/verification/audit.py), for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.engine.entry_points import copy_game
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.fields import RESET_DUE, STAGE
from planetwars_env.sim.setup import BatchSetup
from planetwars_env.sim.step import RESET_GAMES, STEP_GAMES
from scripts.verification.audit import audit
from scripts.verification.fault_codes import FAULTS
from scripts.verification.shadow_state import make_shadow_state


class Audited:
    """Plays like a `Batch`; every call is followed by an audit, and a difference is an AssertionError."""

    def __init__(self, games: int, setup: BatchSetup, seed: int, threads: int = 1) -> None:
        self.batch = Batch(games, setup, threads)
        self.batch.seed(seed)
        self.batch.show_masks()
        self.shadow = make_shadow_state(self.batch.state, self.batch.board, setup.limits.horizon)
        self._scratch = make_scratch(self.batch.board, self.batch.state.people.dtype)
        self.all = np.ones(games, bool)
        self.reset(self.all)

    def step(self, actions: Any) -> None:
        self.batch.actions[:] = np.asarray(actions).reshape(self.batch.actions.shape)
        self.batch.step()
        self._audit(STEP_GAMES, self.all)

    def reset(self, rows: np.ndarray) -> None:
        self.batch.reset(rows)
        self.shadow.control[rows, STAGE] = RESET_DUE
        self._audit(RESET_GAMES, rows)

    def seed_rows(self, seeds: list[int | None]) -> None:
        self.batch.seed_rows(seeds)
        self.shadow.twin.random[:] = self.batch.state.random

    def copy_game(self, source: int, target: int) -> None:
        self.batch.copy_game(source, target)
        copy_game(self.shadow.twin, source, self.shadow.twin, target)
        for array in (self.shadow.flows, self.shadow.control, self.shadow.result, self.shadow.fresh):
            array[target] = array[source]

    def legal(self, rng: np.random.Generator) -> np.ndarray:
        """One of the legal choices everywhere, waiting among them."""
        mask = self.batch.current.mask.astype(bool)
        legal = mask.reshape(len(mask), self.batch.actions.shape[1], -1)
        return np.argmax(rng.random(legal.shape) * legal, axis=2)

    def _audit(self, task: int, rows: np.ndarray) -> None:
        batch = self.batch
        audit(
            batch.state, batch.board, batch.codec, batch.buffers, self.shadow, batch.setup.numbers(), self._scratch,
            batch.actions, rows, task,
        )  # fmt: skip
        wrong = np.flatnonzero(self.shadow.fault[:, 0])
        assert not len(wrong), (int(wrong[0]), FAULTS[int(self.shadow.fault[wrong[0], 0])], self.shadow.fault[wrong[0]])
