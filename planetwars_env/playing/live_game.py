"""Game with people in it: takes their moves, asks strategies for theirs, and shows each player its view."""

import time
from collections.abc import Sequence
from dataclasses import replace

from planetwars_env.arena.contestants import distinct_names, fingerprint_player
from planetwars_env.arena.games import GamePlayer, open_player
from planetwars_env.arena.isolation import ForfeitError, Isolated, ResourceLimits
from planetwars_env.bots.catalogue import Kind, Player
from planetwars_env.bots.notes import TurnNotes
from planetwars_env.game import Game
from planetwars_env.language.replies import parse_moves
from planetwars_env.move_counts import play_counted
from planetwars_env.playing.setup import PERSON, GameSetup, player_of
from planetwars_env.render.text import game_status, view_of
from planetwars_env.replay import Forfeit, Replay
from planetwars_env.view import Move, View

_SECONDS = 1.0
"""Time between two looks at the files of strategies."""
_MOST_TEXT = 2_000_000
"""Characters that are kept of the notes of a whole game; later notes are dropped."""


class LiveGame:
    """A game between people and strategies. Call `begin` first. What is not possible now is a ValueError with the reason.

    ``game``: the true state; ``orders``: a person's moves, which wait for the end of the turn; ``moves``: of every turn so
    far; ``notes``: what strategies said, printed and did wrong, in order; ``latest``: time and notes of each player's last
    turn; ``files``: strategies from files by their side (0, 1), with their fingerprints when the game began; ``edited``: a
    sentence on those that were edited since then; ``forfeit``: how the game ended, where somebody gave up or a strategy
    failed; ``reason``: why it ended outside the rules. `begin`, `strategy_moves` and `close` may take long and must not run
    at the same time; everything else returns at once.
    """

    def __init__(self, setup: GameSetup) -> None:
        self.setup = setup
        self.game = Game(setup.graph, setup.rules, setup.max_turns)
        self.orders: list[Move] = []
        self.moves: list[tuple[Move, ...]] = []
        self.notes: list[TurnNotes] = []
        self.latest: dict[int, TurnNotes] = {}
        self.files: dict[int, tuple[Player, str]] = {}
        self.forfeit: Forfeit | None = None
        self.edited = self.reason = ""
        self._players: list[GamePlayer | None] = [None, None]
        self._looked, self._room = 0.0, _MOST_TEXT
        self._unplayed: TurnNotes | None = None
        for turn, moves in enumerate(setup.moves, 1):
            if self.game.over:
                raise ValueError(f"the game is over on turn {turn}, but it has {len(setup.moves)} turns of moves")
            self._play(moves)

    def begin(self) -> None:
        """Load and begin the strategies. ValueError if one cannot play on this graph; one that fails by itself has lost.

        In a game that goes on from earlier turns, each is shown what it saw then, and its answers are dropped. A language
        model is not asked again.
        """
        loaded = []
        for side, name in enumerate(self.setup.players):
            if name != PERSON and not self.over:
                chosen = player_of(name)
                self._players[side] = player = open_player(chosen, ResourceLimits(unsafe=self.setup.unsafe))
                if isinstance(player, Isolated):
                    self.files[side] = chosen, _fingerprint(chosen)
                game = Game(self.setup.graph, self.setup.rules, self.setup.max_turns)
                try:
                    player.begin(game, side + 1, self.setup.seed + side)
                    if isinstance(player, Isolated):
                        self._keep(player.notes(0)._replace(player=side + 1))
                    for moves in () if chosen.kind is Kind.LANGUAGE_MODEL else self.moves:
                        if game.player == side + 1:
                            player.moves(game)
                            player.notes(game.turn)
                        game.play(moves)
                except ForfeitError as fault:
                    self._lose(side + 1, fault)
                    self._keep(player.notes(0)._replace(player=side + 1))
                if isinstance(player, Isolated):  # it names itself once it is loaded
                    loaded.append(chosen._replace(name=player.name))
        own = zip(self.files, distinct_names(loaded), strict=True)
        names = dict(enumerate(self.setup.names)) | {side: player.name for side, player in own}
        self.setup = replace(self.setup, names=(names[0], names[1]))

    def close(self) -> None:
        """End the processes of strategies from files."""
        for player in self._players:
            if player is not None:
                player.close()

    @property
    def over(self) -> bool:
        """Whether the game has ended: by the rules, the turn limit, a forfeit, or because somebody gave up."""
        return self.game.over or bool(self.reason)

    @property
    def person_to_move(self) -> bool:
        """Whether the game waits for a person."""
        return not self.over and self.setup.persons[self.game.player - 1]

    @property
    def strategy_to_move(self) -> bool:
        """Whether the game waits for a strategy."""
        return not self.over and not self.setup.persons[self.game.player - 1]

    @property
    def status(self) -> str:
        """The player to move, or the result, in words."""
        return self.reason or game_status(self.game, self.setup.names)

    def order(self, moves: str) -> list[str]:
        """Add the legal moves of a text (`parse_moves`) to this turn; return what is wrong with the others."""
        self._check_person()
        found = parse_moves(moves, self.view(self.game.player), self.setup.rules)
        self.orders += found.moves
        return found.problems

    def last_moves(self, player: int) -> tuple[Move, ...]:
        """Return the moves of the last turn of a player (1, 2)."""
        return ((), *self.moves[player - 1 :: 2])[-1]

    def before_last_turn(self) -> GameSetup:
        """Return the game as it was before the last turn of the only person."""
        if sum(self.setup.persons) != 1:
            raise ValueError("a turn is taken back in games of one person against a strategy only")
        own = range(self.setup.persons.index(True), len(self.moves), 2)
        if not own:
            raise ValueError("there is no turn to take back")
        return replace(self.setup, moves=tuple(self.moves[: own[-1]]))

    def view(self, player: int) -> View:
        """Return the view of a player, with its orders already taken off their planets.

        A planet that everybody leaves is neutral (R8).
        """
        view = self.game.view(player)
        if not self.orders or player != self.game.player:
            return view
        after = self.game.copy()
        after.submit(self.orders)
        planets = zip(view.planets, view_of(after, None).planets, strict=True)
        return replace(view, planets=tuple(now if planet.visible else planet for planet, now in planets))

    def end_turn(self) -> None:
        """Carry out the orders and end the turn of a person."""
        self._check_person()
        self._play(self.orders)

    def strategy_moves(self) -> Sequence[Move] | None:
        """Ask the strategy to move for its moves; None if it forfeits the game."""
        player, turn = self._players[self.game.player - 1], self.game.turn
        assert player is not None
        if self.files and time.monotonic() - self._looked > _SECONDS:
            edited = [chosen.name for chosen, known in self.files.values() if _fingerprint(chosen) != known]
            self.edited = (
                f"{' and '.join(edited)}: edited; the next game is played with the new version" if edited else ""
            )
            self._looked = time.monotonic()
        try:
            moves = player.moves(self.game)
        except ForfeitError as fault:
            self._lose(self.game.player, fault)
            self._keep(player.notes(turn))
            return None
        except Exception as fault:  # of a bot or an agent: the page shows it, and people may begin another game
            self.abort(f"{self.setup.names[self.game.player - 1]} has failed: {type(fault).__name__}: {fault}")
            return None
        self._unplayed = player.notes(turn)
        return moves

    def carry_out(self, moves: Sequence[Move] | None) -> None:
        """Play the answer of `strategy_moves`; a game that has ended meanwhile stays as it is."""
        if moves is not None and not self.over:
            dropped = self._play(moves)
            if self._unplayed is not None:
                self._keep(self._unplayed._replace(dropped=dropped))

    def give_up(self, loser: int = 0) -> None:
        """End the game here; a person loses it: ``loser`` (1, 2), else the one to move."""
        if self.over:
            raise ValueError(f"the game is over: {self.status}")
        reason = "stopped"
        if any(self.setup.persons):
            self.forfeit = Forfeit(loser or self.game.player, "gave up")
            reason = f"{self.setup.names[self.forfeit.player - 1]} has given up"
        self.abort(reason)

    def abort(self, reason: str) -> None:
        """End the game here for a reason outside the rules."""
        self.reason, self.orders = reason, []

    @property
    def winner(self) -> int:
        """The winner (1, 2) by the rules or by a forfeit, else 0."""
        return 3 - self.forfeit.player if self.forfeit and self.forfeit.player else self.game.winner

    @property
    def fault_text(self) -> str:
        """The text of the fault by which a strategy lost the game, empty if none did."""
        faults = [notes.fault for notes in self.notes if notes.fault]
        return faults[-1] if self.forfeit and faults else ""

    def replay(self, console: bool = False) -> Replay:
        """Return the game so far as a replay; ``console``: with the strategies' notes.

        ValueError while people play it: the replay would show what the fog hides.
        """
        if any(self.setup.persons) and not self.over:
            raise ValueError("the game is not over, and its replay would show what the fog hides: finish it or give up")
        setup = self.setup
        made = Replay.of(setup.graph, setup.rules, setup.names, setup.seed, setup.max_turns, self.moves, self.forfeit)
        return replace(made, console=tuple(self.notes)) if console else made

    def _check_person(self) -> None:
        if not self.person_to_move:
            raise ValueError(f"no person is to move: {self.status}")

    def _play(self, moves: Sequence[Move]) -> int:
        """Play a turn; return the number of illegal moves."""
        self.moves.append(tuple(moves))
        self.orders = []
        return play_counted(self.game, self.moves[-1])[1].dropped

    def _keep(self, notes: TurnNotes) -> None:
        """Keep the notes of a turn; turns without any only tell their time."""
        self.latest[notes.player] = notes
        if notes.worth_reading and self._room > 0:
            self._room -= len(str(notes))
            self.notes.append(notes)

    def _lose(self, player: int, fault: ForfeitError) -> None:
        """End the game by a strategy's fault: the other player has won it."""
        names, reason = self.setup.names, str(fault).rpartition(": ")[2]
        self.forfeit = Forfeit(player, reason)
        self.abort(f"{names[2 - player]} has won: {names[player - 1]} forfeited on turn {self.game.turn} ({reason})")


def _fingerprint(player: Player) -> str:
    """Return the fingerprint of a strategy's files, empty while they cannot be read."""
    try:
        return fingerprint_player(player)
    except (OSError, ValueError):
        return ""
