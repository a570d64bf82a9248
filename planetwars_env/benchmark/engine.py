"""Tables of the engine: the compiled step of a batch, the rules alone, and the phases of a step."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import product

import numpy as np

from planetwars_env.benchmark.kernels import ACT, BOT, LOOK, MASK, OBSERVE, pass_turns, run_phase
from planetwars_env.benchmark.measure import Reading, Table, Work, throughput_table
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.benchmark.workloads import batch_at_play, open_batch, play_step
from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.engine.columns import LIMIT, NO_LIMIT
from planetwars_env.engine.state import Array, State
from planetwars_env.sim.batch import Batch

_TURNS = 32768  # of all games together, in one call: longer than starting a thread takes


def batch_table(settings: BenchmarkSettings) -> Table:
    """Return the table of `Batch.step`: both players, time, reset, observation, mask and reward."""
    cases = [case for case in product(settings.opponents, settings.games, settings.threads) if case[2] <= case[1]]
    return throughput_table(
        "batch",
        "The compiled step: pool test, default tensors under CLASSIC limits, actions drawn beforehand",
        ("opponent", "games", "threads"),
        {case: partial(batch_at_play, *case, settings.settle) for case in cases},
        {case: (*case[:2], settings.threads[0]) for case in cases if case[2] != settings.threads[0]},
    )


def rules_table(settings: BenchmarkSettings) -> Table:
    """Return the table of turns without orders, in mid-game; an environment step has two turns."""
    cases = [case for case in product(settings.games, settings.threads) if case[1] <= case[0]]
    return throughput_table(
        "rules",
        "The rules alone: turns without orders, pool test",
        ("games", "threads"),
        {case: partial(_games_without_orders, *case, settings.settle) for case in cases},
        {case: (case[0], settings.threads[0]) for case in cases if case[1] != settings.threads[0]},
        unit="turns/s",
    )


@contextmanager
def _games_without_orders(games: int, threads: int, settle: int) -> Iterator[Work]:
    batch, _ = open_batch("random", games, settle=settle)
    batch.state.status[:, LIMIT] = NO_LIMIT
    slices = [State(*parts) for parts in zip(*(np.array_split(a, threads) for a in batch.state), strict=True)]
    turns = max(2, _TURNS // games)
    with ThreadPoolExecutor(threads) as pool:

        def work() -> int:
            if threads == 1:
                pass_turns(batch.state, batch.board, turns)
            else:
                list(pool.map(lambda part: pass_turns(part, batch.board, turns), slices))
            return games * turns

        yield work


_STEP = "the whole step"


def phases_table(settings: BenchmarkSettings) -> Table:
    """Return the table of the phases of a step; a step has two turns, and within it the phases share loads."""
    return Table(
        name="phases",
        title=f"Phases of a step, each alone: {settings.batch} games against random, pool test, CLASSIC limits",
        unit="ns a game",
        axes=("phase",),
        probes=[partial(_probe_phases, settings)],
    )


def _probe_phases(settings: BenchmarkSettings, seconds: float) -> Iterable[Reading]:
    """Measure rounds of one step of the batch and all phases, each on the state after the step."""
    batch, actions = open_batch("random", settings.batch, settle=settings.settle)
    phases = _phases(batch, actions[0], settings)
    _round(batch, actions[0], phases)  # compiles what is not on disk
    spent, rounds, end = dict.fromkeys([_STEP, *phases], 0.0), 0, time.perf_counter() + 4 * seconds
    while rounds == 0 or time.perf_counter() < end:
        for name, took in _round(batch, actions[rounds % len(actions)], phases):
            spent[name] += took
        rounds += 1
    for name, time_spent in spent.items():
        yield Reading((name,), 1e9 * time_spent / rounds / settings.batch)


def _round(batch: Batch, action: Array, phases: dict[str, Callable[[], None]]) -> list[tuple[str, float]]:
    """Return the seconds of one step, and of every phase on the state after it."""
    found = [(_STEP, _seconds(partial(play_step, batch, action)))]
    state = [array.copy() for array in batch.state]
    for name, play in phases.items():
        found.append((name, _seconds(play)))
        for array, kept in zip(batch.state, state, strict=True):
            array[:] = kept
    return found


def _phases(batch: Batch, action: Array, settings: BenchmarkSettings) -> dict[str, Callable[[], None]]:
    scratch, current = make_scratch(batch.board, batch.state.people.dtype), batch.current
    arrays = batch.state, batch.board, batch.codec, batch.players, current.observation, current.mask, scratch, action
    return {
        "agent's moves": partial(run_phase, *arrays, ACT, 0),
        "end of turn": partial(pass_turns, batch.state, batch.board, 1),
        "visibility (fog)": partial(run_phase, *arrays, LOOK, 0),
        "observation": partial(run_phase, *arrays, OBSERVE, 0),
        "mask": partial(run_phase, *arrays, MASK, 0),
        **{f"opponent {name}": partial(run_phase, *arrays, BOT, BOTS[name]) for name in settings.opponents},
    }


def _seconds(play: Callable[[], None]) -> float:
    before = time.perf_counter()
    play()
    return time.perf_counter() - before
