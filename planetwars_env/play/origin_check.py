"""Origin check of the play server: only its own pages, opened by its link, may speak to it."""

import secrets

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class OriginCheck:
    """ASGI middleware that refuses requests with a foreign Host or Origin, or without the token, with 403.

    The Host must be one of ``hosts``, so that a name which an attacker points to 127.0.0.1 (DNS rebinding) is refused. An Origin
    must be this server's own, and a WebSocket must have one: every browser sends it. The ``token`` must come as the
    ``cookie`` of this name, which the first page sets, or in the link (?token=). Other users of this machine do not have it.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], token: str, cookie: str) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token.encode()
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not self._is_ours(scope["type"], Headers(scope=scope)):
            await _refuse("Only pages of this server may speak to it.", scope, receive, send)
        elif not self._has_token(HTTPConnection(scope)):
            await _refuse("Open the whole link that `planetwars play` printed.", scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _has_token(self, request: HTTPConnection) -> bool:
        given = request.cookies.get(self._cookie, ""), request.query_params.get("token", "")
        return any(secrets.compare_digest(one.encode(errors="replace"), self._token) for one in given)

    def _is_ours(self, kind: str, headers: Headers) -> bool:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts or len(origins) > 1:
            return False
        return origins[0] == f"http://{hosts[0]}" if origins else kind != "websocket"


async def _refuse(text: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with 403. A WebSocket is closed before it is accepted, which sends the same status."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await PlainTextResponse(text, 403, headers=safe_headers())(scope, receive, send)


def safe_headers() -> dict[str, str]:
    """Return the security headers of every answer: no framing, sniffing, caching or referrer."""
    return dict(_HEADERS)
