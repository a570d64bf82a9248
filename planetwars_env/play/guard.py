"""Who may speak to the server: pages that it served itself, on this machine. Other sites open in the browser may not."""

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuses with 403 what is not addressed to this machine by name or comes from another origin.

    The Host must be one of ``hosts``, which a name that an attacker points to 127.0.0.1 (DNS rebinding) is not. An Origin
    must be this server's own, and a WebSocket must have one: every browser sends it.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application around another."""
        if scope["type"] == "lifespan" or self._is_ours(scope["type"], Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
        else:
            await PlainTextResponse("Only pages of this server may speak to it.", 403)(scope, receive, send)

    def _is_ours(self, kind: str, headers: Headers) -> bool:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts or len(origins) > 1:
            return False
        return origins[0] == f"http://{hosts[0]}" if origins else kind != "websocket"


def safe_headers() -> dict[str, str]:
    """Those of every answer: not to be framed, guessed at, kept or told of."""
    return dict(_HEADERS)
