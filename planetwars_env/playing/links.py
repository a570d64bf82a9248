"""Links of a play server: the token in each, the cookie for which a browser exchanges it, and the player behind it."""

import secrets
from collections.abc import Iterable, Mapping
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

    ``once``: only the first browser that opens the link gets the cookie; ``framed``: its page stands in a notebook, where
    browsers keep no cookie of it: it sends the token with every request.
    """

    player: int = 0
    once: bool = False
    framed: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    cookie: str = ""
    used: bool = False

    def __post_init__(self) -> None:
        self.cookie = secrets.token_urlsafe(24) if self.once else self.token

    def address(self, host: str, port: int) -> str:
        """Return the link that opens the first page."""
        return f"http://{host}:{port}/?token={self.token}"


class Links:
    """The links of one server. ``shared``: each is for one player on a machine of their own."""

    def __init__(self, links: Iterable[Link]) -> None:
        self.all = tuple(links)
        self.shared = any(link.player for link in self.all)

    def admit(self, cookies: Mapping[str, str], name: str, token: str, first_page: bool) -> Link:
        """Return the link by which a browser comes: by its cookie (of this name), else by the token, which may be used up.

        ``first_page``: the request is for the page that sets the cookie; only it uses a token up. LinkError for others.
        """
        mine = self._find("cookie", cookies.get(name, ""))
        asked = self._find("token", token)
        if mine is not None:
            if asked is not None and asked is not mine:
                raise LinkError(TAKEN.format(player=mine.player))
            return mine
        if asked is None:
            raise LinkError(LOST)
        if asked.once and asked.used:
            raise LinkError(USED)
        if asked.once and not first_page:
            raise LinkError(LOST)
        asked.used = True
        return asked

    def _find(self, secret: str, given: str) -> Link | None:
        same = [
            link
            for link in self.all
            if secrets.compare_digest(given.encode(errors="replace"), getattr(link, secret).encode())
        ]
        return same[0] if same else None


def open_link(framed: bool = False) -> Links:
    """Return one link for any number of pages on this machine."""
    return Links([Link(framed=framed)])


def player_links(persons: tuple[bool, bool]) -> Links:
    """Return a link that works once for every player who is a person. ValueError if there is none."""
    if not any(persons):
        raise ValueError("a game is shared by people: make 'you' a player of it (--against you), or leave --host out")
    return Links(Link(player, once=True) for player, person in enumerate(persons, 1) if person)
