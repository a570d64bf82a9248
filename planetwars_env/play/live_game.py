"""Game with people in it: takes their moves, asks strategies for theirs, and shows each player its view."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from planetwars_env.arena.contestants import contestant_of, distinct_names, fingerprint_player
from planetwars_env.arena.isolation import ForfeitError, Isolated, ResourceLimits
from planetwars_env.arena.players import GamePlayer, open_player
from planetwars_env.bots.catalogue import Player
from planetwars_env.bots.notes import LONGEST_PRINT, TurnNotes
from planetwars_env.game import Game
from planetwars_env.move_counts import NO_MOVES, play_counted, total
from planetwars_env.play.news import News
from planetwars_env.play.orders import MoveError, PersonOrders
from planetwars_env.play.setup import PERSON, GameSetup
from planetwars_env.render.frames import planet_data, state_data
from planetwars_env.render.scene import departures, known_orders
from planetwars_env.render.text import game_status
from planetwars_env.replay import Forfeit, Replay
from planetwars_env.view import Move, PlanetView, View


class FogMemory:
    """Planets as the views of a game last showed them, by player and id. It knows nothing but those views."""

    def __init__(self) -> None:
        self._seen: dict[int, dict[int, tuple[int, PlanetView]]] = {1: {}, 2: {}}

    def see(self, view: View) -> None:
        """Remember the planets that a player was shown on a turn."""
        self._seen[view.player].update((planet.id, (view.turn, planet)) for planet in view.planets if planet.visible)

    def of(self, view: View) -> list[dict[str, Any]]:
        """Return the planets that ``view`` hides and its player saw before, each by index and with the turn it is of."""
        seen = self._seen[view.player]
        return [
            {"planet": i, "turn": seen[planet.id][0], **planet_data(seen[planet.id][1])}
            for i, planet in enumerate(view.planets)
            if not planet.visible and planet.id in seen
        ]


_SECONDS = 1.0
"""Time between two looks at the files."""


class EditWatch:
    """Fingerprints of strategies as they were when the game began."""

    def __init__(self) -> None:
        self._known: list[tuple[Player, str]] = []
        self._looked, self._said = 0.0, ""

    def add(self, player: Player) -> None:
        """Watch a strategy's files; bots and agents have none."""
        if player.isolated:
            self._known.append((player, _fingerprint(player)))

    def edited(self) -> str:
        """Return a sentence on the strategies that were edited, empty for none; the files are read once per second."""
        if self._known and time.monotonic() - self._looked > _SECONDS:
            names = [player.name for player, known in self._known if _fingerprint(player) != known]
            self._looked = time.monotonic()
            self._said = f"{' and '.join(names)}: edited; the next game is played with the new version" if names else ""
        return self._said


def _fingerprint(player: Player) -> str:
    """Return the fingerprint of the files, empty while they cannot be read."""
    try:
        return fingerprint_player(player)
    except (OSError, ValueError):
        return ""


_SHOWN = 20
"""Turns in a message."""
_MOST_TEXT = 2_000_000
"""Characters that are kept of a whole game; later notes are dropped."""


class Console:
    """``notes``: of all turns so far, in order; ``latest``: time and notes of each player's last turn."""

    def __init__(self) -> None:
        self.notes: list[TurnNotes] = []
        self.latest: dict[int, TurnNotes] = {}
        self._room = _MOST_TEXT

    def add(self, notes: TurnNotes) -> None:
        """Add the notes of a turn; turns without any only tell their time."""
        self.latest[notes.player] = notes
        if notes.worth_reading and self._room > 0:
            self._room -= len(str(notes))
            self.notes.append(notes)

    def lines(self, viewer: int | None) -> list[dict[str, Any]]:
        """Return the latest notes for a page, the newest turn first; ``viewer``: of which player, None for both."""
        shown = [notes for notes in self.notes if viewer in (None, notes.player)]
        return [notes._asdict() for notes in reversed(shown[-_SHOWN:])]

    def marks(self, turn: int, viewer: int | None, index: Mapping[int, int]) -> list[dict[str, Any]]:
        """Return each player's marks of its last turn up to ``turn``; ``index``: of planets by id."""
        found: dict[int, TurnNotes] = {}
        for notes in self.notes:
            if notes.turn in (turn, turn - 1) and viewer in (None, notes.player):
                found[notes.player] = notes
        return [
            {"planet": index[planet], "text": text, "player": player}
            for player, notes in found.items()
            for planet, text in notes.marks
            if planet in index
        ]

    def seconds(self, viewer: int | None) -> list[float]:
        """Return the seconds of both players' last turns, 0 where they are not told."""
        return [
            round(self.latest[player].seconds, 4) if player in self.latest and viewer in (None, player) else 0.0
            for player in (1, 2)
        ]


class LiveGame(PersonOrders):
    """A game between people and strategies.

    ``game``: the true state; ``orders``: a person's moves, which wait for the end of the turn; ``standing``: orders of
    every turn; ``moves``: of every turn so far; ``counts``: of both players' moves; ``news``: what happened, as each
    player saw it; ``memory``: what each was shown last of every planet; ``console``: what strategies said, printed and did
    wrong; ``edited``: a sentence on strategies whose files were edited since the game began; ``forfeit``: how the game ended,
    where somebody gave up or a strategy failed. Call `begin` first.
    `begin`, `strategy_moves` and `close` may take long and must not run at the same time; everything else returns at once.
    """

    def __init__(self, setup: GameSetup) -> None:
        super().__init__(setup, Game(setup.graph, setup.rules, setup.max_turns))
        self.moves: list[tuple[Move, ...]] = []
        self.console = Console()
        self.forfeit: Forfeit | None = None
        self.edited = ""
        self.counts = [NO_MOVES, NO_MOVES]
        self.news = News(setup.rules)
        self.memory = FogMemory()
        self._players: list[GamePlayer | None] = [None, None]
        self._watch = EditWatch()
        self._unsaid = ""
        self._notes: TurnNotes | None = None
        self._abort_reason = ""
        for moves in setup.moves:
            self._play(moves)

    def begin(self) -> None:
        """Load and begin the strategies. ValueError if one cannot play on this graph; one that fails by itself has lost."""
        for side, name in enumerate(self.setup.players):
            if name != PERSON and not self.over:
                self._players[side] = player = open_player(
                    contestant_of(name), ResourceLimits(unsafe=self.setup.unsafe)
                )
                self._watch.add(contestant_of(name))
                try:
                    player.begin(self.game, side + 1, self.setup.seed + side)
                except ForfeitError as fault:
                    self._lose(side + 1, fault)
                if isinstance(player, Isolated):
                    self._keep(player.notes(0)._replace(player=side + 1))
        self.setup = replace(self.setup, names=self._names())

    def _names(self) -> tuple[str, str]:
        """The names of both players, as strategies give them themselves once they are loaded."""
        names = list(self.setup.names)
        named = {
            side: contestant_of(self.setup.players[side])._replace(name=player.name)
            for side, player in enumerate(self._players)
            if isinstance(player, Isolated)
        }
        for side, one in zip(named, distinct_names(list(named.values())), strict=True):
            names[side] = one.name
        return names[0], names[1]

    def close(self) -> None:
        """End the processes of strategies from files."""
        for player in self._players:
            if player is not None:
                player.close()

    @property
    def over(self) -> bool:
        """Whether the game has ended: by the rules, the turn limit, a forfeit, or because somebody gave up."""
        return self.game.over or bool(self._abort_reason)

    @property
    def has_isolated(self) -> bool:
        """Whether a strategy from a file plays, which may print and mark."""
        return any(isinstance(player, Isolated) for player in self._players)

    @property
    def person_to_move(self) -> bool:
        """Whether the game waits for a person."""
        return not self.over and self.setup.persons[self.game.player - 1]

    @property
    def status(self) -> str:
        """The player to move, or the result, in words."""
        return self._abort_reason or game_status(self.game, self.setup.names)

    def check_person(self) -> None:
        """Raise MoveError if no person is to move."""
        if not self.person_to_move:
            raise MoveError(f"no person is to move: {self.status}")

    def end_turn(self) -> None:
        """Carry out the orders and end the turn. MoveError if no person is to move."""
        self.check_person()
        self._play(self.orders)

    def strategy_moves(self) -> Sequence[Move] | None:
        """Ask the strategy to move for its moves; None if it forfeits the game."""
        player = self._players[self.game.player - 1]
        assert player is not None
        turn, self.edited = self.game.turn, self._watch.edited()
        try:
            moves = player.moves(self.game)
        except ForfeitError as fault:
            self._lose(self.game.player, fault)
        except Exception as fault:  # of a bot or an agent: the page shows it, and people may begin another game
            self.abort(f"{self.setup.names[self.game.player - 1]} has failed: {type(fault).__name__}: {fault}")
            return None
        else:
            self._notes = player.notes(turn)
            return moves
        self._keep(player.notes(turn))
        return None

    def carry_out(self, moves: Sequence[Move] | None) -> None:
        """Play the answer of `strategy_moves`; a game that has ended meanwhile stays as it is."""
        if moves is not None and not self.over:
            side, before, notes = self.game.player - 1, self.counts[self.game.player - 1].dropped, self._notes
            self._play(moves)
            if notes is not None:
                self._keep(notes._replace(dropped=self.counts[side].dropped - before))

    def give_up(self, loser: int = 0) -> None:
        """End the game here; a person loses it: ``loser``, else the one to move. MoveError if it is over."""
        if self.over:
            raise MoveError(f"the game is over: {self.status}")
        reason = "stopped"
        if any(self.setup.persons):
            loser = loser or (self.game.player if all(self.setup.persons) else 1 + self.setup.persons.index(True))
            self.forfeit = Forfeit(loser, "gave up")
            reason = f"{self.setup.names[loser - 1]} has given up"
        self.abort(reason)

    def abort(self, reason: str) -> None:
        """End the game here for a reason outside the rules."""
        self._abort_reason, self.orders = reason, []

    @property
    def winner(self) -> int:
        """The winner (1, 2) by the rules or by a forfeit, else 0."""
        return 3 - self.forfeit.player if self.forfeit and self.forfeit.player else self.game.winner

    @property
    def fault_text(self) -> str:
        """The text of the fault by which a strategy lost the game, empty if none did."""
        faults = [notes.fault for notes in self.console.notes if notes.fault]
        return faults[-1] if self.forfeit and faults else ""

    def replay(self, console: bool = False) -> Replay:
        """Return the game so far as a replay; ``console``: with the strategies' notes.

        MoveError while people play it: the replay would show what the fog hides.
        """
        if any(self.setup.persons) and not self.over:
            raise MoveError("the game is not over, and its replay would show what the fog hides: finish it or give up")
        setup = self.setup
        made = Replay.of(setup.graph, setup.rules, setup.names, setup.seed, setup.max_turns, self.moves, self.forfeit)
        return replace(made, console=tuple(self.console.notes)) if console else made

    def state(self, viewer: int | None) -> dict[str, Any]:
        """Return the same as data for a page: `state_data` with the orders as shuttles about to leave."""
        view = self.view(viewer)
        own = self.orders if viewer == self.game.player else []
        leaving = departures(self.game, known_orders(own, view, viewer, self.game.player))
        return state_data(view, self.setup.rules.turns_per_weight, leaving)

    def _play(self, moves: Sequence[Move]) -> None:
        self.orders = list(moves)
        for viewer in (1, 2):
            # Of two people, only the one to move looks at the page.
            if viewer == self.game.player or not all(self.setup.persons):
                self.memory.see(self.view(viewer))
        self.moves.append(tuple(moves))
        self.orders = []
        side = self.game.player - 1
        self.news.before(self.game, self.moves[-1])
        self.counts[side] = total(self.counts[side], play_counted(self.game, self.moves[-1])[1])
        self.news.after(self.game, self.setup.names)
        if self.person_to_move:
            self.orders = self.standing.begin_turn(self.view(self.game.player))

    def take_printed(self) -> str:
        """Return what strategies printed since the last call."""
        text, self._unsaid = self._unsaid, ""
        return text

    def describe_moves(self) -> list[str]:
        """Return one sentence per strategy on its moves."""
        known = zip(self.counts, self.setup.names, self.setup.persons, strict=True)
        return [counts.describe(name) for counts, name, person in known if counts.sent and not person]

    def _keep(self, notes: TurnNotes) -> None:
        self.console.add(notes)
        self._unsaid = (self._unsaid + notes.printed)[-LONGEST_PRINT:]

    def _lose(self, player: int, fault: ForfeitError) -> None:
        """End the game by a strategy's fault: the other player has won it."""
        names, reason = self.setup.names, str(fault).rpartition(": ")[2]
        self.forfeit = Forfeit(player, reason)
        turn = self.game.turn
        self.abort(f"{names[2 - player]} has won: {names[player - 1]} forfeited on turn {turn} ({reason})")
