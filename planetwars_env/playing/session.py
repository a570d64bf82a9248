"""Games at the server: their referee, which pages ask over a WebSocket (render/web/referee.mjs has the messages).

The session of a person is in the page: it gives orders, forecasts, news and hints by what it is told here, and that is its
player's view, until no person plays any more.
"""

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from starlette.websockets import WebSocket

from planetwars_env.game import Game, whole_move
from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.setup import GameSetup, is_shipped, make_game_setup, page_game
from planetwars_env.render.pages import fits_the_module
from planetwars_env.replay import check_memory, rules_of
from planetwars_env.view import Move

LARGEST = 65_536
"""Bytes of a message."""
_FARTHEST = 2**53
"""JavaScript's whole numbers are exact below it: the page reads a replay with no larger ones."""
_MOST = 24
"""Games that are kept; beyond that the oldest one goes that no page shows."""
_ASKED = ValueError, ImportError, OSError
"""Errors of what users ask for."""
FAULTS = *_ASKED, LookupError, TypeError, RecursionError
"""Errors of what users ask for, and of requests that no page of this server sends."""


def fault_text(fault: Exception) -> str:
    """Return what a page is told of one of the `FAULTS`."""
    return str(fault) if isinstance(fault, _ASKED) else "the request is not one that this page sends"


class Session:
    """One game at a time and the pages that show it, which ask for the turns of strategies by their own clocks.

    ``key``: by which pages find it; ``shared``: players sit at machines of their own, which are not trusted with this one.
    A page gets "game" first, then "turn" for every turn and "status" for every other change, and an answer to each of its
    messages, {"id": a number, "do": ...}: {"id": ..., "answer": ...} or {"id": ..., "error": ...}.
    """

    def __init__(self, key: str, live: LiveGame, shared: bool) -> None:
        self.key, self.live, self.left = key, live, False
        self.pages: dict[WebSocket, int] = {}
        """Every open page with the player (1, 2) whose link it has, 0 for a page of this machine."""
        self._shared = shared
        self._executor = ThreadPoolExecutor(1)
        self._handling = asyncio.Lock()
        """Held while a message is handled or another game begins, which may wait for a strategy."""
        self._lock = asyncio.Lock()
        """Held while a change is made and pages are told of it: all of them hear the same in the same order."""
        self._fresh()

    def _fresh(self) -> None:
        self._id = secrets.token_urlsafe(6)
        self._console_asked = False
        self._thinking: asyncio.Task[None] | None = None
        """The turn of a strategy that was asked for."""

    async def close(self) -> None:
        """End the game and its strategies."""
        await self._in_thread(self.live.close)
        self._executor.shutdown(wait=False)

    async def connect(self, page: WebSocket, player: int) -> None:
        """Add a page (``player``: as in `pages`) and show it the game."""
        async with self._lock:
            self.pages[page] = player
            await page.send_text(json.dumps(self._game(self._player(page))))
            if self._shared:
                await self._tell_status()

    async def disconnect(self, page: WebSocket) -> None:
        """Remove a page; the other player is told."""
        self.pages.pop(page, None)
        if self._shared:
            async with self._lock:
                await self._tell_status()

    async def handle(self, page: WebSocket, text: str) -> None:
        """Carry out a page's message and answer it."""
        number = None
        try:
            message = json.loads(text)
            number = message["id"]
            async with self._handling:
                if message["do"] == "take back":
                    await self._replace(self.live.before_last_turn(), self._id)
                    answer = {"answer": None}
                else:
                    async with self._lock:
                        answer = {"answer": await self._carry_out(message, self._player(page))}
        except FAULTS as fault:
            answer = {"kind": "error", "error": fault_text(fault), "text": fault_text(fault)}
        await page.send_text(json.dumps({"id": number, **answer}))

    async def _carry_out(self, message: dict[str, Any], player: int) -> Any:
        live = self.live
        match message:
            case {"do": "play", "turn": turn, "moves": list(moves)}:
                if turn != live.game.turn:
                    raise ValueError(f"this is turn {live.game.turn}, not {turn}")
                if player != live.game.player:
                    raise ValueError(f"it is the turn of {live.setup.names[live.game.player - 1]}")
                before = live.game.copy()
                orders = [whole_move(move) for move in moves]
                if any(abs(number) >= _FARTHEST for move in orders for number in move):
                    raise ValueError("the numbers of a move are too large")
                live.orders = orders
                live.end_turn()
                await self._tell_status(before=before)
                return None
            case {"do": "step", "turn": int(turn)}:
                if live.strategy_to_move and turn == live.game.turn and (not self._thinking or self._thinking.done()):
                    self._thinking = asyncio.create_task(self._play_strategy())
                return None
            case {"do": "replay", "notes": bool(notes)}:
                return live.replay(notes).to_dict()
            case {"do": "console", "on": bool(on)}:  # show what strategies tell while a person plays them
                self._console_asked = on
                notes = self._notes(0)
                await self._tell(lambda player: {"kind": "notes", "notes": notes, "status": self._status(player)})
                return None
            case {"do": "give up"}:
                live.give_up(player)
            case {"do": "leave"}:  # the page plays another game
                self.left = not self._shared and len(self.pages) == 1
            case _:
                raise TypeError
        await self._tell_status()
        return None

    async def begin(self, setup: GameSetup) -> None:
        """Begin another game in place of this one; if it cannot begin, the old one goes on."""
        async with self._handling:
            await self._replace(setup)

    async def _replace(self, setup: GameSetup, same: str = "") -> None:
        """Go on with another game, or with ``same`` from an earlier turn."""
        live = await self._in_thread(lambda: begun(setup))
        async with self._lock:
            old, self.live = self.live, live
            self._fresh()
            self._id = same or self._id
            await self._tell(self._game)
        await self._in_thread(old.close)

    async def _play_strategy(self) -> None:
        """Play the turn of a strategy, which may take long."""
        live, before, told = self.live, self.live.game.copy(), len(self.live.notes)
        moves = await self._in_thread(live.strategy_moves)
        async with self._lock:
            live.carry_out(moves)
            if live is self.live:
                await self._tell_status(told, before if live.game.turn > before.turn else None)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        """Run slow work on a game in the session's only thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    # --- what pages are told ---

    async def _tell_status(self, told: int | None = None, before: Game | None = None) -> None:
        """Tell of a change, and of the turn that was played from ``before``; ``told``: notes that pages know already."""
        live = self.live
        notes = self._notes(len(live.notes) if told is None else told)

        def message(player: int) -> dict[str, Any]:
            whole = None
            if live.over and any(live.setup.persons):
                whole = {"graph": _graph(live), "moves": live.moves, "notes": self._notes(0)}
            status = {"kind": "status", "notes": notes, "status": self._status(player), "whole": whole}
            if before is None:
                return status
            return {**status, "kind": "turn", "turn": _turn(before.player, live.game, live.moves[-1], player)}

        await self._tell(message)

    async def _tell(self, message_for: Callable[[int], dict[str, Any]]) -> None:
        """Send every page the message for its player."""
        for page in list(self.pages):
            try:
                await page.send_text(json.dumps(message_for(self._player(page))))
            except Exception:  # a lost connection raises many kinds: the page is gone, the game goes on
                self.pages.pop(page, None)

    def _player(self, page: WebSocket) -> int:
        """The player (1, 2) who sits at a page, 0 where nobody plays."""
        persons = self.live.setup.persons
        return self.pages.get(page, 0) or (1 + persons.index(True) if any(persons) else 0)

    def _game(self, player: int) -> dict[str, Any]:
        """The message on the game, with all turns so far: what no fog hides, and else what ``player`` has seen."""
        live, setup = self.live, self.live.setup
        turns, views = [], {}
        if not _open(live):
            game = Game(setup.graph, setup.rules, setup.max_turns)
            views = _views(game, player)
            for moves in live.moves:
                mover = game.player
                game.play(moves)
                turns.append(_turn(mover, game, moves, player))
        return {
            "kind": "game",
            "session": self.key,
            "id": self._id,
            "setup": {
                "graph": _graph(live),
                "rules": asdict(setup.rules),
                "players": setup.players,
                "here": [player == side and person for side, person in enumerate(setup.persons, 1)],
                "names": setup.names,
                "max_turns": setup.max_turns,
                "seed": 0,
            },
            "before": len(setup.moves),
            "you": player if self._shared else 0,
            "views": views,
            "turns": turns,
            "moves": live.moves if _open(live) else None,
            "notes": self._notes(0),
            "status": self._status(player),
        }

    def _status(self, player: int) -> dict[str, Any]:
        """The game as it stands, in the form that referee.mjs says."""
        live, game = self.live, self.live.game
        faults = [notes for notes in live.notes if notes.fault]
        last = [live.latest.get(side) if self._tells else None for side in (1, 2)]
        present, away = set(self.pages.values()), list[str]()
        if self._shared and not live.over:
            people = zip(live.setup.names, live.setup.persons, (1, 2), strict=True)
            away = [name for name, person, side in people if person and side not in present]
        return {
            "turn": game.turn,
            "player": game.player,
            "over": live.over,
            "winner": live.winner,
            "cut_off": game.cut_off,
            "gave_up": live.forfeit.player if live.forfeit and live.forfeit.reason == "gave up" else 0,
            "stopped": bool(live.reason),
            "said": live.reason,
            # Which fault it was and of which kind; its text may tell what the fog hides.
            "fault": f"{live.setup.names[faults[-1].player - 1]}: {faults[-1].fault.splitlines()[0]}" if faults else "",
            "note": f"{' and '.join(away)}: not here yet, or away" if away else live.edited,
            "held": not self._tells and bool(live.files),
            "seconds": [round(notes.seconds, 4) if notes else 0.0 for notes in last],
        }

    @property
    def _tells(self) -> bool:
        """Whether pages are told what strategies tell: held back from a person until it asks, or the game is over."""
        return _open(self.live) or self._console_asked

    def _notes(self, told: int) -> list[dict[str, Any]]:
        return [notes._asdict() for notes in self.live.notes[told:]] if self._tells else []


def _open(live: LiveGame) -> bool:
    """Return whether everything may be shown: when no person plays any more."""
    return live.over or not any(live.setup.persons)


def _graph(live: LiveGame) -> dict[str, Any]:
    """Return the graph; while the fog hides some of it, what lives and grows where is the views' business."""
    graph = live.setup.graph
    places = [{"id": planet.id, "x": planet.x, "y": planet.y} for planet in graph.planets]
    return {"name": graph.name, **graph.to_dict(), **({} if _open(live) else {"planets": places})}


def _views(game: Game, player: int) -> dict[int, Any]:
    """Return the view of a player, by its number, without its edges, which are always the same."""
    view = game.view(player).to_dict()
    del view["edges"]
    return {player: view}


def _turn(mover: int, after: Game, moves: Sequence[Move], player: int) -> dict[str, Any]:
    """Return what ``player`` (0: everybody) may know of a turn: its own moves, and the view that they led to."""
    known = moves if player in (0, mover) else None
    return {"player": mover, "moves": known, "views": _views(after, player) if player else {}}


def begun(setup: GameSetup) -> LiveGame:
    """Return a game that has begun. ValueError if a player cannot play on its graph, or the page cannot hold it."""
    live = LiveGame(setup)
    if not fits_the_module(live.game):
        raise ValueError("the graph is too large for the page: play it in the terminal (planetwars play --terminal)")
    try:
        live.begin()
    except BaseException as fault:
        live.close()
        if isinstance(fault, Exception) and not isinstance(fault, _ASKED):
            raise ValueError(f"a player cannot begin: {type(fault).__name__}: {fault}") from fault
        raise
    return live


class Sessions:
    """The sessions of a server, by their keys. ``shared``: there is one, for players at machines of their own."""

    def __init__(self, setup: GameSetup, shared: bool) -> None:
        self._by_key: dict[str, Session] = {}
        self._setup, self._shared = setup, shared
        self._opening = asyncio.Lock()

    async def find_or_open(self, key: str) -> Session:
        """Return the session of this key, else a new one with the first game. ValueError if there is no room for it.

        If a player cannot play on its graph, the page says so and offers another game.
        """
        async with self._opening:
            if self._shared and self._by_key:
                key = next(iter(self._by_key))
            if key not in self._by_key:
                self._check_room()
                try:
                    live = await asyncio.to_thread(begun, self._setup)
                except FAULTS as fault:
                    live = LiveGame(self._setup)
                    live.abort(fault_text(fault))
                key = await self._open(live)
            return self._by_key[key]

    async def new(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Begin the game that a page asks for: {"session": key} for one at the server, else what the page needs to play it.

        ``asked``: what the page's dialog sends, with ``session``, the key of the game that it leaves, and ``from``, a game
        of the page to play on from. One of the `FAULTS` for what is not possible; then nothing changes.
        """
        if [*map(type, asked["players"])] != [str, str]:
            raise ValueError("players must be 2 names")
        old = self._by_key.get(asked["session"])
        if self._shared:
            # Its players stay those that the command line chose, and no page names files of the server.
            old = next(iter(self._by_key.values()))
            if not old.live.over:
                raise ValueError("the game is not over: finish it or give up before you begin another one")
            if tuple(asked["players"]) != old.live.setup.players:
                raise ValueError("the players of a shared game are those that `planetwars play` was started with")
            if asked["from"] is not None or (asked["start"] is None and not is_shipped(str(asked["graph"]))):
                raise ValueError(f"there is no graph {asked['graph']!r} among the shipped ones")
        setup = await asyncio.to_thread(self._asked, asked, old.live if old else None)
        game = None if self._shared else page_game(setup)
        if game is not None:
            return game
        if old is None:
            self._check_room()
            return {"session": await self._open(await asyncio.to_thread(begun, setup))}
        await old.begin(setup)
        return {"session": old.key}

    def _asked(self, asked: dict[str, Any], old: LiveGame | None) -> GameSetup:
        graph, rules, seed, last = str(asked["graph"]), str(asked["rules"]), asked["seed"], asked["max_turns"]
        moves, start, source = (), asked["start"], asked["from"]
        if source is not None:
            graph = Graph.from_dict(source["graph"], source["graph"]["name"])
            if "moves" in source:
                rules, last = rules_of(source["rules"]), source["max_turns"]
                check_memory(graph, rules)
                moves = [[whole_move(move) for move in turn] for turn in source["moves"]]
        elif start is not None:
            if old is None or not _open(old):
                raise ValueError("the game is not over, and its turns would show what the fog hides")
            graph, rules, last = old.setup.graph, old.setup.rules, old.setup.max_turns
            if not 1 <= start <= old.game.turn:
                raise ValueError(f"start must be from 1 to {old.game.turn}, not {start}")
            moves = old.moves[: start - 1]
        return make_game_setup(tuple(asked["players"]), graph, rules, seed, last, self._setup.unsafe, moves)

    def _check_room(self) -> None:
        if len(self._by_key) >= _MOST and all(session.pages for session in self._by_key.values()):
            raise ValueError(f"{_MOST} games are open: close the page of one of them first")

    async def _open(self, live: LiveGame) -> str:
        """Open a session with a game and return its key."""
        unused = [key for key, session in self._by_key.items() if not session.pages]
        if unused and len(self._by_key) >= _MOST:
            await self._by_key.pop(unused[0]).close()
        key = secrets.token_urlsafe(18)
        self._by_key[key] = Session(key, live, self._shared)
        return key

    async def leave(self, session: Session) -> None:
        """Close a session whose only page has left it for another game."""
        if session.left and not session.pages:
            self._by_key.pop(session.key, None)
            await session.close()

    async def close(self) -> None:
        """Close all sessions."""
        while self._by_key:
            _, session = self._by_key.popitem()
            await session.close()
