"""Links of a play server, and its check that only its own pages, opened by these links, speak to it.

A link has a token, which a browser exchanges for a cookie, and a player behind it.
"""

import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from planetwars_env.render.templates import fill

LOST = "Open the whole link that `planetwars play` printed."
USED = (
    "This link was opened already, and it works in one browser only. If that was this browser, go on with the game "
    "below. If it was another one, ask whoever started the game to start it again: that prints new links."
)
TAKEN = "This browser plays player {player} already. Open this link in the browser of the other player; it still works there."


@dataclass
class Link:
    """A link with its token. ``framed``: its page stands in a notebook, where browsers keep no cookie of it: it sends the token.

    ``player``: 0 for pages of this machine, which show every person's side in turn; 1 or 2 for a page that is this player's
    alone. That one belongs to the first browser whose page connects. What only reads the page, such as the preview of a
    chat, gets a cookie, too, which is worth nothing from then on.
    """

    player: int = 0
    framed: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    used: bool = False
    _cookies: deque[str] = field(default_factory=lambda: deque(maxlen=100))

    def address(self, host: str, port: int) -> str:
        """Return the link that opens the first page."""
        return f"http://{host}:{port}/?token={self.token}"

    def knows(self, cookie: str) -> bool:
        """Return whether a browser with this cookie came by the link."""
        return any(_same(cookie, one) for one in (self._cookies if self.player else [self.token]))

    def cookie_for(self, cookie: str) -> str:
        """Return the cookie of a browser that opens the page and has sent this one."""
        if self.player and not self.knows(cookie):
            self._cookies.append(secrets.token_urlsafe(24))
            return self._cookies[-1]
        return cookie if self.player else self.token

    def connect(self, cookie: str) -> None:
        """The page of the browser with this cookie connects: the link of a player belongs to it."""
        if self.player and not self.used:
            self.used = True
            self._cookies = deque([cookie])


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), secret.encode())


def player_links(persons: tuple[bool, bool]) -> list[Link]:
    """Return a link for every player who is a person. ValueError if there is none."""
    if not any(persons):
        raise ValueError("a game is shared by people: make 'you' a player of it (--against you), or leave --host out")
    return [Link(player) for player, person in enumerate(persons, 1) if person]


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

    def __init__(self, app: ASGIApp, links: Sequence[Link]) -> None:
        self._app = app
        self._links = links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or connection."""
        if scope["type"] != "lifespan":
            try:
                scope["link"] = self._admit(HTTPConnection(scope))
            except PermissionError as fault:
                if scope["type"] == "websocket":
                    # Closed before it is accepted, it is answered with the same status.
                    await send({"type": "websocket.close", "code": 1008})
                else:
                    page = fill("refused.html", reason=str(fault), playing=str(fault) == USED)
                    await HTMLResponse(page, 403, headers=safe_headers())(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _admit(self, request: HTTPConnection) -> Link:
        (address, port), socket = request.scope["server"], request.scope["type"] == "websocket"
        hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
        names = [f"{name}:{port}" for name in ([address, "localhost"] if address == "127.0.0.1" else [address])]
        ours = len(hosts) == 1 and hosts[0] in names and len(origins) <= 1
        if not ours or (origins[0] != f"http://{hosts[0]}" if origins else socket):
            raise PermissionError("Only pages of this server may speak to it.")
        first_page = request.scope.get("method") == "GET" and request.url.path == "/"
        cookie, token = cookie_of(request), request.query_params.get("token", "")
        link = next((link for link in self._links if link.knows(cookie)), None)
        asked = next((link for link in self._links if _same(token, link.token)), None)
        if link is not None:
            if asked not in (None, link):
                raise PermissionError(TAKEN.format(player=link.player))
        elif asked is None or (asked.player and not asked.used and not first_page):
            raise PermissionError(LOST)  # only the page that sets the cookie takes the token of a player's link
        elif asked.used:
            raise PermissionError(USED)
        else:
            link = asked
        if socket:
            link.connect(cookie)
        return link


def cookie_name(request: HTTPConnection) -> str:
    """Return the name of this server's cookie: all ports of a machine share their cookies."""
    return f"planetwars-{request.scope['server'][1]}"


def cookie_of(request: HTTPConnection) -> str:
    """Return the cookie of this server that a browser sends, empty if it has none."""
    return request.cookies.get(cookie_name(request), "")


def safe_headers(framed: bool = False) -> dict[str, str]:
    """Return the security headers of every answer: no sniffing, caching or referrer, nor framing unless it is ``framed``."""
    return {name: value for name, value in _HEADERS.items() if not (framed and name == "X-Frame-Options")}
