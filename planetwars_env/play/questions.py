"""Questions of one page, which change nothing: on earlier turns, on what a move leads to, and for hints."""

from collections.abc import Callable
from typing import Any

from planetwars_env.play.hints import hint
from planetwars_env.play.live_game import LiveGame, MoveError
from planetwars_env.play.state_messages import Shown, aim_message, past_message
from planetwars_env.view import Move

QUESTIONS = "look", "aim", "hint"


def answer(live: LiveGame, message: dict[str, Any], shown: Shown) -> dict[str, Any] | Callable[[], dict[str, Any]]:
    """Return the answer to a page that sees the game as ``shown``, or a slow function that finds it.

    MoveError if there is none.
    """
    if message["do"] == "look":
        return past_message(live, message["at"], shown.viewer)
    hidden = not shown.to_move(live) or message["turn"] != live.game.turn
    if message["do"] == "aim":
        return aim_message(live, Move(*message["move"]), hidden)
    if hidden:
        raise MoveError(f"this is turn {live.game.turn}, and its player has not asked for a hint")
    find = hint(live, message["by"])
    return lambda: {"kind": "hint", "turn": message["turn"], "by": message["by"], "moves": find()}
