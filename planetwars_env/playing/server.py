"""Server of the play page: it listens on 127.0.0.1, unless it was told to share a game, and ends with the program."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.dot import save_dot
from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.links import Link, OriginCheck, cookie_name, cookie_of, safe_headers
from planetwars_env.playing.pages import RULES_PAGE, editor_page, play_page
from planetwars_env.playing.session import FAULTS, LARGEST, Sessions, fault_text
from planetwars_env.playing.setup import Opening
from planetwars_env.render.pages import replay_page
from planetwars_env.replay import Replay
from planetwars_env.text import slug

HOST = "127.0.0.1"
LARGEST_BOARD, LARGEST_REPLAY = 2**20, 2**24
"""Bytes of a request with a board, and of one with a game."""
Answer = dict[str, Any]


def make_app(opening: Opening, links: Sequence[Link]) -> Starlette:
    """Return the ASGI application."""
    shared = any(link.player for link in links)
    sessions = Sessions(opening.setup, shared)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await sessions.close()

    async def page(request: Request) -> Response:
        link = request.scope["link"]
        text = play_page(opening, request.headers["host"], shared, link.token if link.framed else "")
        answer = HTMLResponse(text, headers=safe_headers(link.framed))
        cookie = link.cookie_for(cookie_of(request))
        answer.set_cookie(cookie_name(request), cookie, httponly=True, samesite="strict")
        return answer

    async def rules(_: Request) -> Response:
        return HTMLResponse(RULES_PAGE, headers=safe_headers())

    async def editor(request: Request) -> Response:
        return HTMLResponse(editor_page(opening, request.headers["host"]), headers=safe_headers())

    async def game(request: Request) -> Answer:
        return await sessions.new(await _json_in(request, LARGEST_REPLAY))

    async def save(request: Request) -> Answer:
        """Save a board in the user's folder; one that is there already is replaced on request only."""
        asked = await _json_in(request, LARGEST_BOARD)
        if opening.boards is None:
            raise ValueError("the server was started without a folder for boards: planetwars play --boards FOLDER")
        graph = Graph.from_dict(asked["board"], asked["board"]["name"])
        path = opening.boards / f"{slug(graph.name, 60) or 'board'}.dot"
        if path.exists() and asked["replace"] is not True:
            return {"exists": path.name}
        opening.boards.mkdir(parents=True, exist_ok=True)
        save_dot(graph, path)
        return {"saved": str(path)}

    async def play(websocket: WebSocket) -> None:
        """Serve one connection until its page closes."""
        await websocket.accept()
        try:
            session = await sessions.find_or_open(websocket.query_params.get("key", ""))
        except ValueError as fault:
            return await websocket.close(1013, str(fault))
        try:
            await session.connect(websocket, websocket.scope["link"].player)
            while True:
                message = await websocket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                await session.handle(websocket, message.get("text") or "")
        except (WebSocketDisconnect, RuntimeError):
            pass  # the tab was closed while a message was sent
        finally:
            await session.disconnect(websocket)
            await sessions.leave(session)

    editing = [
        Route("/editor", editor),
        Route("/editor/load", _answering(_load_board)),
        Route("/editor/save", _answering(save), methods=["POST"]),
    ]
    routes = [
        Route("/", page),
        Route("/rules", rules),
        Route("/game", _answering(game), methods=["POST"]),
        Route("/watch", _answering(_watch), methods=["POST"]),
        WebSocketRoute("/play", play),
        *([] if shared else editing),
    ]
    return Starlette(routes=routes, middleware=[Middleware(OriginCheck, links=links)], lifespan=lifespan)


def listen(port: int = 0, host: str = HOST) -> socket.socket:
    """Open a socket at an IPv4 address of this machine; port 0: any free one. OSError if it cannot be used."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen()
    except OSError as fault:
        found.close()
        right = "choose another port" if host == HOST else "choose an IPv4 address of this machine and a free port"
        raise OSError(f"port {port} of {host} cannot be used ({fault.strerror}): {right}") from fault
    return found


def reachable_at(host: str) -> str:
    """Return an address at which other machines reach a server that listens at ``host``; nothing is sent to find it."""
    if host != "0.0.0.0":
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found, suppress(OSError):
        found.connect(("192.0.2.1", 9))  # an address of nobody (RFC 5737): the system chooses the way out
        return str(found.getsockname()[0])
    return HOST


def make_server(opening: Opening, links: Sequence[Link]) -> uvicorn.Server:
    """Return a server that is not yet running."""
    config = uvicorn.Config(
        make_app(opening, links), log_level="warning", http="h11", ws="websockets-sansio", ws_max_size=LARGEST,
        timeout_graceful_shutdown=1, server_header=False,
    )  # fmt: skip
    return uvicorn.Server(config)


@contextmanager
def running(opening: Opening, links: Sequence[Link] = (), host: str = HOST, port: int = 0) -> Iterator[str]:
    """Run a server in a thread until the block ends, and give the first of its links; by default there is one."""
    links = links or [Link()]
    with listen(port, host) as found:
        server = make_server(opening, links)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
        thread.start()
        try:
            yield links[0].address(host, found.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def _answering(answer: Callable[[Request], Awaitable[Answer]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the answer of a function as JSON, with {"error": text} for a fault that a user causes."""

    async def respond(request: Request) -> Response:
        try:
            found = await answer(request)
        except FAULTS as fault:
            found = {"error": fault_text(fault)}
        return JSONResponse(found, headers=safe_headers())

    return respond


async def _json_in(request: Request, most: int) -> dict[str, Any]:
    """Return the object (JSON) in the body; ValueError for one of more than ``most`` bytes, TypeError for anything else."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise ValueError(f"the file is too large: at most {most // 2**20} MiB")
    if not isinstance(found := json.loads(body), dict):
        raise TypeError
    return found


async def _watch(request: Request) -> Answer:
    """Return the page of a replay that was dropped on a page of this server; nothing of it is kept."""
    try:
        data = await _json_in(request, LARGEST_REPLAY)
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError, RecursionError) as fault:
        raise ValueError("the file holds no replay: a replay is a .json file that planetwars saved") from fault
    return {"page": await asyncio.to_thread(lambda: replay_page(Replay.from_dict(data)))}


async def _load_board(request: Request) -> Answer:
    """Return a board for the editor, by its name or path, as the JSON of `Graph.from_dict` with a name."""
    graph = await asyncio.to_thread(load_graph, request.query_params["graph"])
    return {"board": {"name": graph.name, **graph.to_dict()}}
