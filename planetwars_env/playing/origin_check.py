"""Origin check of the play server: only its own pages, opened by its links, may speak to it."""

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from planetwars_env.playing.links import USED, LinkError, Links
from planetwars_env.render.templates import fill

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class OriginCheck:
    """ASGI middleware that refuses requests with a foreign Host or Origin, or without a link's token, with 403.

    The Host must be the very address at which the connection arrived, so that a name which an attacker points to this
    machine (DNS rebinding) is refused. An Origin must be this server's own, and a WebSocket must have one: every browser
    sends it. The token must come as a cookie, which the first page sets, or in the link (?token=). Other users of this
    machine do not have it. What is admitted finds its `Link` in the scope, under "link".
    """

    def __init__(self, app: ASGIApp, links: Links) -> None:
        self._app = app
        self._links = links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not _is_ours(scope):
            await _refuse("Only pages of this server may speak to it.", scope, receive, send)
        else:
            try:
                scope["link"] = self._admit(HTTPConnection(scope))
            except LinkError as fault:
                await _refuse(str(fault), scope, receive, send)
            else:
                await self._app(scope, receive, send)

    def _admit(self, request: HTTPConnection) -> object:
        first_page = request.scope.get("method") == "GET" and request.url.path == "/"
        cookie = cookie_of(request)
        link = self._links.admit(cookie, request.query_params.get("token", ""), first_page)
        if request.scope["type"] == "websocket":
            link.connect(cookie)
        return link


def cookie_name(request: HTTPConnection) -> str:
    """Return the name of this server's cookie: all ports of a machine share their cookies."""
    return f"planetwars-{request.scope['server'][1]}"


def cookie_of(request: HTTPConnection) -> str:
    """Return the cookie of this server that a browser sends, empty if it has none."""
    return request.cookies.get(cookie_name(request), "")


def _is_ours(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or hosts[0] not in _names(*scope["server"]) or len(origins) > 1:
        return False
    return origins[0] == f"http://{hosts[0]}" if origins else scope["type"] != "websocket"


def _names(address: str, port: int) -> list[str]:
    names = [address, "localhost"] if address == "127.0.0.1" else [address]
    return [f"{name}:{port}" for name in names]


async def _refuse(text: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with 403. A WebSocket is closed before it is accepted, which sends the same status."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        page = fill("refused.html", reason=text, playing=text == USED)
        await HTMLResponse(page, 403, headers=safe_headers())(scope, receive, send)


def safe_headers(framed: bool = False) -> dict[str, str]:
    """Return the security headers of every answer: no sniffing, caching or referrer, nor framing unless it is ``framed``."""
    return {name: value for name, value in _HEADERS.items() if not (framed and name == "X-Frame-Options")}
