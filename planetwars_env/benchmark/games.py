"""What a game costs as the batch grows: time a step, and memory."""

from collections.abc import Iterable

from planetwars_env.benchmark.measure import Probe, Reading, Table, rates
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import open_batch, step_batch


def table(plan: Plan) -> Table:
    """Nanoseconds a game's step: flat if the cost grows linearly."""
    return Table(
        name="games",
        title="Cost against games: pool test, against random, one thread",
        unit="ns",
        axes=("games",),
        probes=[_probe(games, plan.settle) for games in plan.many_games],
    )


def _probe(games: int, settle: int) -> Probe:
    def probe(seconds: float) -> Iterable[Reading]:
        batch, actions = open_batch("random", games, settle=settle)
        rate, cpu = rates(lambda: games * step_batch(batch, actions), seconds)
        yield Reading((games,), 1e9 / rate, 1e9 / cpu)

    return probe
