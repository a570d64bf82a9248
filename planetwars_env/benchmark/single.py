"""One game at a time from `gymnasium.make`, beside CartPole-v1."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gymnasium

from planetwars_env.benchmark.measure import Table, Work, throughput
from planetwars_env.benchmark.plan import Plan
from planetwars_env.benchmark.play import POOL, draw_actions

_STEPS = 256
_CARTPOLE = ("CartPole-v1",)


def table(plan: Plan) -> Table:
    """Steps a second with resets at the end of each episode counted in, as a training loop has them."""
    name, arguments = "PlanetWars-v0", {"opponent": "ai1", "graphs": POOL}
    kinds: dict[str, dict[str, Any]] = {
        name: arguments,
        f"{name}, flat": {**arguments, "observation": "flat"},
        f"{name}, without make's wrappers": {**arguments, "unwrapped": True},
    }
    probes = [throughput(_CARTPOLE, partial(_episodes, "CartPole-v1"))]
    probes += [throughput((kind,), partial(_episodes, name, **chosen)) for kind, chosen in kinds.items()]
    return Table(
        name="single",
        title='One environment from gymnasium.make: against ai1, pool test, actions="turn"; the ratio is to CartPole-v1',
        unit="steps/s",
        axes=("environment",),
        probes=probes,
        against={(kind,): _CARTPOLE for kind in kinds},
    )


@contextmanager
def _episodes(name: str, unwrapped: bool = False, **arguments: Any) -> Iterator[Work]:
    env = gymnasium.make(name, **arguments)
    env = env.unwrapped if unwrapped else env
    if isinstance(env.action_space, gymnasium.spaces.MultiDiscrete):
        actions = [action[0] for action in draw_actions(env.action_space, 1, _STEPS)]
    else:
        env.action_space.seed(0)
        actions = [env.action_space.sample() for _ in range(_STEPS)]
    env.reset(seed=0)

    def work() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions)

    yield work
    env.close()
