"""Where people meet a match: it shows their pages what they may see, obeys their messages and lets strategies move."""

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from planetwars_env.play.match import Match, MoveError
from planetwars_env.play.messages import MessageError, read_message
from planetwars_env.play.setup import FASTEST, Setup, make_setup
from planetwars_env.render.frames import board_data
from planetwars_env.view import Move

FAULTS = ValueError, ImportError, OSError
"""What people cause: senseless messages and moves, names that stand for nothing, libraries that are not installed."""


class Page(Protocol):
    """Somebody who watches."""

    async def send_text(self, data: str) -> None:
        """One message, JSON."""


class Table:
    """One match at a time and the pages that show it, all of them the same. Strategies wait while nobody watches.

    Messages to a page are objects with ``kind``: "game" (board and names of a new game), "state" (`_state`), "fault" (text).
    """

    def __init__(self, setup: Setup, speed: int) -> None:
        self.pages: set[Page] = set()
        self.match = Match(setup)
        self._speed = speed
        self._paused = False
        self._steps = 0
        self._fog = 0
        self._uncovered = 0
        self._thinker = ThreadPoolExecutor(1)
        self._changed = asyncio.Event()
        self._hearing = asyncio.Lock()
        # No page gets the state of a game before its board.
        self._telling = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin the first game; where a player cannot play on its board, the page says so and offers another one."""
        try:
            await self._in_thread(self.match.begin)
        except FAULTS as fault:
            self.match.break_off(str(fault))
        self._task = asyncio.create_task(self._go_on())

    async def close(self) -> None:
        """End the game and all that belongs to it."""
        if self._task is not None:
            self._task.cancel()
        await self._in_thread(self.match.close)
        self._thinker.shutdown(wait=False)

    async def welcome(self, page: Page) -> None:
        """Show the game to one page more."""
        async with self._telling:
            await page.send_text(self._game())
            await page.send_text(self._state())
            self.pages.add(page)
        self._changed.set()

    async def hear(self, page: Page, text: str) -> None:
        """Do what a page says, or tell it why not; messages are heard one by one."""
        async with self._hearing:
            try:
                await self._obey(read_message(text))
            except FAULTS as fault:
                await page.send_text(json.dumps({"kind": "fault", "text": str(fault)}))
                return
            await self._show()
            self._changed.set()

    async def _obey(self, message: dict[str, Any]) -> None:
        match message:
            case {"do": "new"}:
                await self._begin(message)
            case {"do": "order" | "undo" | "end" | "ready", "turn": turn}:
                self._act(message, turn)
            case {"do": "give up"}:
                self.match.give_up()
            case {"do": "pause", "on": on}:
                self._paused = on
            case {"do": "step"}:
                self._steps = 1
            case {"do": "speed", "turns": turns}:
                self._speed = _within(turns, 1, FASTEST, "turns")
            case {"do": "fog", "viewer": viewer}:
                self._fog = _within(viewer, 0, 2, "viewer")

    def _act(self, message: dict[str, Any], turn: int) -> None:
        """What a player does. A page that shows an older turn, or none behind its curtain, cannot mean this one."""
        match, doing = self.match, message["do"]
        if turn != match.game.turn:
            raise MoveError(f"this is turn {match.game.turn}, not {turn}")
        if doing == "ready":
            self._uncovered = match.game.player
        elif self._curtain():
            raise MoveError(f"{match.setup.names[match.game.player - 1]} has not yet taken the seat")
        elif doing == "order":
            match.order(Move(*message["move"]))
        elif doing == "undo":
            match.undo()
        else:
            match.end_turn()
            self._uncovered = 0

    async def _begin(self, message: dict[str, Any]) -> None:
        """A new game in the place of this one, which goes on where the new one cannot begin."""
        first, second = message["players"]
        arguments = (first, second), message["graph"], message["rules"], message["seed"], message["max_turns"]
        unsafe = self.match.setup.unsafe
        match = Match(await self._in_thread(lambda: make_setup(*arguments, unsafe)))
        try:
            await self._in_thread(match.begin)
        except BaseException:
            await self._in_thread(match.close)
            raise
        old, self.match = self.match, match
        self._uncovered = self._steps = self._fog = 0
        self._paused = False
        await self._tell(self._game())
        await self._in_thread(old.close)

    async def _go_on(self) -> None:
        """Strategies' turns, one by one, for as long as the table stands."""
        while True:
            if not self._strategy_may_move():
                self._changed.clear()
                await self._changed.wait()
                continue
            self._steps = 0
            match = self.match
            await asyncio.sleep(1 / self._speed)
            if match is self.match:
                match.carry_out(await self._in_thread(lambda match=match: _thought(match)))
                await self._show()

    def _strategy_may_move(self) -> bool:
        match = self.match
        going = self._steps or not self._paused
        return bool(self.pages and going and not match.over and not match.person_to_move)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        """Whatever belongs to matches and takes long, one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._thinker, work)

    async def _show(self) -> None:
        await self._tell(self._state())

    async def _tell(self, text: str) -> None:
        async with self._telling:
            for page in list(self.pages):
                try:
                    await page.send_text(text)
                except Exception:  # whatever a lost connection raises: the page is gone, the game goes on
                    self.pages.discard(page)

    def _game(self) -> str:
        setup = self.match.setup
        game = {
            "kind": "game",
            "board": board_data(setup.graph),
            "players": setup.players,
            "names": setup.names,
            "rules": setup.rules.name,
            "coexistence": setup.rules.coexistence,
            "turns_per_weight": setup.rules.turns_per_weight,
            "max_turns": setup.max_turns,
        }
        return json.dumps(game)

    def _state(self) -> str:
        """What may be seen now and nothing else; behind the curtain no board at all."""
        match, curtain = self.match, self._curtain()
        viewer = self._viewer()
        state = {
            "kind": "state",
            "turn": match.game.turn,
            "player": match.game.player,
            "viewer": viewer or 0,
            "curtain": curtain,
            "yours": match.person_to_move and not curtain,
            "over": match.over,
            "winner": match.game.winner,
            "standing": match.standing,
            "trouble": match.trouble,
            "orders": [] if curtain else match.orders,
            "paused": self._paused,
            "speed": self._speed,
            "state": None if curtain else match.state(viewer),
        }
        return json.dumps(state)

    def _curtain(self) -> int:
        """The player who has to take the seat before the board is shown, 0 for nobody."""
        match = self.match
        covered = all(match.setup.persons) and not match.over and self._uncovered != match.game.player
        return match.game.player if covered else 0

    def _viewer(self) -> int | None:
        """Whose fog lies on the board: a person's; with two, that of who is to move; without one, as chosen. None: no fog."""
        match, persons = self.match, self.match.setup.persons
        if match.over:
            return None
        if not any(persons):
            return self._fog or None
        return match.game.player if all(persons) else 1 + persons.index(True)


def _thought(match: Match) -> Sequence[Move] | None:
    """A match that ended while its turn to think came has nothing to think about."""
    return None if match.over or match.person_to_move else match.think()


def _within(value: int, least: int, most: int, name: str) -> int:
    if not least <= value <= most:
        raise MessageError(f"{name} must be from {least} to {most}, not {value}")
    return value
