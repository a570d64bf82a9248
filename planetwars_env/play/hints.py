"""Hints for a person: the moves that another player would make in that person's place, by what that person sees."""

from collections.abc import Callable, Sequence

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.players import open_player
from planetwars_env.bots.catalogue import player_names
from planetwars_env.play.live_game import LiveGame, MoveError
from planetwars_env.view import Move


def hint(live: LiveGame, by: str) -> Callable[[], Sequence[Move]]:
    """Return a function that finds the moves of a bot or a shipped agent, whatever happens meanwhile.

    Its first call may take long: bots are compiled, agents are loaded. MoveError if no person is to move, or for
    another name.
    """
    live.check_person()
    if by not in player_names():
        raise MoveError(f"hints come from {', '.join(player_names())}, not from {by}")
    game, seed = live.game.copy(), live.setup.seed

    def moves() -> Sequence[Move]:
        player = open_player(contestant_of(by))
        player.begin(game, game.player, seed)
        return player.moves(game)

    return moves
