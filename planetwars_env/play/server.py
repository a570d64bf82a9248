"""The server of the page to play on: it listens on 127.0.0.1 only, and ends with the program."""

import asyncio
import json
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from planetwars_env.play.guard import Guard, safe_headers
from planetwars_env.play.hall import FullError, Hall
from planetwars_env.play.match import MoveError
from planetwars_env.play.messages import LARGEST
from planetwars_env.play.patience import HeadTimeout
from planetwars_env.play.setup import Setup, choices
from planetwars_env.render.html import file_stem, make_page, replay_page

HOST = "127.0.0.1"
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self' ws://{host}; form-action 'none'; base-uri 'none'"
)


@dataclass(frozen=True)
class Opening:
    """What every page begins with: the first game, its board's name as it was given, and turns a second."""

    setup: Setup
    graph: str
    speed: int


def make_app(opening: Opening, port: int, token: str) -> Starlette:
    """The application; ``port`` is the one it will be reached at, ``token`` what its link holds."""
    cookie = f"planetwars-{port}"  # cookies are shared by all ports of a machine
    hall = Hall(opening.setup, opening.speed)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await hall.close()

    async def page(request: Request) -> Response:
        answer = HTMLResponse(_page(opening, request.headers["host"]), headers=safe_headers())
        answer.set_cookie(cookie, token, httponly=True, samesite="strict")
        return answer

    async def replay(request: Request) -> Response:
        return await asyncio.to_thread(_replay, hall, **request.path_params)

    async def play(websocket: WebSocket) -> None:
        await _play(hall, websocket)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/replays/{key}.{kind}", replay),
            WebSocketRoute("/play", play),
        ],
        middleware=[Middleware(Guard, hosts=(f"{HOST}:{port}", f"localhost:{port}"), token=token, cookie=cookie)],
        lifespan=lifespan,
    )


def listen(port: int = 0) -> socket.socket:
    """A socket on this machine only; 0: any free port. OSError where the port is taken."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen()
    except OSError as fault:
        found.close()
        raise OSError(f"port {port} of {HOST} cannot be used ({fault.strerror}): choose another one") from fault
    return found


def new_token() -> str:
    """Return a secret for the link of one server."""
    return secrets.token_urlsafe(24)


def link_of(port: int, token: str) -> str:
    """Return the link that opens the first page."""
    return f"http://{HOST}:{port}/?token={token}"


def make_server(opening: Opening, port: int, token: str) -> uvicorn.Server:
    """A server that is not yet running."""
    config = uvicorn.Config(
        make_app(opening, port, token),
        log_level="warning",
        http=HeadTimeout,
        ws="websockets-sansio",
        ws_max_size=LARGEST,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    return uvicorn.Server(config)


@contextmanager
def running(opening: Opening, port: int = 0) -> Iterator[str]:
    """The link of a server that runs beside the program for as long as the block does."""
    with listen(port) as found:
        port, token = found.getsockname()[1], new_token()
        server = make_server(opening, port, token)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
        thread.start()
        try:
            yield link_of(port, token)
        finally:
            server.should_exit = True
            thread.join()


def _page(opening: Opening, host: str) -> str:
    setup = opening.setup
    first = {
        "players": setup.players,
        "graph": opening.graph,
        "rules": setup.rules.name,
        "speed": opening.speed,
    }
    return make_page(
        title="PlanetWars",
        body="play.html",
        styles=("page.css", "play.css"),
        scripts=("drawing.js", "details.js", "theme.js", "hand.js", "news.js", "twice.js", "setup.js", "play.js"),
        data={"choices": choices(), "first": first},
        policy=_POLICY.format(host=host),
    )


async def _play(hall: Hall, websocket: WebSocket) -> None:
    """One connection, from its page's opening to its end."""
    await websocket.accept()
    try:
        key, table = await hall.table(websocket.query_params.get("key", ""))
    except FullError as fault:
        await websocket.send_json({"kind": "fault", "text": str(fault)})
        await websocket.close(1013)
        return
    try:
        await websocket.send_json({"kind": "key", "key": key})
        await table.welcome(websocket)
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                break
            await table.hear(websocket, message.get("text") or "")
    except (WebSocketDisconnect, RuntimeError):
        pass  # the tab was closed while it was told something
    finally:
        table.pages.discard(websocket)


def _replay(hall: Hall, key: str, kind: str) -> Response:
    """The replay of a table's game, as a file to keep or as a page to watch."""
    table = hall.tables.get(key)
    if table is None or kind not in ("json", "html"):
        return PlainTextResponse("There is no such game.", 404, headers=safe_headers())
    try:
        replay = table.match.replay()
    except MoveError as fault:
        return PlainTextResponse(str(fault), 409, headers=safe_headers())
    kept = {**safe_headers(), "Content-Disposition": f'attachment; filename="{file_stem(replay)}.{kind}"'}
    if kind == "json":
        return Response(json.dumps(replay.to_dict()), media_type="application/json", headers=kept)
    return HTMLResponse(replay_page(replay), headers=kept)
