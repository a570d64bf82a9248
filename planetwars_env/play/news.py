"""News of a game: battles and changes of ownership that each player can tell from its own views, turn by turn."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence

from planetwars_env.engine.rules import Rules
from planetwars_env.game import Game
from planetwars_env.play.battles import battles
from planetwars_env.render.text import view_of
from planetwars_env.view import Move, View

_TURNS = 40
"""Turns with news that are kept."""

Views = dict[int | None, View]
Entry = tuple[int, list[str]]
"""A turn and what happened as it began."""


class News:
    """News by viewer (1, 2; None: without fog). Call `before` and `after` around every turn that is played."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._entries: dict[int | None, deque[Entry]] = {viewer: deque(maxlen=_TURNS) for viewer in (None, 1, 2)}
        self._views: Views = {}

    def before(self, game: Game, moves: Sequence[Move]) -> None:
        """Look at a turn that is about to end with these moves. Only the player to move knows them."""
        after = game.copy()
        after.submit(moves)
        self._views = {
            viewer: view_of(after if viewer in (None, game.player) else game, viewer) for viewer in (None, 1, 2)
        }

    def after(self, game: Game, names: tuple[str, str]) -> None:
        """Look at the turn that has begun, and note what is new."""
        for viewer, entries in self._entries.items():
            before, now = self._views[viewer], view_of(game, viewer)
            fought = battles(before, now, self._rules, names)
            if happened := [*fought.values(), *_changes(before, now, viewer, names, set(fought))]:
                entries.appendleft((game.turn, happened))

    def of(self, viewer: int | None) -> list[Entry]:
        """Return the news of a viewer, the newest turn first."""
        return list(self._entries[viewer])


def _changes(
    before: View, now: View, viewer: int | None, names: tuple[str, str], told: Collection[int]
) -> Iterator[str]:
    """Yield a sentence for each planet that changed hands in the viewer's sight; ``told``: those that need none.

    A planet that comes into sight or leaves it has not changed its owner, unless it is or was the viewer's own.
    """
    for was, one in zip(before.planets, now.planets, strict=True):
        old, new = was.owner, one.owner
        if old == new or one.id in told or (old is None and new != viewer) or (new is None and old != viewer):
            continue
        if new is None:
            yield f"{names[(viewer or 1) - 1]} has lost #{one.id}"
        else:
            yield f"{names[new - 1]} has taken #{one.id}" if new else f"#{one.id} is neutral now"
