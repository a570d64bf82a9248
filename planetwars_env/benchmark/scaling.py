"""Tables of scaling: the time of a step for larger graphs and for larger batches."""

from collections.abc import Iterable

from planetwars_env.benchmark.measure import Probe, Reading, Table, rates
from planetwars_env.benchmark.settings import BenchmarkSettings
from planetwars_env.benchmark.workloads import open_batch, step_batch
from planetwars_env.codec.limits import Limits
from planetwars_env.graphs.generators import GraphGenerator

_GRAPHS = 4
_PLANETS = 16384  # of all games together, so that the processor's caches are as full for small graphs as for large ones


def graph_size_table(settings: BenchmarkSettings) -> Table:
    """Return the table of ns per step, and per planet and directed edge; the latter is flat for linear cost."""
    return Table(
        name="graph-size",
        title=f"Cost of larger graphs: generator large, {_PLANETS} planets in all games together, against random",
        unit="ns",
        axes=("planets", "edges", "cost of"),
        probes=[_graph_size(planets, settings.settle) for planets in settings.planets],
    )


def _graph_size(planets: int, settle: int) -> Probe:
    graphs = list(GraphGenerator("large", _GRAPHS, planets=planets))
    edges = sum(2 * len(graph.edges) for graph in graphs) // len(graphs)
    degree = max(graph.degree(planet.id) for graph in graphs for planet in graph.planets)
    limits = Limits(planets, max(len(graph.edges) for graph in graphs), degree, horizon=8)
    games = max(1, _PLANETS // planets)

    def probe(seconds: float) -> Iterable[Reading]:
        batch, actions = open_batch("random", games, settle=settle, graphs=graphs, limits=limits)
        rate, cpu = rates(lambda: games * step_batch(batch, actions), seconds)
        for label, units in (("a step", 1), ("a planet or edge", planets + edges)):
            yield Reading((planets, edges, label), 1e9 / rate / units, 1e9 / cpu / units)

    return probe


def batch_size_table(settings: BenchmarkSettings) -> Table:
    """Return the table of ns per step of one game; flat for linear cost."""
    return Table(
        name="batch-size",
        title="Cost of larger batches: pool test, against random, one thread",
        unit="ns",
        axes=("games",),
        probes=[_batch_size(games, settings.settle) for games in settings.many_games],
    )


def _batch_size(games: int, settle: int) -> Probe:
    def probe(seconds: float) -> Iterable[Reading]:
        batch, actions = open_batch("random", games, settle=settle)
        rate, cpu = rates(lambda: games * step_batch(batch, actions), seconds)
        yield Reading((games,), 1e9 / rate, 1e9 / cpu)

    return probe
