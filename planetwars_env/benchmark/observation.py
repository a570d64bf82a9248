"""What observations and Gymnasium's step cost, on top of the compiled step."""

from functools import partial

from planetwars_env.benchmark.measure import Table, throughput
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import batch_at_play, small_boards, vector_at_play

CORE = "Batch.step"


def table(plan: Plan) -> Table:
    """The same games through ever more layers, and with an observation and mask of the prototype's size."""
    boards, small = small_boards()
    faces = {
        "VectorEnv.step, copy=False": {"copy": False},
        "VectorEnv.step": {},
        "VectorEnv.step, flat": {"observation": "flat"},
        "VectorEnv.step, order": {"actions": "order"},
    }
    probes, against = [], {}
    for threads in plan.threads:
        core, tiny = (CORE, "CLASSIC", threads), (CORE, "20 planets, degree 8", threads)
        probes.append(throughput(core, partial(batch_at_play, "random", plan.batch, threads, plan.settle)))
        probes.append(
            throughput(tiny, partial(batch_at_play, "random", plan.batch, threads, plan.settle, boards, small))
        )
        against[tiny] = core
        for face, arguments in faces.items():
            labels = (face, "CLASSIC", threads)
            probes.append(
                throughput(labels, partial(vector_at_play, plan.batch, plan.settle, num_threads=threads, **arguments))
            )
            against[labels] = core
    return Table(
        name="observation",
        title=f"Layers and limits: {plan.batch} games against random, pool test, with the ratio to {CORE}",
        unit="env steps/s",
        axes=("layer", "limits", "threads"),
        probes=probes,
        against=against,
    )
