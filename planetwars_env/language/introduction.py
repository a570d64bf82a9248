"""Introduction of a game to a player that reads and writes: the rules in short, and the form of a reply."""

from planetwars_env.engine.rules import Rules

REPLY_FORM = "send 3 -> 7: 12"
"""Example of a move in a reply."""
_BATTLE = (
    "People that land on a neutral planet take it; where both players land there at once, the larger side keeps the "
    "difference. On a planet with an owner, friends land first and are added. Then all attackers of the turn strike: the "
    "defender counts 1.1 times its people, rounded down; only more attackers than that take the planet, with those left "
    "over, and otherwise the defender keeps what is left of it.",
    "A planet that all of its people leave is neutral at once.",
    "You win when the opponent has no planet and nobody on the way.",
)
_COEXISTENCE = (
    "People of both players live on a planet side by side; it belongs to the player with strictly more people there. On "
    "another player's planet only so many land as its size leaves room for, and the rest is lost; a neutral planet that is "
    "full takes nobody.",
    "You may send your people from every planet where some of them live.",
    "You win when the opponent owns no planet and has nobody on the way, or with the larger number of people on all "
    "planets after the last turn.",
)
_REPLY = f"""\
Reply with one line for each group of people that you send, such as
{REPLY_FORM}
which sends 12 of your people from planet 3 to its neighbour 7. JSON such as [[3, 7, 12]] is as good. To send nobody, reply
wait
Lines are carried out in their order. What is wrong is left out, and the next message says why."""
_COMPACT = """\
Each message lists one planet per line: id, owner (me, op for the opponent, - for nobody, ? for never seen), people/size,
growth, then > and its neighbours with the turns to fly there. @9 marks what was last seen on turn 9. Below them stand
people on their way: "me 3>7 12@+2" are 12 of your people from 3 to 7 with 2 turns to go."""


def introduction(rules: Rules, player: int, compact: bool) -> str:
    """Return the introduction for one player (1, 2)."""
    meeting, leaving, winning = _COEXISTENCE if rules.coexistence else _BATTLE
    limit = f" The game ends after turn {rules.max_turns}." if rules.max_turns else ""
    parts = [
        f"You are player {player} of two in a game of strategy on planets that are joined by edges. Player 1 moves on odd "
        "turns, player 2 on even ones.",
        "Before each turn of either player time passes on all planets: people grow by the planet's growth in per cent, "
        "rounded up, to at most its size; then people land; then a planet loses a tenth of what it holds above its size. "
        "People fly along one edge and land after its number of turns, counting the turns of both players.",
        meeting,
        leaving,
        "You see your planets, their neighbours, and the people on their way to these. Of other planets the text says what "
        "you saw last.",
        f"{winning}{limit}",
        *([_COMPACT] if compact else []),
        _REPLY,
    ]
    return "\n\n".join(parts)
