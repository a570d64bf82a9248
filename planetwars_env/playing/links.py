"""Links of a play server: the token in each, the cookie for which a browser exchanges it, and the player behind it."""

import secrets
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

LOST = "Open the whole link that `planetwars play` printed."
USED = (
    "This link was opened already, and it works in one browser only. If that was this browser, go on with the game "
    "below. If it was another one, ask whoever started the game to start it again: that prints new links."
)
TAKEN = "This browser plays player {player} already. Open this link in the browser of the other player; it still works there."


class LinkError(Exception):
    """A request without a valid token or cookie; the text says what to do."""


@dataclass
class Link:
    """``player``: 1 or 2 for a page that is this player's alone, 0 for pages that show every person's side in turn.

    ``once``: it belongs to the first browser whose page connects. What only reads the page, such as the preview of a chat,
    gets a cookie, too, which is worth nothing from then on. ``framed``: its page stands in a notebook, where browsers keep no
    cookie of it: it sends the token with every request.
    """

    player: int = 0
    once: bool = False
    framed: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    used: bool = False
    _cookies: deque[str] = field(default_factory=lambda: deque(maxlen=100))

    def address(self, host: str, port: int) -> str:
        """Return the link that opens the first page."""
        return f"http://{host}:{port}/?token={self.token}"

    def knows(self, cookie: str) -> bool:
        """Return whether a browser with this cookie came by the link."""
        return any(_same(cookie, one) for one in (self._cookies if self.once else [self.token]))

    def cookie_for(self, cookie: str) -> str:
        """Return the cookie of a browser that opens the page and has sent this one."""
        if not self.once:
            return self.token
        if not self.knows(cookie):
            cookie = secrets.token_urlsafe(24)
            self._cookies.append(cookie)
        return cookie

    def connect(self, cookie: str) -> None:
        """The page of the browser with this cookie connects: the link belongs to it."""
        if self.once and not self.used:
            self.used = True
            self._cookies = deque([cookie])


class Links:
    """The links of one server. ``shared``: each is for one player on a machine of their own."""

    def __init__(self, links: Iterable[Link]) -> None:
        self.all = tuple(links)
        self.shared = any(link.player for link in self.all)

    def admit(self, cookie: str, token: str, first_page: bool) -> Link:
        """Return the link by which a browser comes: by its cookie, else by the token, if it is not used up.

        ``first_page``: the request is for the page that sets the cookie; only it takes the token of a link that works once.
        LinkError for others.
        """
        mine = next((link for link in self.all if link.knows(cookie)), None)
        asked = next((link for link in self.all if _same(token, link.token)), None)
        if mine is not None:
            if asked is not None and asked is not mine:
                raise LinkError(TAKEN.format(player=mine.player))
            return mine
        if asked is None or (asked.once and not asked.used and not first_page):
            raise LinkError(LOST)
        if asked.used:
            raise LinkError(USED)
        return asked


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), secret.encode())


def open_link(framed: bool = False) -> Links:
    """Return one link for any number of pages on this machine."""
    return Links([Link(framed=framed)])


def player_links(persons: tuple[bool, bool]) -> Links:
    """Return a link that works once for every player who is a person. ValueError if there is none."""
    if not any(persons):
        raise ValueError("a game is shared by people: make 'you' a player of it (--against you), or leave --host out")
    return Links(Link(player, once=True) for player, person in enumerate(persons, 1) if person)
