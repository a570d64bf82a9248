"""Server of the play page: it listens on 127.0.0.1, unless it was told to share a game, and ends with the program."""

import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from planetwars_env.playing.answers import LARGEST_REPLAY, Answer, answering, json_in, load_board, saving, watch
from planetwars_env.playing.links import Links, open_link
from planetwars_env.playing.messages import LARGEST
from planetwars_env.playing.origin_check import OriginCheck, cookie_name, cookie_of, safe_headers
from planetwars_env.playing.pages import RULES_PAGE, editor_page, play_page
from planetwars_env.playing.session import Sessions, TooManySessionsError
from planetwars_env.playing.setup import Opening

HOST = "127.0.0.1"


def make_app(opening: Opening, links: Links) -> Starlette:
    """Return the ASGI application."""
    sessions = Sessions(opening.setup, opening.speed, links.shared)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await sessions.close()

    async def page(request: Request) -> Response:
        link = request.scope["link"]
        text = play_page(opening, request.headers["host"], links.shared, link.token if link.framed else "")
        answer = HTMLResponse(text, headers=safe_headers(link.framed))
        cookie = link.cookie_for(cookie_of(request))
        answer.set_cookie(cookie_name(request), cookie, httponly=True, samesite="strict")
        return answer

    async def rules(_: Request) -> Response:
        return HTMLResponse(RULES_PAGE, headers=safe_headers())

    async def game(request: Request) -> Answer:
        return await sessions.new(await json_in(request, LARGEST_REPLAY))

    async def editor(request: Request) -> Response:
        return HTMLResponse(editor_page(opening, request.headers["host"]), headers=safe_headers())

    async def play(websocket: WebSocket) -> None:
        await _play(sessions, websocket)

    editing = [
        Route("/editor", editor),
        Route("/editor/load", answering(load_board)),
        Route("/editor/save", answering(saving(opening.boards)), methods=["POST"]),
    ]
    return Starlette(
        routes=[
            Route("/", page),
            Route("/rules", rules),
            Route("/game", answering(game), methods=["POST"]),
            Route("/watch", answering(watch), methods=["POST"]),
            WebSocketRoute("/play", play),
            *([] if links.shared else editing),
        ],
        middleware=[Middleware(OriginCheck, links=links)],
        lifespan=lifespan,
    )


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
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        try:
            found.connect(("192.0.2.1", 9))  # an address of nobody (RFC 5737): the system chooses the way out
        except OSError:
            return HOST
        return str(found.getsockname()[0])


def serve(opening: Opening, links: Links, found: socket.socket) -> None:
    """Run the server on a socket until Ctrl-C."""
    with suppress(KeyboardInterrupt):
        _make_server(opening, links).run(sockets=[found])


def _make_server(opening: Opening, links: Links) -> uvicorn.Server:
    """Return a server that is not yet running."""
    config = uvicorn.Config(
        make_app(opening, links),
        log_level="warning",
        http="h11",
        ws="websockets-sansio",
        ws_max_size=LARGEST,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    return uvicorn.Server(config)


@contextmanager
def running(opening: Opening, port: int = 0, links: Links | None = None, host: str = HOST) -> Iterator[str]:
    """Run a server in a thread until the block ends, and give the first of its links; by default there is one."""
    links = links or open_link()
    with listen(port, host) as found:
        server = _make_server(opening, links)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
        thread.start()
        try:
            yield links.all[0].address(host, found.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


async def _play(sessions: Sessions, websocket: WebSocket) -> None:
    """Serve one WebSocket connection until its page closes."""
    await websocket.accept()
    try:
        session = await sessions.find_or_open(websocket.query_params.get("key", ""))
    except TooManySessionsError as fault:
        await websocket.send_json({"kind": "error", "text": str(fault)})
        await websocket.close(1013)
        return
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
