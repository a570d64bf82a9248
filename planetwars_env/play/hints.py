"""Hints for a person: the moves that the planner would make, by what that person sees."""

from collections.abc import Callable

from planetwars_env.bots.known_map import KnownMap
from planetwars_env.bots.planner import Planner
from planetwars_env.play.live_game import LiveGame, MoveError
from planetwars_env.view import Move


def hint(live: LiveGame) -> Callable[[], list[Move]]:
    """Return a function that finds the planner's moves in the place of the person to move, whatever happens meanwhile.

    It takes long when it is called first, since the planner is compiled. MoveError if no person is to move.
    """
    if not live.person_to_move:
        raise MoveError(f"no person is to move: {live.status}")
    game, planner = live.game, Planner()
    view, player, rules = game.view(game.player), game.player, game.rules

    def moves() -> list[Move]:
        planner.reset(KnownMap.of(game.graph), player, rules, live.setup.seed)
        return planner.take_turn(view)

    return moves
