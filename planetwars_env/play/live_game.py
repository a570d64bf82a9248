"""Game with people in it: takes their moves, asks strategies for theirs, and shows each player its view."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from planetwars_env.arena.contestants import contestant_of, distinct_names
from planetwars_env.arena.isolation import ForfeitError, ResourceLimits
from planetwars_env.arena.players import GamePlayer, IsolatedPlayer, open_player
from planetwars_env.game import Game
from planetwars_env.move_counts import NO_MOVES, play_counted
from planetwars_env.play.edit_watch import EditWatch
from planetwars_env.play.news import News
from planetwars_env.play.setup import PERSON, GameSetup
from planetwars_env.render.frames import state_data
from planetwars_env.render.scene import departures, known_orders
from planetwars_env.render.text import game_status, view_of
from planetwars_env.replay import Replay
from planetwars_env.view import Move, View

_PRINTED = 4_000
"""Characters of what strategies print that are shown."""


class MoveError(ValueError):
    """An action that is not possible now; the message gives the reason."""


class LiveGame:
    """A game between people and strategies.

    ``game``: the true state; ``orders``: a person's moves, which wait for the end of the turn; ``fault_text``: the full
    text of the fault by which a strategy forfeited; ``printed``: the end of what strategies printed; ``edited``: a sentence
    on strategies whose files were edited since the game began; ``counts``: of both players' moves; ``news``: what happened, as
    each player saw it. Call `begin` first.
    `begin`, `strategy_moves` and `close` may take long and must not run at the same time; everything else returns at once.
    """

    def __init__(self, setup: GameSetup) -> None:
        self.setup = setup
        self.game = Game(setup.graph, setup.rules, setup.max_turns)
        self.orders: list[Move] = []
        self.fault_text = ""
        self.printed = ""
        self.edited = ""
        self.counts = [NO_MOVES, NO_MOVES]
        self.news = News()
        self._players: list[GamePlayer | None] = [None, None]
        self._watch = EditWatch()
        self._unsaid = ""
        self._moves: list[tuple[Move, ...]] = []
        self._abort_reason = ""

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
                    self._forfeit(fault, player)
                self._note_printed(side)
        self.setup = replace(self.setup, names=self._names())

    def _names(self) -> tuple[str, str]:
        """The names of both players, as strategies give them themselves once they are loaded."""
        names = list(self.setup.names)
        named = {
            side: contestant_of(self.setup.players[side])._replace(name=player.isolated.name)
            for side, player in enumerate(self._players)
            if isinstance(player, IsolatedPlayer)
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
    def person_to_move(self) -> bool:
        """Whether the game waits for a person."""
        return not self.over and self.setup.persons[self.game.player - 1]

    @property
    def status(self) -> str:
        """The player to move, or the result, in words."""
        return self._abort_reason or game_status(self.game, self.setup.names)

    def order(self, move: Move) -> None:
        """Add a move to this turn. MoveError if it is not possible; then nothing is added."""
        fault = self._fault_in(move)
        if fault:
            raise MoveError(fault)
        self.orders.append(move)

    def undo(self, order: int = -1) -> None:
        """Take an order of this turn back, by its place in `orders`; by default the last one. MoveError if there is none."""
        if not self.orders:
            raise MoveError("there is no move to take back on this turn")
        if not -1 <= order < len(self.orders):
            raise MoveError(f"this turn has {len(self.orders)} moves, so there is none with the number {order + 1}")
        del self.orders[order]

    def end_turn(self) -> None:
        """Carry out the orders and end the turn. MoveError if no person is to move."""
        if not self.person_to_move:
            raise MoveError(f"no person is to move: {self.status}")
        self._play(self.orders)

    def strategy_moves(self) -> Sequence[Move] | None:
        """Ask the strategy to move for its moves; None if it forfeits the game."""
        player = self._players[self.game.player - 1]
        assert player is not None
        side, self.edited = self.game.player - 1, self._watch.edited()
        try:
            return player.moves(self.game)
        except ForfeitError as fault:
            self._forfeit(fault, player)
        except Exception as fault:  # of a bot or an agent: the page shows it, and people may begin another game
            self.abort(f"{self.setup.names[self.game.player - 1]} has failed: {type(fault).__name__}: {fault}")
        finally:
            self._note_printed(side)
        return None

    def carry_out(self, moves: Sequence[Move] | None) -> None:
        """Play the answer of `strategy_moves`; a game that has ended meanwhile stays as it is."""
        if moves is not None and not self.over:
            self._play(moves)

    def give_up(self) -> None:
        """End the game here. MoveError if it is over."""
        if self.over:
            raise MoveError(f"the game is over: {self.status}")
        name = self.setup.names[self.game.player - 1] if all(self.setup.persons) else "human"
        self.abort(f"{name} has given up" if any(self.setup.persons) else "stopped")

    def abort(self, reason: str) -> None:
        """End the game here for a reason outside the rules."""
        self._abort_reason, self.orders = reason, []

    def replay(self) -> Replay:
        """Return the game so far as a replay. MoveError while people play it: the replay would show what the fog hides."""
        if any(self.setup.persons) and not self.over:
            raise MoveError("the game is not over, and its replay would show what the fog hides: finish it or give up")
        setup = self.setup
        return Replay.of(setup.graph, setup.rules, setup.names, setup.seed, setup.max_turns, self._moves)

    def view(self, viewer: int | None) -> View:
        """Return the view of ``viewer`` (1, 2; None: without fog), with its orders already taken off their planets.

        A planet that everybody leaves is neutral (R8).
        """
        view = view_of(self.game, viewer)
        if not self.orders or viewer != self.game.player:
            return view
        after = self.game.copy()
        after.submit(self.orders)
        planets = zip(view.planets, view_of(after, None).planets, strict=True)
        return replace(view, planets=tuple(now if planet.visible else planet for planet, now in planets))

    def state(self, viewer: int | None) -> dict[str, Any]:
        """Return the same as data for a page: `state_data` with the orders as shuttles about to leave."""
        view = self.view(viewer)
        own = self.orders if viewer == self.game.player else []
        leaving = departures(self.game, known_orders(own, view, viewer, self.game.player))
        return state_data(view, self.setup.rules.turns_per_weight, leaving)

    @property
    def may_look_back(self) -> bool:
        """Whether earlier turns may be shown without fog: when no person plays any more."""
        return self.over or not any(self.setup.persons)

    def past(self, turn: int, viewer: int | None) -> dict[str, Any]:
        """Return `state` as it was on an earlier turn. MoveError for a turn that was not played, and while people play."""
        if not self.may_look_back:
            raise MoveError("the game is not over, and its turns would show what the fog hides")
        if not 1 <= turn <= self.game.turn:
            raise MoveError(f"the game has turns 1 to {self.game.turn}, not {turn}")
        game = Game(self.setup.graph, self.setup.rules, self.setup.max_turns)
        for moves in self._moves[: turn - 1]:
            game.play(moves)
        view, moves = view_of(game, viewer), self._moves[turn - 1 : turn]
        orders = known_orders(moves[0] if moves else (), view, viewer, game.player)
        return state_data(view, self.setup.rules.turns_per_weight, departures(game, orders))

    def _play(self, moves: Sequence[Move]) -> None:
        self._moves.append(tuple(moves))
        self.orders = []
        side = self.game.player - 1
        self.news.before(self.game, self._moves[-1])
        self.counts[side] = self.counts[side].plus(play_counted(self.game, self._moves[-1])[1])
        self.news.after(self.game, self.setup.names)

    def take_printed(self) -> str:
        """Return what strategies printed since the last call."""
        text, self._unsaid = self._unsaid, ""
        return text

    def describe_moves(self) -> list[str]:
        """Return one sentence per strategy on its moves."""
        known = zip(self.counts, self.setup.names, self.setup.persons, strict=True)
        return [counts.describe(name) for counts, name, person in known if counts.sent and not person]

    def _note_printed(self, side: int) -> None:
        player = self._players[side]
        if isinstance(player, IsolatedPlayer) and (text := player.isolated.take_printed()):
            self.printed = (self.printed + text)[-_PRINTED:]
            self._unsaid = (self._unsaid + text)[-_PRINTED:]

    def _forfeit(self, fault: ForfeitError, player: GamePlayer) -> None:
        self.fault_text = player.faults[-1].text
        self.abort(str(fault))

    def _fault_in(self, move: Move) -> str:
        """The reason why the person to move cannot make this move, empty if it can. It uses only what the view shows."""
        if not self.person_to_move:
            return f"no person is to move: {self.status}"
        view = self.view(self.game.player)
        ways = {(edge.a, edge.b) for edge in view.edges}
        if (move.source, move.destination) not in ways and (move.destination, move.source) not in ways:
            return f"no edge joins {move.source} and {move.destination}"
        if move.people < 1:
            return f"a move needs at least one person, not {move.people}"
        planet = view.planet(move.source)
        if not planet.visible and self.setup.rules.coexistence:
            return ""  # R8: from memory, and it may come to nothing
        left = view.my_people(planet)
        if move.people <= left:
            return ""
        if left:
            return f"planet {planet.id} has only {left} people left, not {move.people}"
        if any(order.source == planet.id for order in self.orders):
            return f"nobody is left on planet {planet.id}"
        return f"planet {planet.id} is not yours"
