"""Where the time of a step goes: each of its pieces by itself, on states from play."""

import time
from collections.abc import Callable, Iterable
from functools import partial

from planetwars_env.benchmark.idle_kernel import idle
from planetwars_env.benchmark.measure import Reading, Table
from planetwars_env.benchmark.parts_kernel import ACT, BOT, LOOK, MASK, OBSERVE, play_piece
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import open_batch, play_step
from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.engine.state import Array
from planetwars_env.sim.batch import Batch

_STEP = "the whole step"


def table(plan: Plan) -> Table:
    """A step has two of "time passes". Alone the pieces take longer than within the step, where they share loads."""
    return Table(
        name="parts",
        title=f"Pieces of a step, by themselves: {plan.batch} games against random, pool test, CLASSIC limits",
        unit="ns a game",
        axes=("piece",),
        probes=[partial(_probe, plan)],
    )


def _probe(plan: Plan, seconds: float) -> Iterable[Reading]:
    """Rounds of one step of the batch and every piece, each on the state that the step left."""
    batch, actions = open_batch("random", plan.batch, settle=plan.settle)
    pieces = _pieces(batch, actions[0], plan)
    _round(batch, actions[0], pieces)  # compiles what is not on disk
    spent, rounds, end = dict.fromkeys([_STEP, *pieces], 0.0), 0, time.perf_counter() + 4 * seconds
    while rounds == 0 or time.perf_counter() < end:
        for name, took in _round(batch, actions[rounds % len(actions)], pieces):
            spent[name] += took
        rounds += 1
    for name, time_spent in spent.items():
        yield Reading((name,), 1e9 * time_spent / rounds / plan.batch)


def _round(batch: Batch, action: Array, pieces: dict[str, Callable[[], None]]) -> list[tuple[str, float]]:
    """Seconds of one step, and of every piece on the position that it leaves."""
    found = [(_STEP, _took(partial(play_step, batch, action)))]
    position = [array.copy() for array in batch.state]
    for name, play in pieces.items():
        found.append((name, _took(play)))
        for array, kept in zip(batch.state, position, strict=True):
            array[:] = kept
    return found


def _pieces(batch: Batch, action: Array, plan: Plan) -> dict[str, Callable[[], None]]:
    scratch, current = make_scratch(batch.board, batch.state.people.dtype), batch.current
    arrays = batch.state, batch.board, batch.codec, batch.players, current.observation, current.mask, scratch, action
    pieces: dict[str, Callable[[], None]] = {
        "agent's moves": partial(play_piece, *arrays, ACT, 0),
        "time passes": partial(idle, batch.state, batch.board, 1),
        "view (fog)": partial(play_piece, *arrays, LOOK, 0),
        "observation": partial(play_piece, *arrays, OBSERVE, 0),
        "mask": partial(play_piece, *arrays, MASK, 0),
    }
    for name in plan.opponents:
        pieces[f"opponent {name}"] = partial(play_piece, *arrays, BOT, BOTS[name])
    return pieces


def _took(play: Callable[[], None]) -> float:
    before = time.perf_counter()
    play()
    return time.perf_counter() - before
