"""Play in a terminal: the graph as a table, moves as lines of three words."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size

from planetwars_env.arena.games import open_player
from planetwars_env.bots.planner import Planner
from planetwars_env.language.text_view import TextView
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.setup import player_of
from planetwars_env.render.text import describe_moves, game_text, map_text
from planetwars_env.view import Move

HELP = """\
SOURCE DESTINATION PEOPLE   send people, for example: 3 5 12
SOURCE DESTINATION all      or half, or a fraction such as 33%
send 3 -> 5: 12             the same as 3 5 12, as language models write it
end (or an empty line)      end the turn
undo                        take the last move back
back                        take your last turn back, and what followed
hint                        what the planner would do with what you see
follow                      make these the moves of this turn
show                        show the graph again
save FILE                   save the replay, once the game is over
give up, quit, help"""
_MOVE = re.compile("[0-9]{1,9} [0-9]{1,9} ([0-9]{1,9}|[0-9]{1,3}%|all|half)")
_COLOURS = {"bold": 1, "faint": 90, "you": 94, "opponent": 33}
_PARTS = re.compile(
    r"(?P<bold>^Turn .*|^Since turn .*)"
    r"|(?P<faint>^planet +owner.*|^ *\d+ +\? .*|\(\d+:\?\)|·( +·)*)"
    r"|(?P<you>^ *\d+ +you +\d+|\[\d+:.*?\]|\byou\b)"
    r"|(?P<opponent>^ *\d+ +opponent +\d+|<\d+:.*?>|\bopponent\b)",
    re.MULTILINE,
)
"""Parts of what the screen shows, by their colours (ECMA-48)."""

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
                try:
                    earlier.begin()
                except BaseException:
                    earlier.close()
                    raise
                live.close()
                return earlier
            if said := _carry_out(live, line, memory):
                tell(said)
        except (ValueError, OSError) as fault:
            tell(str(fault))
    return live


def _carry_out(live: LiveGame, line: str, memory: TextView) -> str:
    """Carry out a line and return what is told; EOFError to quit."""
    match line.split():
        case [] | ["end"]:
            live.end_turn()
            return ""
        case ["undo"]:
            if not live.orders:
                return "there is no move to take back on this turn"
            live.orders.pop()
            return _orders(live)
        case ["show" | "board"]:
            return _shown(live, memory)
        case ["hint"]:
            return f"the planner would send {_in_words(_hint(live)) or 'nobody'}"
        case ["follow"]:
            live.orders = [*_hint(live)]
            return _orders(live)
        case ["give", "up"]:
            live.give_up()
            return ""
        case ["quit" | "exit"]:
            raise EOFError
        case ["save", *_]:
            live.replay()  # says why not
        case [word, *_] if word.casefold() == "send":
            return "; ".join(live.order(line)) or _orders(live)
        case [source, destination, people]:
            if not _MOVE.fullmatch(f"{source} {destination} {people}"):
                return "a move is SOURCE DESTINATION PEOPLE, for example: 3 5 12, 3 5 half, 3 5 25%"
            move = f"send {source} -> {destination}: {_number(live, int(source), people)}"
            return "; ".join(live.order(move)) or _orders(live)
    return HELP


def _hint(live: LiveGame) -> Sequence[Move]:
    """Return the planner's moves: it sees the view of the player to move, as the turn begins."""
    adviser = open_player(player_of(Planner.name))
    adviser.begin(live.game, live.game.player, live.setup.seed)
    return adviser.moves(live.game)


def _number(live: LiveGame, source: int, people: str) -> str:
    """Return a number of people, or "all", "half" or "33%" of those on a planet, as a number."""
    percent = re.fullmatch("([0-9]{1,3})%", {"all": "100%", "half": "50%"}.get(people, people))
    view = live.view(live.game.player)
    here = sum(view.my_people(planet) for planet in view.planets if planet.id == source)
    return str(max(1, here * int(percent[1]) // 100)) if percent else people


def _shown(live: LiveGame, memory: TextView) -> str:
    """The graph as the person to move sees it and remembers it, and the orders of this turn."""
    player = live.game.player
    view = live.game.view(player)
    people = sum(map(view.my_people, view.planets))
    people += sum(shuttle.people for shuttle in view.shuttles if shuttle.player == player)
    planets = len(view.owned_by(player))
    owned = f"{people} people and {planets} {'planet' if planets == 1 else 'planets'}"
    parts = [
        f"Turn {view.turn} of {live.setup.max_turns}; you are player {player}, with {owned}.",
        *memory.events(view, live.last_moves(player)),
        map_text(live.setup.graph, view, min(get_terminal_size().columns, 100) - 1),
        *memory.position(view),
        _orders(live),
    ]
    text = "\n".join(part for part in parts if part)
    if os.environ.get("NO_COLOR"):
        return text
    # `typer.echo` leaves colours out where nobody sees them (https://no-color.org).
    return _PARTS.sub(lambda found: f"\033[{_COLOURS[found.lastgroup or 'bold']}m{found[0]}\033[0m", text)


def _orders(live: LiveGame) -> str:
    return f"this turn: {_in_words(live.orders)}" if live.orders else ""


def _in_words(moves: Sequence[Move]) -> str:
    return ", ".join(f"{people} from {source} to {destination}" for source, destination, people in moves)
