"""One match with people in it: it holds the truth, takes their moves, lets strategies think, and shows what may be seen."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.isolation import ForfeitError, ResourceLimits
from planetwars_env.arena.players import GamePlayer, open_player
from planetwars_env.game import Game
from planetwars_env.play.setup import PERSON, Setup
from planetwars_env.render.frames import state_data
from planetwars_env.render.scene import departures
from planetwars_env.render.text import standing, view_of
from planetwars_env.replay import Replay
from planetwars_env.view import Move, View


class MoveError(ValueError):
    """A move that cannot be made, with the reason for people."""


class Match:
    """``game`` is the truth. A person's ``orders`` wait for the end of the turn; strategies think in `think`.
    ``trouble``: what a strategy that forfeited did wrong, at length.

    `begin` comes first. It, `think` and `close` may take long and must not run at the same time; all else returns at once.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game = Game(setup.graph, setup.rules, setup.max_turns)
        self.orders: list[Move] = []
        self.trouble = ""
        self._seats: list[GamePlayer | None] = [None, None]
        self._moves: list[tuple[Move, ...]] = []
        self._broken_off = ""

    def begin(self) -> None:
        """Load and begin the strategies. ValueError where one cannot play here; one that fails by itself has lost."""
        for side, name in enumerate(self.setup.players):
            if name != PERSON and not self.over:
                self._seats[side] = seat = open_player(contestant_of(name), ResourceLimits(unsafe=self.setup.unsafe))
                try:
                    seat.begin(self.game, side + 1, self.setup.seed + side)
                except ForfeitError as fault:
                    self._forfeit(fault, seat)

    def close(self) -> None:
        """End the processes of foreign strategies."""
        for seat in self._seats:
            if seat is not None:
                seat.close()

    @property
    def over(self) -> bool:
        """By the rules, the limit, a forfeit, or because somebody gave up."""
        return self.game.over or bool(self._broken_off)

    @property
    def person_to_move(self) -> bool:
        """Whether the game waits for a person."""
        return not self.over and self.setup.persons[self.game.player - 1]

    @property
    def standing(self) -> str:
        """Who is to move, or how it ended."""
        return self._broken_off or standing(self.game, self.setup.names)

    def order(self, move: Move) -> None:
        """Add a move to this turn; MoveError, and nothing is added, where it cannot be made."""
        fault = self._fault_in(move)
        if fault:
            raise MoveError(fault)
        self.orders.append(move)

    def undo(self) -> None:
        """Take the last order back; MoveError where there is none."""
        if not self.orders:
            raise MoveError("there is no move to take back on this turn")
        self.orders.pop()

    def end_turn(self) -> None:
        """Carry the orders out; time passes. MoveError where no person is to move."""
        if not self.person_to_move:
            raise MoveError(f"no person is to move: {self.standing}")
        self._play(self.orders)

    def think(self) -> Sequence[Move] | None:
        """What the strategy to move does; None where it forfeits the game."""
        seat = self._seats[self.game.player - 1]
        assert seat is not None
        try:
            return seat.moves(self.game)
        except ForfeitError as fault:
            self._forfeit(fault, seat)
        except Exception as fault:  # of a bot or an agent: people at the table are told, and may begin another game
            self.break_off(f"{self.setup.names[self.game.player - 1]} has failed: {type(fault).__name__}: {fault}")
        return None

    def carry_out(self, moves: Sequence[Move] | None) -> None:
        """The answer of `think`; nothing happens to a game that has ended meanwhile."""
        if moves is not None and not self.over:
            self._play(moves)

    def give_up(self) -> None:
        """End the game here; MoveError where it is over."""
        if self.over:
            raise MoveError(f"the game is over: {self.standing}")
        who = self.setup.names[self.game.player - 1] if all(self.setup.persons) else "human"
        self.break_off(f"{who} has given up" if any(self.setup.persons) else "stopped")

    def break_off(self, why: str) -> None:
        """End the game here, for a reason outside the rules."""
        self._broken_off, self.orders = why, []

    def replay(self) -> Replay:
        """The game as far as it was played. MoveError while it goes on with people in it: it would show them everything."""
        if any(self.setup.persons) and not self.over:
            raise MoveError("the game is not over, and its replay would show what the fog hides: finish it or give up")
        setup = self.setup
        return Replay.of(setup.graph, setup.rules, setup.names, setup.seed, setup.max_turns, self._moves)

    def view(self, viewer: int | None) -> View:
        """What ``viewer`` (1, 2; None: without fog) sees, its own orders taken off the planets they leave from.

        A planet that everybody leaves is nobody's (R8).
        """
        view = view_of(self.game, viewer)
        if not self.orders or viewer != self.game.player:
            return view
        after = self.game.copy()
        after.submit(self.orders)
        planets = zip(view.planets, view_of(after, None).planets, strict=True)
        return replace(view, planets=tuple(now if planet.visible else planet for planet, now in planets))

    def state(self, viewer: int | None) -> dict[str, Any]:
        """The same for a page: `state_data` with the orders as shuttles about to leave."""
        view = self.view(viewer)
        own = self.orders if viewer == self.game.player else []
        # What leaves a planet that is not seen is not shown: whether it can leave is hidden.
        seen = {planet.id for planet in view.planets if planet.visible}
        leaving = departures(self.game, [move for move in own if move.source in seen])
        return state_data(view, self.setup.rules.turns_per_weight, leaving)

    def _play(self, moves: Sequence[Move]) -> None:
        self._moves.append(tuple(moves))
        self.orders = []
        self.game.play(self._moves[-1])

    def _forfeit(self, fault: ForfeitError, seat: GamePlayer) -> None:
        self.trouble = seat.faults[-1].text
        self.break_off(str(fault))

    def _fault_in(self, move: Move) -> str:
        """Why the person to move cannot make this move, nothing where it can. It tells no more than the view does."""
        if not self.person_to_move:
            return f"no person is to move: {self.standing}"
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
