"""Time passing on the planets of PlanetWars: grow, land (battles), shrink. A planet has one owner.

Written without branches over contiguous rows of planets, so that the compiler does several planets at once.
"""

import numpy as np

from planetwars_env.engine.columns import SIZE
from planetwars_env.engine.kernel import part
from planetwars_env.engine.population import grown, loss
from planetwars_env.engine.rules import DEFENCE
from planetwars_env.engine.state import Board, State


@part
def battle(state: State, board: Board, g: int, b: int, slot: int, planets: int) -> None:
    """R4, R5, R7 on every planet of game g, with the people of landing slot ``slot``."""
    kind = state.people.dtype.type
    for p in range(planets):
        first, second = state.people[g, 0, p], state.people[g, 1, p]
        first_landing, second_landing = state.arrivals[g, slot, 0, p], state.arrivals[g, slot, 1, p]
        size = board.planets[b, SIZE, p]
        owned_by_second = second > 0
        people = max(first, second)  # one of them is 0
        friends = np.float64(second_landing if owned_by_second else first_landing)
        foes = np.float64(first_landing if owned_by_second else second_landing)
        defending = grown(people, size, board.growth[b, p]) + friends
        # R5: a defender counts `DEFENCE` times; on a neutral planet nobody defends, and the larger side takes it.
        left = np.floor(defending * (DEFENCE if people > 0 else 1.0)) - foes
        owner, opponent = max(0.0, min(defending, left)), max(0.0, -left)
        owner, opponent = kind(owner - loss(owner, size)), kind(opponent - loss(opponent, size))
        state.people[g, 0, p] = opponent if owned_by_second else owner
        state.people[g, 1, p] = owner if owned_by_second else opponent
