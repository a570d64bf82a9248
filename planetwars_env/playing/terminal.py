"""Play in a terminal: the graph as a table, moves as lines of three words."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from planetwars_env.arena.games import open_player
from planetwars_env.bots.planner import Planner
from planetwars_env.language.replies import parse_moves
from planetwars_env.language.text_view import TextView
from planetwars_env.playing.live_game import LiveGame, MoveError
from planetwars_env.playing.setup import player_of
from planetwars_env.render.text import describe_moves, game_text
from planetwars_env.view import Move

HELP = """\
SOURCE DESTINATION PEOPLE   send people, for example: 3 5 12
SOURCE DESTINATION all      or half, or a fraction such as 33%
send 3 -> 5: 12             the same as 3 5 12, as language models write it
end (or an empty line)      end the turn
undo                        take the last move back
back                        take your last turn back, and what followed
hint                        what the planner would do with what you see
show                        show the graph again
save FILE                   save the replay, once the game is over
give up, quit, help"""
_COLOURS = {"you": 94, "opponent": 33}
_FRACTIONS = {"all": 1.0, "half": 0.5}

Ask = Callable[[str], str]
"""Shows a prompt and returns a line; EOFError at the end of input."""
Tell = Callable[[str], None]


def play_in_terminal(live: LiveGame, ask: Ask, tell: Tell) -> None:
    """Play the whole game, until it is over or somebody quits."""
    rules, printed = replace(live.setup.rules, max_turns=live.setup.max_turns), 0
    memory = {player: TextView(rules) for player in (1, 2)}
    try:
        live.begin()
        tell(f"{' against '.join(live.setup.names)} on {live.setup.graph.name or 'a graph'}.\n{HELP}\n")
        while not live.over:
            if live.person_to_move:
                earlier = _take_turn(live, ask, tell, memory[live.game.player])
                if earlier is not live:
                    live, memory, printed = earlier, {player: TextView(rules) for player in (1, 2)}, 0
            else:
                live.carry_out(live.strategy_moves())
            for notes in live.notes[printed:]:
                if notes.printed:
                    tell(notes.printed)
            printed = len(live.notes)
        tell(f"{game_text(live.game)}\n\n{live.status}{live.fault_text and f': {live.fault_text}'}")
        for line in filter(None, [*describe_moves(live.replay()), live.edited]):
            tell(f"{line}.")
        while (words := ask("save FILE or quit> ").split(maxsplit=1)) not in ([], ["quit"], ["exit"]):
            if len(words) < 2 or words[0] != "save":
                tell("save FILE, or quit")
                continue
            try:
                live.replay().save(Path(words[1]))
                tell(f"The replay is in {words[1]}: planetwars watch {words[1]}")
            except OSError as fault:
                tell(str(fault))
    except EOFError:
        tell("")
    finally:
        live.close()


def _take_turn(live: LiveGame, ask: Ask, tell: Tell, memory: TextView) -> LiveGame:
    """Play one person's turn; with two people the screen is cleared first. Return the game, or an earlier one."""
    game = live.game
    if all(live.setup.persons):
        tell("\n" * 60)
        ask(f"Player {game.player} takes over and presses Enter> ")
    tell(f"{_shown(live, memory)}\n")
    turn = game.turn
    while not live.over and game.turn == turn:
        try:
            line = ask(f"turn {turn}, player {game.player}> ")
            if line.split() == ["back"]:
                earlier = LiveGame(live.before_last_turn())
                live.close()
                earlier.begin()
                return earlier
            _carry_out(live, line, tell, memory)
        except (MoveError, OSError) as fault:
            tell(str(fault))
    return live


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
            # The planner sees the view of the player to move, as the turn begins.
            adviser = open_player(player_of(Planner.name))
            adviser.begin(live.game, live.game.player, live.setup.seed)
            tell(f"the planner would send {_in_words(adviser.moves(live.game)) or 'nobody'}")
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


def _move(live: LiveGame, source: str, destination: str, people: str) -> Move:
    """Parse a move. MoveError if it is none."""
    try:
        start, end = int(source), int(destination)
        if people not in _FRACTIONS and not people.endswith("%"):
            return Move(start, end, int(people))
        fraction = _FRACTIONS.get(people) or int(people[:-1]) / 100
    except ValueError:
        raise MoveError("a move is SOURCE DESTINATION PEOPLE, for example: 3 5 12, 3 5 half, 3 5 25%") from None
    view = live.view(live.game.player)
    ids = {planet.id for planet in view.planets}
    here = view.my_people(view.planet(start)) if start in ids else 0
    return Move(start, end, max(1, int(here * fraction)))


def _shown(live: LiveGame, memory: TextView) -> str:
    """The graph as the person to move sees it and remembers it, and the orders of this turn."""
    sent = live.moves[-2] if len(live.moves) > 1 else ()
    return _coloured(f"{memory.show(live.game.view(live.game.player), sent=sent)}\n{_orders(live)}".rstrip())


def _coloured(text: str) -> str:
    """Both players in their colours, which `typer.echo` leaves out where nobody sees them (https://no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return text
    return re.sub(r"\b(you|opponent)\b", lambda found: f"\033[{_COLOURS[found[0]]}m{found[0]}\033[0m", text)


def _orders(live: LiveGame) -> str:
    return f"this turn: {_in_words(live.orders)}" if live.orders else ""


def _in_words(moves: Sequence[Move]) -> str:
    return ", ".join(f"{people} from {source} to {destination}" for source, destination, people in moves)
