"""What a step costs as boards grow."""

from collections.abc import Iterable

from planetwars_env.benchmark.measure import Probe, Reading, Table, rates
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import open_batch, step_batch
from planetwars_env.codec.limits import Limits
from planetwars_env.graphs.generators import GraphGenerator

STEP, PART = "a step", "a planet or edge"
_BOARDS = 4
_PLANETS = 16384  # of all games together, so that the processor's caches are as full for small boards as for large ones


def table(plan: Plan) -> Table:
    """Nanoseconds a step, and the same by planets and directed edges: flat if the cost grows linearly."""
    return Table(
        name="planets",
        title=f"Cost against planets: generator large, {_PLANETS} planets in all games together, against random",
        unit="ns",
        axes=("planets", "edges", "cost of"),
        probes=[_probe(planets, plan.settle) for planets in plan.planets],
    )


def _probe(planets: int, settle: int) -> Probe:
    boards = list(GraphGenerator("large", _BOARDS, planets=planets))
    edges = sum(2 * len(board.edges) for board in boards) // len(boards)
    degree = max(board.degree(planet.id) for board in boards for planet in board.planets)
    limits = Limits(planets, max(len(board.edges) for board in boards), degree, horizon=8)
    games = max(1, _PLANETS // planets)

    def probe(seconds: float) -> Iterable[Reading]:
        batch, actions = open_batch("random", games, settle=settle, graphs=boards, limits=limits)
        rate, cpu = rates(lambda: games * step_batch(batch, actions), seconds)
        for label, units in ((STEP, 1), (PART, planets + edges)):
            yield Reading((planets, edges, label), 1e9 / rate / units, 1e9 / cpu / units)

    return probe
