"""Server of the play page: it listens on 127.0.0.1 only and ends with the program."""

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

from planetwars_env.play.header_timeout import HeaderTimeout
from planetwars_env.play.live_game import MoveError
from planetwars_env.play.messages import LARGEST
from planetwars_env.play.origin_check import OriginCheck, safe_headers
from planetwars_env.play.sessions import Sessions, TooManySessionsError
from planetwars_env.play.setup import GameSetup, choices
from planetwars_env.render.pages import BOARD_SCRIPTS, file_stem, make_page, replay_page

HOST = "127.0.0.1"
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self' ws://{host}; form-action 'none'; base-uri 'none'"
)


_RULES = make_page("The rules of PlanetWars", "rules.html", ("page.css", "rules.css"), (), {})


@dataclass(frozen=True)
class Opening:
    """First game of every page: its setup, its graph's name as the user gave it, and the speed (turns per second)."""

    setup: GameSetup
    graph: str
    speed: int


def make_app(opening: Opening, port: int, token: str) -> Starlette:
    """Return the ASGI application; ``port``: of its socket; ``token``: the secret in its link."""
    cookie = f"planetwars-{port}"  # cookies are shared by all ports of a machine
    sessions = Sessions(opening.setup, opening.speed)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await sessions.close()

    async def page(request: Request) -> Response:
        answer = HTMLResponse(_page(opening, request.headers["host"]), headers=safe_headers())
        answer.set_cookie(cookie, token, httponly=True, samesite="strict")
        return answer

    async def rules(_: Request) -> Response:
        return HTMLResponse(_RULES, headers=safe_headers())

    async def replay(request: Request) -> Response:
        console = "console" in request.query_params
        return await asyncio.to_thread(_replay, sessions, console=console, **request.path_params)

    async def play(websocket: WebSocket) -> None:
        await _play(sessions, websocket)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/rules", rules),
            Route("/replays/{key}.{kind}", replay),
            WebSocketRoute("/play", play),
        ],
        middleware=[Middleware(OriginCheck, hosts=(f"{HOST}:{port}", f"localhost:{port}"), token=token, cookie=cookie)],
        lifespan=lifespan,
    )


def listen(port: int = 0) -> socket.socket:
    """Open a socket on this machine only; 0: any free port. OSError if the port is taken."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen()
    except OSError as fault:
        found.close()
        raise OSError(f"port {port} of {HOST} cannot be used ({fault.strerror}): choose another port") from fault
    return found


def new_token() -> str:
    """Return a secret for the link of one server."""
    return secrets.token_urlsafe(24)


def link_of(port: int, token: str) -> str:
    """Return the link that opens the first page."""
    return f"http://{HOST}:{port}/?token={token}"


def make_server(opening: Opening, port: int, token: str) -> uvicorn.Server:
    """Return a server that is not yet running."""
    config = uvicorn.Config(
        make_app(opening, port, token),
        log_level="warning",
        http=HeaderTimeout,
        ws="websockets-sansio",
        ws_max_size=LARGEST,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    return uvicorn.Server(config)


@contextmanager
def running(opening: Opening, port: int = 0) -> Iterator[str]:
    """Run a server in a thread until the block ends, and give its link."""
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
        scripts=(
            *BOARD_SCRIPTS,
            "move_input.js",
            "look_back.js",
            "aim.js",
            "connection.js",
            "move_panel.js",
            "turn_line.js",
            "curves.js",
            "result.js",
            "legend.js",
            "play_lists.js",
            "play_keys.js",
            "confirm_button.js",
            "setup.js",
            "play.js",
        ),
        data={"choices": choices(), "first": first},
        policy=_POLICY.format(host=host),
    )


async def _play(sessions: Sessions, websocket: WebSocket) -> None:
    """Serve one WebSocket connection until its page closes."""
    await websocket.accept()
    try:
        key, session = await sessions.find_or_open(websocket.query_params.get("key", ""))
    except TooManySessionsError as fault:
        await websocket.send_json({"kind": "error", "text": str(fault)})
        await websocket.close(1013)
        return
    try:
        await websocket.send_json({"kind": "session", "session": key})
        await session.connect(websocket)
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                break
            await session.handle(websocket, message.get("text") or "")
    except (WebSocketDisconnect, RuntimeError):
        pass  # the tab was closed while a message was sent
    finally:
        session.connections.discard(websocket)


def _replay(sessions: Sessions, key: str, kind: str, console: bool) -> Response:
    """Answer with the replay of a session's game, as a file (json) or as a page (html); ``console``: with notes."""
    session = sessions.by_key.get(key)
    if session is None or kind not in ("json", "html"):
        return PlainTextResponse("There is no such game.", 404, headers=safe_headers())
    try:
        replay = session.live.replay(console)
    except MoveError as fault:
        return PlainTextResponse(str(fault), 409, headers=safe_headers())
    kept = {**safe_headers(), "Content-Disposition": f'attachment; filename="{file_stem(replay)}.{kind}"'}
    if kind == "json":
        return Response(json.dumps(replay.to_dict()), media_type="application/json", headers=kept)
    return HTMLResponse(replay_page(replay), headers=kept)
