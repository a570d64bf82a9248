"""Time passing on the planets of PlanetWars: grow, land (battles), shrink. A planet has one owner.

Written without branches over contiguous rows of planets, so that the compiler does several planets at once.
"""

from planetwars_env.engine.columns import SIZE
from planetwars_env.engine.kernel import part
from planetwars_env.engine.population import grown, shrunk
from planetwars_env.engine.rules import DEFENCE
from planetwars_env.engine.state import Board, State


@part
def battle(state: State, board: Board, g: int, b: int, slot: int, planets: int) -> None:
    """R4, R5, R7 on every planet of game g, with the people of landing slot ``slot``."""
    kind = state.people.dtype.type
    for p in range(planets):
        first, second = state.people[g, 0, p], state.people[g, 1, p]
        size = board.planets[b, SIZE, p]
        owned_by_second = second > 0
        people = kind(first + second)
        defending = kind(grown(people, size, board.growth[b, p]))
        friends = state.arrivals[g, slot, 1, p] if owned_by_second else state.arrivals[g, slot, 0, p]
        foes = state.arrivals[g, slot, 0, p] if owned_by_second else state.arrivals[g, slot, 1, p]
        defending = kind(defending + friends)
        left = kind(_strength(defending, people > 0) - foes)
        owner = kind(shrunk(max(kind(0), min(defending, left)), size))
        opponent = kind(shrunk(max(kind(0), kind(-left)), size))
        state.people[g, 0, p] = opponent if owned_by_second else owner
        state.people[g, 1, p] = owner if owned_by_second else opponent


@part
def _strength(defending, owned):
    """R5: a defender counts `DEFENCE` times; on a neutral planet nobody defends, and the larger side takes it."""
    return int(defending * (DEFENCE if owned else 1.0))
