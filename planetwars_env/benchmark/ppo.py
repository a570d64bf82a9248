"""How fast MaskablePPO collects: on the native VecEnv, and on one that does nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from planetwars_env.benchmark.measure import Table, Work, longer, throughput
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import POOL
from planetwars_env.benchmark.sb3_yardsticks import IdleVecEnv, rollouts
from planetwars_env.envs.sb3 import make_sb3_vec_env

_STEPS = 8
_LONGER = 4  # one rollout of "turn" takes as long as a figure of other tables


def table(plan: Plan) -> Table:
    """`collect_rollouts` alone, MLP policy, one torch thread; learning would come on top."""
    cases = [(name, actions) for actions in ("turn", "order") for name in ("native", "does nothing")]
    probes = [throughput(case, partial(_collection, *case, plan.sb3_games)) for case in cases]
    return Table(
        name="ppo",
        title=f"MaskablePPO's collection: {plan.sb3_games} games against ai1, pool test, flat, MLP policy",
        unit="env steps/s",
        axes=("VecEnv", "actions"),
        probes=longer(probes, _LONGER),
        against={("native", actions): ("does nothing", actions) for actions in ("turn", "order")},
    )


@contextmanager
def _collection(name: str, actions: str, games: int) -> Iterator[Work]:
    env = make_sb3_vec_env("PlanetWars-v0", games, opponent="ai1", graphs=POOL, actions=actions)
    yield rollouts(env if name == "native" else IdleVecEnv(env), _STEPS)
    env.close()
