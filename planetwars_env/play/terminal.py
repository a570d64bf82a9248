"""Playing in a terminal: the board as a table, moves as lines of three words."""

from collections.abc import Callable
from pathlib import Path

from planetwars_env.play.match import Match, MoveError
from planetwars_env.render.text import board_text
from planetwars_env.view import Move

HELP = """\
SOURCE DESTINATION PEOPLE   send people, for example: 3 5 12
SOURCE DESTINATION all      or half, or a share such as 33%
end (or an empty line)      end the turn
undo                        take the last move back
board                       show the board again
save FILE                   save the replay, once the game is over
give up, quit, help"""
_SHARES = {"all": 1.0, "half": 0.5}

Ask = Callable[[str], str]
"""Shows a prompt and returns a line; EOFError when there is nobody left."""
Tell = Callable[[str], None]


def play_in_terminal(match: Match, ask: Ask, tell: Tell) -> None:
    """The whole game, until it is over or somebody quits. Strategies that fail are told of as everywhere."""
    try:
        match.begin()
        tell(f"{' against '.join(match.setup.names)} on {match.setup.graph.name or 'a board'}.\n{HELP}\n")
        while not match.over:
            if match.person_to_move:
                _take_turn(match, ask, tell)
            else:
                match.carry_out(match.think())
        tell(f"{board_text(match.game)}\n\n{match.standing}{match.trouble and f': {match.trouble}'}")
        while _obey_at_the_end(match, ask("save FILE or quit> "), tell):
            pass
    except EOFError:
        tell("")
    finally:
        match.close()


def _take_turn(match: Match, ask: Ask, tell: Tell) -> None:
    """One person's turn; another person's board is scrolled away first."""
    game = match.game
    if all(match.setup.persons):
        tell("\n" * 60)
        ask(f"Player {game.player} takes the seat and presses Enter> ")
    tell(f"{_shown(match)}\n")
    turn = game.turn
    while not match.over and game.turn == turn:
        try:
            _obey(match, ask(f"turn {turn}, player {game.player}> ").split(), tell)
        except (MoveError, OSError) as fault:
            tell(str(fault))


def _obey(match: Match, words: list[str], tell: Tell) -> None:
    match words:
        case [] | ["end"]:
            match.end_turn()
        case ["undo"]:
            match.undo()
            tell(_orders(match))
        case ["board"]:
            tell(_shown(match))
        case ["help" | "?"]:
            tell(HELP)
        case ["give", "up"]:
            match.give_up()
        case ["quit" | "exit"]:
            raise EOFError
        case ["save", *_]:
            match.replay()  # says why not
        case [source, destination, people]:
            match.order(_move(match, source, destination, people))
            tell(_orders(match))
        case _:
            tell(HELP)


def _obey_at_the_end(match: Match, line: str, tell: Tell) -> bool:
    """Whether somebody may want to say more."""
    words = line.split(maxsplit=1)
    if words in ([], ["quit"], ["exit"]):
        return False
    if len(words) == 2 and words[0] == "save":
        try:
            match.replay().save(Path(words[1]))
            tell(f"The replay is in {words[1]}: planetwars watch {words[1]}")
        except OSError as fault:
            tell(str(fault))
    else:
        tell("save FILE, or quit")
    return True


def _move(match: Match, source: str, destination: str, people: str) -> Move:
    """MoveError for what is no move."""
    try:
        start, end = int(source), int(destination)
        share = _SHARES[people] if people in _SHARES else int(people[:-1]) / 100 if people.endswith("%") else None
        if share is None:
            return Move(start, end, int(people))
    except ValueError:
        raise MoveError("a move is SOURCE DESTINATION PEOPLE, for example: 3 5 12, 3 5 half, 3 5 25%") from None
    view = match.view(match.game.player)
    ids = {planet.id for planet in view.planets}
    there = view.my_people(view.planet(start)) if start in ids else 0
    return Move(start, end, max(1, int(there * share)))


def _shown(match: Match) -> str:
    """The board as the person to move sees it, and its orders."""
    return f"{board_text(match.game, match.game.player)}\n{_orders(match)}".rstrip()


def _orders(match: Match) -> str:
    said = [f"{people} from {source} to {destination}" for source, destination, people in match.orders]
    return f"this turn: {', '.join(said)}" if said else ""
