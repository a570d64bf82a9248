"""Session of the play page: shows a game to its pages, carries out their messages and lets strategies move."""

import asyncio
import json
import re
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol

from planetwars_env.engine.rules import player_on
from planetwars_env.graphs.catalogue import graph_names, pool_names
from planetwars_env.play.live_game import LiveGame, MoveError
from planetwars_env.play.messages import read_message, within
from planetwars_env.play.setup import MAX_SPEED, GameSetup, make_game_setup, play_on
from planetwars_env.play.state_messages import (
    QUESTIONS,
    Shown,
    answer,
    game_message,
    may_look_back,
    state_message,
)
from planetwars_env.view import Move


def check_new_game(live: LiveGame, message: dict[str, Any]) -> None:
    """MoveError for a message "new" that a shared game does not allow.

    Its players stay those that the command line chose, and its graphs are shipped ones: no page names files of the server.
    """
    if not live.over:
        raise MoveError("the game is not over: finish it or give up before you begin another one")
    if tuple(message["players"]) != live.setup.players:
        raise MoveError("the players of a shared game are those that `planetwars play` was started with")
    if message["start"] is None and not is_shipped(message["graph"]):
        raise MoveError(f"there is no graph {message['graph']!r} among the shipped ones")


def is_shipped(graph: str) -> bool:
    """Return whether this is the name of a shipped graph or pool, and no path."""
    pool = re.fullmatch(r"(\w+)(/[0-9]{1,9})?", graph)
    return graph in graph_names() or (pool is not None and pool[1] in pool_names())


def absent(live: LiveGame, present: set[int]) -> str:
    """Return a sentence on people of a shared game who have no page open, empty if all have."""
    names = [
        live.setup.names[player - 1]
        for player, person in enumerate(live.setup.persons, 1)
        if person and player not in present
    ]
    return f"{' and '.join(names)}: not here yet, or away" if names else ""


class Connection(Protocol):
    """Connection to one page."""

    async def send_text(self, data: str) -> None:
        """Send one message (JSON)."""


class PageConnections:
    """``players``: every open page with the player (1, 2) whose alone it is, 0 for one that shows every person's side in turn."""

    def __init__(self) -> None:
        self.players: dict[Connection, int] = {}
        self._sent: dict[Connection, str] = {}
        # No page gets the state of a game before its graph.
        self._sending = asyncio.Lock()

    async def add(self, page: Connection, player: int, texts: Callable[[], list[str]]) -> None:
        """Add a page and send it these messages first."""
        async with self._sending:
            self.players[page] = player
            for text in texts():
                self._sent[page] = text
                await page.send_text(text)

    def remove(self, page: Connection) -> None:
        """Remove a page, if it is there."""
        self.players.pop(page, None)
        self._sent.pop(page, None)

    async def tell(self, text_for: Callable[[int], str]) -> None:
        """Send every page the message for its player. A player's own page is not told the same twice in a row.

        Otherwise it would notice whenever the opponent orders something.
        """
        async with self._sending:
            for page, player in list(self.players.items()):
                text = text_for(player)
                if player and self._sent.get(page) == text:
                    continue
                self._sent[page] = text
                try:
                    await page.send_text(text)
                except Exception:  # a lost connection raises many kinds: the page is gone, the game goes on
                    self.remove(page)


FAULTS = ValueError, ImportError, OSError
"""Errors that users cause: wrong messages and moves, unknown names, libraries that are not installed."""


class Session:
    """One game at a time and the pages that show it. Strategies wait while no page is open.

    ``shared``: players sit at machines of their own, which are not trusted with this one.
    Messages to a page are those of state_messages.py, and {"kind": "error", "text": ...}.
    """

    def __init__(self, setup: GameSetup, speed: int, shared: bool = False) -> None:
        self.pages = PageConnections()
        self._shared = shared
        self.live = LiveGame(setup)
        self._speed = speed
        self._paused = False
        self._steps = 0
        self._viewer_chosen = 0
        self._console_asked = False
        self._handed_over = 0
        self._executor = ThreadPoolExecutor(1)
        self._changed = asyncio.Event()
        self._handling = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin the first game; if a player cannot play on its graph, the page says so and offers another game."""
        try:
            await self._in_thread(self.live.begin)
        except FAULTS as fault:
            self.live.abort(str(fault))
        self._task = asyncio.create_task(self._go_on())

    async def close(self) -> None:
        """End the game, its strategies and its task."""
        if self._task is not None:
            self._task.cancel()
        await self._in_thread(self.live.close)
        self._executor.shutdown(wait=False)

    async def connect(self, page: Connection, player: int = 0) -> None:
        """Add a page and show it the game."""
        await self.pages.add(page, player, lambda: [self._game(player), self._state(player)])
        if self._shared:
            await self._show()
        self._changed.set()

    async def disconnect(self, page: Connection) -> None:
        """Remove a page; the other player is told."""
        self.pages.remove(page)
        if self._shared:
            await self._show()

    async def handle(self, page: Connection, text: str) -> None:
        """Carry out a page's message, or send it the error; messages that change something are handled one by one."""
        player = self.pages.players.get(page, 0)
        try:
            message = read_message(text)
            if message["do"] in QUESTIONS:
                found = answer(self.live, message, self._shown(player))
                await page.send_text(json.dumps(await self._in_thread(found) if callable(found) else found))
                return
            async with self._handling:
                await self._carry_out(message, player)
                await self._show()
                self._changed.set()
        except FAULTS as fault:
            await page.send_text(json.dumps({"kind": "error", "text": str(fault)}))

    async def _carry_out(self, message: dict[str, Any], player: int) -> None:
        match message:
            case {"do": "new"}:
                await self._begin(message)
            case {"turn": turn}:
                self._act(message, turn, player)
            case {"do": "take back"}:
                await self._take_back()
            case {"do": "give up"}:
                self.live.give_up(player)
            case {"do": "pause", "on": on}:
                self._paused = on
            case {"do": "step"}:
                self._steps = 1
            case {"do": "speed", "turns": turns}:
                self._speed = within(turns, 1, MAX_SPEED, "turns")
            case {"do": "console", "on": on}:
                self._console_asked = on
            case {"do": "viewer", "viewer": viewer}:
                self._viewer_chosen = within(viewer, 0, 2, "viewer")

    def _act(self, message: dict[str, Any], turn: int, player: int) -> None:
        """Carry out a player's message. A page that shows an older turn, or waits for the handover, cannot mean this one."""
        live, action = self.live, message["do"]
        if turn != live.game.turn:
            raise MoveError(f"this is turn {live.game.turn}, not {turn}")
        if player not in (0, live.game.player):
            raise MoveError(f"it is the turn of {live.setup.names[live.game.player - 1]}")
        if action == "ready":
            self._handed_over = live.game.player
        elif self._handover(player):
            raise MoveError(f"{live.setup.names[live.game.player - 1]} has not yet taken over")
        elif action in ("order", "keep sending"):
            live.order_all([Move(*move) for move in message["moves"]], every_turn=action == "keep sending")
        elif action == "stop sending":
            live.stop_sending(message["order"])
        elif action == "undo":
            live.undo(message["order"])
        else:
            live.end_turn()
            self._handed_over = 0

    async def _begin(self, message: dict[str, Any]) -> None:
        """Replace the game by a new one; if the new one cannot begin, the old one goes on."""
        if self._shared:
            check_new_game(self.live, message)
        first, second = message["players"]
        arguments = (first, second), message["graph"], message["rules"], message["seed"], message["max_turns"]
        old, start = self.live, message["start"]
        if start is None:
            await self._replace(await self._in_thread(lambda: make_game_setup(*arguments, old.setup.unsafe)))
            return
        if not may_look_back(old):
            raise MoveError("the game is not over, and its turns would show what the fog hides")
        within(start, 1, old.game.turn, "start")
        await self._replace(play_on((first, second), old.setup, old.moves[: start - 1], message["seed"]))

    async def _take_back(self) -> None:
        """Go back to the last turn of the only person."""
        live = self.live
        if sum(live.setup.persons) != 1:
            raise MoveError("a turn is taken back in games of one person against a strategy only")
        side = live.setup.persons.index(True)
        own = [turn for turn in range(1, len(live.moves) + 1) if player_on(turn) == side]
        if not own:
            raise MoveError("there is no turn to take back")
        standing = [order for order in live.standing.of[side + 1] if order.since < own[-1]]
        await self._replace(replace(live.setup, moves=tuple(live.moves[: own[-1] - 1])))
        self.live.resume(standing)

    async def _replace(self, setup: GameSetup) -> None:
        """Begin another game in place of this one."""
        live = LiveGame(setup)
        try:
            await self._in_thread(live.begin)
        except BaseException:
            await self._in_thread(live.close)
            raise
        old, self.live = self.live, live
        self._handed_over = self._steps = self._viewer_chosen = 0
        self._paused = self._console_asked = False
        await self.pages.tell(self._game)
        await self._in_thread(old.close)

    async def _go_on(self) -> None:
        """Play the strategies' turns, one by one, until the session closes."""
        while True:
            if not self._strategy_may_move():
                self._changed.clear()
                await self._changed.wait()
                continue
            self._steps = 0
            live = self.live
            await asyncio.sleep(1 / self._speed)
            if live is self.live:
                live.carry_out(await self._in_thread(lambda live=live: _strategy_moves(live)))
                await self._show()

    def _strategy_may_move(self) -> bool:
        live = self.live
        going = self._steps or not self._paused
        return bool(self.pages.players and going and not live.over and not live.person_to_move)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        """Run slow work on a game in the session's only thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    async def _show(self) -> None:
        await self.pages.tell(self._state)

    def _game(self, player: int) -> str:
        return json.dumps(game_message(self.live, player))

    def _state(self, player: int) -> str:
        message = state_message(self.live, self._shown(player))
        if self._shared and not self.live.over:
            message["note"] = absent(self.live, set(self.pages.players.values())) or message["note"]
        return json.dumps(message)

    def _shown(self, player: int) -> Shown:
        viewer, handover = self._viewer(player), self._handover(player)
        return Shown(viewer, handover, self._paused, self._speed, self._console_asked, player)

    def _handover(self, player: int) -> int:
        """The player (1, 2) who has to take over before the graph is shown, 0 if nobody has to: on pages for both."""
        live = self.live
        waits = not player and all(live.setup.persons) and not live.over and self._handed_over != live.game.player
        return live.game.player if waits else 0

    def _viewer(self, player: int) -> int | None:
        """The player (1, 2) whose fog is shown; None: no fog.

        On a player's own page it is that one. With one person it is that person, with two the one to move, without any the
        one chosen on the page.
        """
        live, persons = self.live, self.live.setup.persons
        if live.over:
            return None
        if player:
            return player
        if not any(persons):
            return self._viewer_chosen or None
        return live.game.player if all(persons) else 1 + persons.index(True)


def _strategy_moves(live: LiveGame) -> Sequence[Move] | None:
    """The strategy's moves, None if the game has ended or changed hands meanwhile."""
    return None if live.over or live.person_to_move else live.strategy_moves()


_MOST = 24


class TooManySessionsError(ValueError):
    """The server keeps its largest number of sessions, and every one of them has an open page."""


class Sessions:
    """``by_key``: the open sessions. One without a page is kept until its place is needed, the oldest first.

    ``shared``: there is one session, for players at machines of their own.
    """

    def __init__(self, setup: GameSetup, speed: int, shared: bool = False) -> None:
        self.by_key: dict[str, Session] = {}
        self._setup = setup
        self._speed = speed
        self._shared = shared
        self._opening = asyncio.Lock()

    async def find_or_open(self, key: str) -> tuple[str, Session]:
        """Return the key and the session of this key, else those of a new session with the first game.

        TooManySessionsError if there is no room for a new one.
        """
        async with self._opening:
            if self._shared and self.by_key:
                key = next(iter(self.by_key))
            if key not in self.by_key:
                key = await self.open(self._setup)
            return key, self.by_key[key]

    async def open(self, setup: GameSetup) -> str:
        """Open a session with a game and return its key. TooManySessionsError if there is no room for it."""
        key, session = secrets.token_urlsafe(18), Session(setup, self._speed, self._shared)
        await self._make_room()
        self.by_key[key] = session
        await session.open()
        return key

    async def close(self) -> None:
        """Close all sessions."""
        while self.by_key:
            _, session = self.by_key.popitem()
            await session.close()

    async def _make_room(self) -> None:
        if len(self.by_key) < _MOST:
            return
        unused = next((key for key, session in self.by_key.items() if not session.pages.players), None)
        if unused is None:
            raise TooManySessionsError(f"{_MOST} games are open: close the page of one of them first")
        await self.by_key.pop(unused).close()
