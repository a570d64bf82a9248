"""Environment steps a second of the native vector environment, against opponent, batch size and threads."""

from functools import partial
from itertools import product

from planetwars_env.benchmark.measure import Table, throughput
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import batch_at_play


def table(plan: Plan) -> Table:
    """The compiled step alone (`sim.batch.Batch`): agent, time, opponent, time, reset, observation, mask, reward."""
    cases = [
        (opponent, games, threads)
        for opponent, games, threads in product(plan.opponents, plan.games, plan.threads)
        if threads <= games
    ]
    return Table(
        name="batch",
        title="The compiled step: pool test, default tensors under CLASSIC limits, actions drawn beforehand",
        unit="env steps/s",
        axes=("opponent", "games", "threads"),
        probes=[throughput(case, partial(batch_at_play, *case, plan.settle)) for case in cases],
        against={case: (*case[:2], plan.threads[0]) for case in cases if case[2] != plan.threads[0]},
    )
