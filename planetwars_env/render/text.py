"""Text form of a position, with or without fog."""

from planetwars_env.game import Game
from planetwars_env.language.text_view import TextView
from planetwars_env.view import View, make_view


def game_text(game: Game, viewer: int | None = None, memory: TextView | None = None) -> str:
    """Return a table of planets and a list of shuttles, as ``viewer`` (1, 2; None: without fog) sees them.

    ``memory``: what the viewer saw earlier in the game, which the text tells too.
    """
    whose = f"as player {viewer} sees it" if viewer else "without fog"
    text, names = memory or TextView(game.rules), None if viewer else ("player 1", "player 2")
    return "\n".join([f"turn {game.turn}, {game_status(game)}, {whose}", *text.position(view_of(game, viewer), names)])


def view_of(game: Game, viewer: int | None) -> View:
    """Return what ``viewer`` (1, 2) sees; None: everything."""
    if viewer is not None:
        return game.view(viewer)
    people = list(zip(*game.people(), strict=True))
    seen = [True] * len(game.graph.planets)
    return make_view(game.graph, game.turn, game.player, seen, people, game.shuttles())


def game_status(game: Game, names: tuple[str, str] = ("player 1", "player 2")) -> str:
    """Return the player to move, or the result, in words."""
    if not game.over:
        return f"{names[game.player - 1]} to move"
    return f"{names[game.winner - 1]} has won" if game.winner else "cut off" if game.cut_off else "a draw"
