"""Memory of a game, to the byte: what the rules need, and what agents read and write."""

from collections.abc import Iterable
from typing import Any

from planetwars_env.benchmark.measure import Probe, Reading, Table
from planetwars_env.benchmark.plan import Plan
from planetwars_env.codec.limits import CLASSIC, LARGE, Limits
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.sim.batch import Autoreset, Batch

STATE, BUFFERS = "state", "buffers"
_GAMES = 64


def table(plan: Plan) -> Table:
    """Bytes a game of ``State``, and of observations (this one and the last one of the game before), masks and actions."""
    cases: list[tuple[str, str, str, Limits]] = [
        ("PLANETWARS", "train", "turn", CLASSIC),
        ("PLANETWARS", "train", "order", CLASSIC),
        ("PLANETWARS_HALF_STEP", "train", "turn", CLASSIC),
        ("SPACE_EXPLORERS", "train", "turn", CLASSIC),
        ("PLANETWARS", "large", "turn", LARGE),
    ]
    return Table(
        name="memory",
        title="Memory of a game",
        unit="bytes",
        axes=("rules", "pool", "actions", "part"),
        probes=[_probe(*case) for case in cases],
        runs=1,
    )


def _probe(rules: str, pool: str, actions: str, limits: Limits) -> Probe:
    def probe(seconds: float) -> Iterable[Reading]:
        setup = EnvArguments(rules, graphs=pool, actions=actions, limits=limits).setup(Autoreset.SAME_STEP)
        batch = Batch(_GAMES, setup)
        yield Reading((rules, pool, actions, STATE), _bytes(batch.state))
        yield Reading((rules, pool, actions, BUFFERS), _bytes((*batch.buffers, batch.actions)))

    return probe


def _bytes(arrays: Iterable[Any]) -> float:
    return sum(array.nbytes for array in arrays) / _GAMES
