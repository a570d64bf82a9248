"""News of a game: battles and changes of ownership that each player can tell from its own views, turn by turn."""

from collections import deque
from collections.abc import Sequence

from planetwars_env.engine.rules import DEFENCE, Rules, owner_of
from planetwars_env.game import Game
from planetwars_env.language.events import changes_of_owner
from planetwars_env.play.forecast import make_forecast
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
            changed = [change for change in changes_of_owner(before, now, viewer) if change[0] not in fought]
            if happened := [*fought.values(), *(_describe_change(*change, names) for change in changed)]:
                entries.appendleft((game.turn, happened))

    def of(self, viewer: int | None) -> list[Entry]:
        """Return the news of a viewer, the newest turn first."""
        return list(self._entries[viewer])


def _describe_change(planet: int, old: int | None, new: int | None, names: tuple[str, str]) -> str:
    if new is None:
        return f"{names[(old or 1) - 1]} has lost #{planet}"
    return f"{names[new - 1]} has taken #{planet}" if new else f"#{planet} is neutral now"


def battles(before: View, now: View, rules: Rules, names: tuple[str, str]) -> dict[int, str]:
    """Return a sentence on each battle, by planet; none for one that shuttles out of sight took part in."""
    landing = {planet.id: [0, 0] for planet in before.planets}
    for shuttle in before.shuttles:
        if shuttle.turns == 1:
            landing[shuttle.destination][shuttle.player - 1] += shuttle.people
    fought = [planet for planet in before.planets if planet.owner and landing[planet.id][2 - planet.owner]]
    if rules.coexistence or not fought:
        return {}
    forecast = make_forecast(before, rules)
    if forecast is None:
        return {}
    index = {planet.id: i for i, planet in enumerate(before.planets)}
    grown, expected = forecast.next_people(landing=False), forecast.next_people()
    told: dict[int, str] = {}
    for planet in fought:
        i, owner = index[planet.id], planet.owner or 0
        after, seen = expected[i], now.planet(planet.id)
        # Out of sight afterwards: it was the viewer's own, and is lost.
        if seen.people != after and (seen.visible or owner_of(*after) == owner):
            continue
        defenders, attackers = grown[i][owner - 1] + landing[planet.id][owner - 1], landing[planet.id][2 - owner]
        left = {owner: "held with", 0: "nobody is left", 3 - owner: "taken with"}[owner_of(*after)]
        told[planet.id] = (
            f"{names[2 - owner]} attacks #{planet.id} with {attackers} against {defenders}, which count as "
            f"{int(DEFENCE * defenders)}: {left}{f' {sum(after)}' if sum(after) else ''}"
        )
    return told
