"""Play in a terminal: the graph as a table, moves as lines of three words."""

from collections.abc import Callable, Sequence
from pathlib import Path

from planetwars_env.arena.games import open_player
from planetwars_env.bots.planner import Planner
from planetwars_env.language.replies import parse_moves
from planetwars_env.language.text_view import TextView
from planetwars_env.playing.live_game import LiveGame, MoveError
from planetwars_env.playing.setup import player_of
from planetwars_env.render.text import game_text
from planetwars_env.view import Move

HELP = """\
SOURCE DESTINATION PEOPLE   send people, for example: 3 5 12
SOURCE DESTINATION all      or half, or a fraction such as 33%
send 3 -> 5: 12             the same as 3 5 12, as language models write it
end (or an empty line)      end the turn
undo                        take the last move back
hint                        what the planner would do with what you see
show                        show the graph again
save FILE                   save the replay, once the game is over
give up, quit, help"""
_FRACTIONS = {"all": 1.0, "half": 0.5}

Ask = Callable[[str], str]
"""Shows a prompt and returns a line; EOFError at the end of input."""
Tell = Callable[[str], None]


def play_in_terminal(live: LiveGame, ask: Ask, tell: Tell) -> None:
    """Play the whole game, until it is over or somebody quits."""
    memory = {player: TextView(live.game.rules) for player in (1, 2)}
    try:
        live.begin()
        tell(f"{' against '.join(live.setup.names)} on {live.setup.graph.name or 'a graph'}.\n{HELP}\n")
        while not live.over:
            if live.person_to_move:
                _take_turn(live, ask, tell, memory[live.game.player])
            else:
                live.carry_out(live.strategy_moves())
            if text := live.take_printed():
                tell(text)
        tell(f"{game_text(live.game)}\n\n{live.status}{live.fault_text and f': {live.fault_text}'}")
        for line in filter(None, [*live.describe_moves(), live.edited]):
            tell(f"{line}.")
        while _carry_out_at_the_end(live, ask("save FILE or quit> "), tell):
            pass
    except EOFError:
        tell("")
    finally:
        live.close()


def _take_turn(live: LiveGame, ask: Ask, tell: Tell, memory: TextView) -> None:
    """Play one person's turn; with two people the screen is cleared first."""
    game = live.game
    if all(live.setup.persons):
        tell("\n" * 60)
        ask(f"Player {game.player} takes over and presses Enter> ")
    tell(f"{_shown(live, memory)}\n")
    turn = game.turn
    while not live.over and game.turn == turn:
        try:
            _carry_out(live, ask(f"turn {turn}, player {game.player}> "), tell, memory)
        except (MoveError, OSError) as fault:
            tell(str(fault))


def _carry_out(live: LiveGame, line: str, tell: Tell, memory: TextView) -> None:
    match line.split():
        case [] | ["end"]:
            live.end_turn()
        case ["undo"]:
            live.undo()
            tell(_orders(live))
        case ["show" | "board"]:
            tell(_shown(live, memory))
        case ["hint"]:
            tell(f"the planner would send {_in_words(_hinted(live)) or 'nobody'}")
        case ["help" | "?"]:
            tell(HELP)
        case ["give", "up"]:
            live.give_up()
        case ["quit" | "exit"]:
            raise EOFError
        case ["save", *_]:
            live.replay()  # says why not
        case [word, *_] if word.casefold() == "send":
            found = parse_moves(line, live.view(live.game.player), live.game.rules)
            if found.problems:
                raise MoveError("; ".join(found.problems))
            live.order(found.moves[0])
            tell(_orders(live))
        case [source, destination, people]:
            live.order(_move(live, source, destination, people))
            tell(_orders(live))
        case _:
            tell(HELP)


def _carry_out_at_the_end(live: LiveGame, line: str, tell: Tell) -> bool:
    """Carry out one line after the game; False for quit."""
    words = line.split(maxsplit=1)
    if words in ([], ["quit"], ["exit"]):
        return False
    if len(words) == 2 and words[0] == "save":
        try:
            live.replay().save(Path(words[1]))
            tell(f"The replay is in {words[1]}: planetwars watch {words[1]}")
        except OSError as fault:
            tell(str(fault))
    else:
        tell("save FILE, or quit")
    return True


def _move(live: LiveGame, source: str, destination: str, people: str) -> Move:
    """Parse a move. MoveError if it is none."""
    try:
        start, end = int(source), int(destination)
        fraction = (
            _FRACTIONS[people] if people in _FRACTIONS else int(people[:-1]) / 100 if people.endswith("%") else None
        )
        if fraction is None:
            return Move(start, end, int(people))
    except ValueError:
        raise MoveError("a move is SOURCE DESTINATION PEOPLE, for example: 3 5 12, 3 5 half, 3 5 25%") from None
    view = live.view(live.game.player)
    ids = {planet.id for planet in view.planets}
    here = view.my_people(view.planet(start)) if start in ids else 0
    return Move(start, end, max(1, int(here * fraction)))


def _shown(live: LiveGame, memory: TextView) -> str:
    """The graph as the person to move sees it and remembers it, and the orders of this turn."""
    sent = live.moves[-2] if len(live.moves) > 1 else ()
    return f"{game_text(live.game, live.game.player, memory, sent)}\n{_orders(live)}".rstrip()


def _hinted(live: LiveGame) -> Sequence[Move]:
    """Return what the planner, which sees the view of the player to move, would do as the turn begins."""
    game, adviser = live.game, open_player(player_of(Planner.name))
    adviser.begin(game, game.player, live.setup.seed)
    return adviser.moves(game)


def _orders(live: LiveGame) -> str:
    return f"this turn: {_in_words(live.orders)}" if live.orders else ""


def _in_words(moves: Sequence[Move]) -> str:
    return ", ".join(f"{people} from {source} to {destination}" for source, destination, people in moves)
