"""The memory wrappers: what an agent saw earlier, told again by a slow reading of its views."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.envs.memory import MEMORY_FEATURES
from support.environments import both_actions, every_id
from support.opponents import Chancy

OWNERS = ["mine", "opponent", "neutral", "my_base", "opponent_base"]
NAMES = ["seen", "age", *OWNERS, "my_people", "opponent_people", "size", "habitability"]


class SlowMemory:
    """Keeps the last `PlanetView` of every planet, and on which own turn that was."""

    def __init__(self) -> None:
        self.last: dict[int, tuple[int, Any]] = {}

    def table(self, view: pw.View, slots: int) -> np.ndarray:
        now = (view.turn + view.player % 2) // 2
        self.last |= {planet.id: (now, planet) for planet in view.planets if planet.visible}
        rows = np.zeros((slots, len(NAMES)), np.float32)
        for p, planet in enumerate(view.planets):
            if planet.id in self.last:
                rows[p] = self._row(view, now, *self.last[planet.id])
        return rows

    def _row(self, view: pw.View, now: int, then: int, planet: Any) -> list[float]:
        me, opponent = view.player, view.opponent
        people = planet.people[me - 1] * 0.01, planet.people[opponent - 1] * 0.01
        owner = [planet.owner == whose for whose in (me, opponent, 0)]
        bases = [planet.base == whose for whose in (me, opponent)]
        return [1, (now - then) * 0.1, *owner, *bases, *people, planet.size * 0.01, planet.habitability * 0.1]


@every_id
@both_actions
def test_the_memory_is_the_last_view_of_every_planet(name: str, actions: str) -> None:
    inner: Any = gymnasium.make(name, actions=actions, opponent=Chancy, graphs="validation", max_turns=50).unwrapped
    env = pw.MemoryWrapper(inner)
    env.action_space.seed(4)
    observation, _ = env.reset(seed=4)
    slow, aged = SlowMemory(), 0
    for _ in range(200):
        expected = slow.table(inner.game.view(inner.player), 21)
        np.testing.assert_allclose(observation["memory"], expected, rtol=1e-6)
        assert observation in env.observation_space
        aged = max(aged, expected[:, 1].max())
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample(mask=inner.sample_mask()))
        if terminated or truncated:
            expected = slow.table(inner.game.view(inner.player), 21)
            np.testing.assert_allclose(observation["memory"], expected, rtol=1e-6)
            observation, _ = env.reset()
            slow = SlowMemory()
    assert aged > 0  # something was seen, hidden again, and remembered


def test_the_flat_observation_has_the_memory_at_its_end() -> None:
    flat, tensors = (
        pw.MemoryWrapper(gymnasium.make("PlanetWars-v0", graphs="rings", observation=kind))
        for kind in ("flat", "tensors")
    )
    row, parts = flat.reset(seed=0)[0], tensors.reset(seed=0)[0]
    assert np.array_equal(row[-21 * len(NAMES) :], parts["memory"].reshape(-1))
    assert row in flat.observation_space
    assert [feature.name for feature in MEMORY_FEATURES] == NAMES


def test_a_changed_observation_is_refused() -> None:
    with pytest.raises(ValueError, match="wrap it closer"):
        pw.MemoryWrapper(gymnasium.wrappers.FlattenObservation(gymnasium.make("PlanetWars-v0")))
    with pytest.raises(ValueError, match="wrap it closer"):
        pw.MemoryWrapper(gymnasium.make("CartPole-v1"))
