"""One stretch of the soak: a batch at play with an audit after every step, a row replayed alone, and a copy played on."""

import copy
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planetwars_env.engine.columns import BOARD, TURN
from planetwars_env.engine.state import Array
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.fields import GAME_OVER, STAGE
from planetwars_env.sim.setup import Autoreset
from scripts.verification.audit import TALLY, AuditedBatch, FaultError
from scripts.verification.fog_checks import fog_leaks
from scripts.verification.stretch_setup import RandomGenerator, Stretch, draw_actions, draw_stretch

_TOGETHER = 6
"""Steps that a copy and its original play alike."""
_LOOKS, _LOOKED_AT = 10, 6
"""On how many steps of a stretch, and in how many games each, what is hidden is changed."""


@dataclass
class Outcome:
    """Result of a stretch: ``seconds``, its first ``fault`` (None where all was right), and its ``tally`` (audit.py),
    with ``rewritten``: how often the hidden part of a position was changed."""

    number: int
    options: dict[str, Any]
    tally: dict[str, int]
    seconds: float
    fault: dict[str, Any] | None = None


@dataclass
class _Film:
    """Row ``row`` of a batch, kept to be played again alone: its action of every step and whether it was reset before."""

    row: int
    actions: list[Array] = field(default_factory=list)
    resets: list[bool] = field(default_factory=list)


def play_stretch(number: int, size: float = 1.0) -> Outcome:
    """Stretch ``number``, always the same one; ``size``: how long, as a share of the usual. Nothing is raised for faults."""
    begun = time.perf_counter()
    rng = np.random.default_rng([number, 20_26])
    stretch = draw_stretch(rng, size)
    play = _Play(stretch, number, rng)
    fault = None
    try:
        play.run()
    except FaultError as found:
        fault = {**found.told, "step": play.step, **play.position(found.told["game"])}
    tally = {**dict(zip(TALLY, play.audited.shadow.tally.tolist(), strict=True)), "rewritten": play.rewritten}
    return Outcome(number, stretch.told(), tally, time.perf_counter() - begun, fault)


class _Play:
    """The batch of a stretch, and what is done with it."""

    def __init__(self, stretch: Stretch, seed: int, rng: RandomGenerator) -> None:
        self.stretch, self.setup, self.rng, self.seed = stretch, stretch.setup, rng, seed
        self.audited = AuditedBatch(stretch.games, stretch.setup, seed, stretch.threads)
        self.batch = self.audited.batch
        self.film = _Film(int(rng.integers(stretch.games)))
        self.step = self.rewritten = 0

    def run(self) -> None:
        """All steps; FaultError at the first fault."""
        self.audited.reset()
        looks = set(self.rng.integers(1, self.stretch.steps + 1, _LOOKS).tolist())
        for step in range(1, self.stretch.steps + 1):
            self.step = step
            self._reset_some()
            if self.step == self.stretch.steps // 2:
                self._compare_with_a_copy()
            self._act(self._draw())
            if step in looks:
                self._look_through_the_fog()
        self._play_a_row_alone()

    def position(self, g: int) -> dict[str, Any]:
        """Game g as it stands, and as it should, for whoever looks for the fault."""
        status = self.batch.state.status[g]
        graph = self.setup.graphs[int(status[BOARD])]
        shown: dict[str, Any] = {"graph": graph.to_dict(), "turn": int(status[TURN])}
        shown["found"] = [array[g].tolist() for array in (self.batch.state.people, self.batch.state.status)]
        twin = self.audited.shadow.state
        shown["expected"] = [array[g].tolist() for array in (twin.people, twin.status)]
        shown["actions"] = self.batch.actions[g].tolist()
        return {"position": shown}

    def _draw(self) -> Array:
        return draw_actions(self.rng, self.batch.current.mask, self.setup)

    def _act(self, actions: Array) -> None:
        self.film.actions.append(actions[self.film.row].copy())
        self.audited.step(actions)

    def _reset_some(self) -> None:
        """Reset the games that wait for it: most of the time to a new game."""
        rows = np.zeros(self.stretch.games, bool)
        if self.setup.autoreset == Autoreset.DISABLED:
            rows = (self.batch.buffers.control[:, STAGE] == GAME_OVER) & (self.rng.random(len(rows)) < 0.7)
        self.film.resets.append(bool(rows[self.film.row]))
        if rows.any():
            self.audited.reset(rows)

    def _look_through_the_fog(self) -> None:
        chosen = self.rng.integers(0, self.stretch.games, min(_LOOKED_AT, self.stretch.games))
        self.rewritten += 2 * len(chosen)
        leaking = fog_leaks(self.batch, chosen, self.rng)
        if leaking is not None:
            raise FaultError("what the fog hides shows in what a player sees, or in what a bot does", leaking)

    def _compare_with_a_copy(self) -> None:
        """A copy goes on as its original does with the same actions; what it does then is nothing to the original."""
        twin = copy.deepcopy(self.batch)
        done = []
        for _ in range(_TOGETHER):
            done.append(self._draw())
            self.film.resets.append(False)
            self._act(done[-1])
        for actions in done:
            twin.actions[:] = actions
            twin.step()
        self._expect_alike([*twin.state, *twin.buffers])
        before = [array.copy() for array in (*self.batch.state, *self.batch.buffers)]
        twin.actions[:] = self._draw()
        twin.step()
        twin.reset()
        self._expect_alike(before)

    def _expect_alike(self, others: list[Array]) -> None:
        for array, other in zip((*self.batch.state, *self.batch.buffers), others, strict=True):
            if not np.array_equal(array, other):
                raise FaultError("a copy of the batch and its original are not independent, or not the same", 0)

    def _play_a_row_alone(self) -> None:
        """Batch = single, and seeds reproduce: the same actions, in a batch of one with the row's own seed."""
        row = self.film.row
        alone = Batch(1, self.setup)
        alone.seed(self.seed + row)
        alone.show_masks()
        alone.reset()
        for actions, reset in zip(self.film.actions, self.film.resets, strict=True):
            if reset:
                alone.reset()
            alone.actions[0] = actions
            alone.step()
        if not _alike(alone, 0, self.batch, row):
            raise FaultError("the game is another one when it is played alone with the same seed and actions", row)


def _alike(one: Batch, g: int, other: Batch, h: int) -> bool:
    """Whether game g of one batch is game h of another: position, generator, control, result and observation."""
    whole = [*zip(one.state, other.state, strict=True), *zip(one.buffers[:2], other.buffers[:2], strict=True)]
    twice = zip(one.buffers[2:], other.buffers[2:], strict=True)  # the current one and that of the game before
    pairs = [(a[g], b[h]) for a, b in whole] + [(a[:, g], b[:, h]) for a, b in twice]
    return all(np.array_equal(a, b) for a, b in pairs)
