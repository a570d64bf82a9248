"""Pictures of a game or of one turn of a replay (`pw.draw`), as lists of shapes from back to front, and as files.

Player 1 is plain, player 2 is striped: solid or broken rings, full or striped fillings, filled or hollow shuttles; so the
drawing reads without colours too. A planet is filled as high as it is populated; where both players live, player 1 lies below.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from math import atan2, cos, hypot, sin
from pathlib import Path
from typing import Any

from planetwars_env.files import write_atomically
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import UNKNOWN_RADIUS, Points, lay_out, radius_of
from planetwars_env.render.palette import LIGHT, ground_colour, mixed, owner_colour
from planetwars_env.render.shapes import HEADING, DiscPart, Label, Polygon, Ring, Shape, base_shapes, picture_svg
from planetwars_env.render.text import game_status, view_of
from planetwars_env.replay import Replay
from planetwars_env.view import Move, PlanetView, Shuttle, View

_LEAST_LEVEL = 0.1
"""Least filled part of a planet with people, so that it can be seen."""
_HALO = 8
"""Width of the ring around a planet with heat."""
_SHOWN = 0.005
"""Least heat that is drawn: less would be written as 0.00."""
_LEAST_HEAT = 0.06
"""Least strength of a ring's colour, so that it differs from the ground."""
_DART = ((0.0, 1.15), (2.5, 1.0), (3.14159, 0.45), (-2.5, 1.0))
_LANE = 6
"""Distance of shuttles from the middle of their edge, on the right-hand side of their way."""
_ASIDE = 15


@dataclass(frozen=True, repr=False)
class Drawing:
    """Picture of a game as its viewer sees it. Notebooks show it; `save` writes it.

    ``players``: their names; ``orders``: moves of this turn as shuttles that are about to leave; ``heat``: strength of the
    mark of planets, from id to a value from 0 to 1.
    """

    graph: Graph
    view: View
    turns_per_weight: int
    headline: str
    players: tuple[str, str]
    orders: tuple[Shuttle, ...] = ()
    heat: Mapping[int, float] = field(default_factory=dict)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg, or a .png of twice the size (needs Pillow). ValueError for another ending."""
        path = Path(path)
        if path.suffix not in (".svg", ".png"):
            raise ValueError(f"a drawing is saved as .svg or .png, not as {path.name!r}")
        write_atomically(path, self.png() if path.suffix == ".png" else self.svg().encode())

    def svg(self) -> str:
        """Return the drawing as SVG text."""
        return picture_svg(self.graph, self.shapes(), self.headline)

    def image(self, scale: int = 1) -> Any:
        """Return the drawing as an image of Pillow, with ``scale`` pixels per unit."""
        from planetwars_env.render.raster import picture

        return picture(self.graph, self.shapes(), scale)

    def png(self) -> bytes:
        """Return the drawing as a PNG file with two pixels per unit."""
        from planetwars_env.render.raster import png_of

        return png_of(self.image(scale=2))

    _repr_svg_ = svg

    def __repr__(self) -> str:
        return f"Drawing({self.headline})"

    def shapes(self) -> Iterator[Shape]:
        """Yield the shapes that change during a game: planets with their heat, shuttles and the heading."""
        layout = lay_out(self.graph)
        planets = [
            (planet, self.heat.get(planet.id, 0), x, y + HEADING)
            for planet, (x, y) in zip(self.view.planets, layout.places.tolist(), strict=True)
        ]
        for planet, heat, x, y in planets:
            if heat >= _SHOWN:
                colour = mixed(LIGHT.ground, LIGHT.heat, max(heat, _LEAST_HEAT))
                yield DiscPart(x, y, _radius(planet) + _HALO, 0, 1, colour)
        for planet, _, x, y in planets:
            yield from _planet(planet, x, y)
        for planet, heat, x, y in planets:
            if heat >= _SHOWN:
                yield Label(x, y - _radius(planet) - 9, f"{heat:.2f}", 12, LIGHT.heat, LIGHT.ground, bold=True)
        for shuttle in (*self.orders, *self.view.shuttles):
            yield from self._shuttle(shuttle, layout.places)
        yield Label(layout.width / 2, 18, self.headline, 15, LIGHT.ink, bold=True)
        for player, name in enumerate(self.players, 1):
            x, turn, anchor = (26, 1, "start") if player == 1 else (layout.width - 26, -1, "end")
            colour, most, middle = owner_colour(player), layout.width // 24, 48
            people = sum(planet.people[player - 1] for planet in self.view.planets if planet.people)
            people += sum(shuttle.people for shuttle in self.view.shuttles if shuttle.player == player)
            owned = len(self.view.owned_by(player))
            name = name if len(name) <= most else f"{name[: most - 1]}…"
            totals = f"{people:,} {'person' if people == 1 else 'people'}, {owned} planet{'' if owned == 1 else 's'}"
            yield DiscPart(x, middle, 11, 0, 1, LIGHT.planet)
            yield DiscPart(x, middle, 11, 0, 1, colour, striped=player == 2)
            yield Ring(x, middle, 11, colour, 2.5, broken=player == 2)
            yield Label(x + turn * 20, middle - 8, name, 14, colour, anchor=anchor, bold=True)
            yield Label(x + turn * 20, middle + 9, totals, 12, LIGHT.soft, anchor=anchor)

    def _shuttle(self, shuttle: Shuttle, places: Points) -> Iterator[Shape]:
        """Yield a shuttle: it flies from rim to rim."""
        a, b = self.graph.index[shuttle.source], self.graph.index[shuttle.destination]
        (x1, y1), (x2, y2) = places[a].tolist(), places[b].tolist()
        length = hypot(x2 - x1, y2 - y1) or 1.0
        weight = next(e.weight for e in self.view.edges if {e.a, e.b} == {shuttle.source, shuttle.destination})
        flown = 1 - shuttle.turns / (weight * self.turns_per_weight)
        start, end = _radius(self.view.planets[a]) + 8, length - _radius(self.view.planets[b]) - 8
        way = start + (max(end, start) - start) * flown
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        x, y, angle = x1 + ux * way - uy * _LANE, y1 + HEADING + uy * way + ux * _LANE, round(atan2(uy, ux), 2)
        points = tuple(
            (round(8 * cos(angle + turn) * far, 1), round(8 * sin(angle + turn) * far, 1)) for turn, far in _DART
        )
        colour, ground = owner_colour(shuttle.player), LIGHT.ground
        yield Polygon(x, y, points, *((ground, colour) if shuttle.player == 2 else (colour, ground)))
        # The number stands on the outer side of the lane, away from the shuttles that come the other way.
        x, y = x - _ASIDE * sin(angle), y + _ASIDE * cos(angle)
        yield Label(x, y, str(shuttle.people), 12, colour, ground, bold=True)


def _planet(planet: PlanetView, x: float, y: float) -> Iterator[Shape]:
    """Yield one planet; the fog leaves a dim disc with a question mark."""
    if planet.people is None or planet.size is None:
        yield DiscPart(x, y, UNKNOWN_RADIUS, 0, 1, LIGHT.fog)
        yield Ring(x, y, UNKNOWN_RADIUS, LIGHT.line, 1.5)
        yield Label(x, y, "?", 15, LIGHT.nobody)
        yield Label(x, y + UNKNOWN_RADIUS + 9, f"#{planet.id}", 11, LIGHT.nobody, LIGHT.ground)
        return
    radius, ground, ink = radius_of(planet.size), ground_colour(planet.owner), LIGHT.ink
    (first, second), total = planet.people, sum(planet.people)
    height = min(1.0, max(_LEAST_LEVEL, total / planet.size))
    yield DiscPart(x, y, radius, 0, 1, ground)
    if first:
        yield DiscPart(x, y, radius, 0, height * first / total, LIGHT.player_1)
    if second:
        yield DiscPart(x, y, radius, height * first / total, height, LIGHT.player_2, striped=True)
    yield Ring(x, y, radius, owner_colour(planet.owner), 3.0 if planet.owner else 2.0, planet.owner == 2)
    if first and second:
        yield Label(x, y - 7, str(second), 13, ink, ground, bold=True)
        yield Label(x, y + 7, str(first), 13, ink, ground, bold=True)
    elif total:
        yield Label(x, y, str(total), 14, ink, ground, bold=True)
    yield Label(x, y + radius + 9, f"#{planet.id}", 11, LIGHT.soft, LIGHT.ground)
    if planet.base:
        yield from base_shapes(x + radius * 0.75 + 3, y - radius * 0.75 - 3, planet.base)


def _radius(planet: PlanetView) -> float:
    return UNKNOWN_RADIUS if planet.size is None else radius_of(planet.size)


def drawing_of(
    game: Game, viewer: int | None = None, names: tuple[str, str] | None = None, orders: Iterable[Move] = ()
) -> Drawing:
    """Return the drawing of a game as it stands.

    ``viewer``: 1 or 2 for its fog; ``orders``: moves of this turn; a viewer sees its own, from planets that it sees.
    """
    view, called = view_of(game, viewer), names or ("player 1", "player 2")
    sees = f", as {called[viewer - 1]} sees it" if viewer else ""
    headline = f"{game.graph.name or 'graph'}, turn {game.turn}: {game_status(game, called)}{sees}"
    leaving = departures(game, known_orders(orders, view, viewer, game.player))
    return Drawing(game.graph, view, game.rules.turns_per_weight, headline, called, leaving)


def departures(game: Game, moves: Iterable[Move]) -> tuple[Shuttle, ...]:
    """Return the shuttles that take off if the player to move makes these moves; illegal moves launch none."""
    moves = list(moves)
    if game.over or not moves:
        return ()
    after = game.copy()
    after.submit(moves)
    turns = {(e.a, e.b): e.weight * game.rules.turns_per_weight for e in game.graph.edges}
    return tuple(Shuttle(a, b, game.player, people, turns[min(a, b), max(a, b)]) for a, b, people in after.launched())


def known_orders(orders: Iterable[Move], view: View, viewer: int | None, player: int) -> list[Move]:
    """Return the orders of ``player`` that the viewer may see: its own, from visible planets.

    The fog hides whether others are legal.
    """
    if viewer is None:
        return list(orders)
    visible = {planet.id for planet in view.planets if planet.visible}
    return [move for move in orders if viewer == player and move.source in visible]


def draw(
    shown: Game | Replay,
    viewer: int | None = None,
    turn: int | None = None,
    heat: Mapping[int, float] | None = None,
) -> Drawing:
    """Draw a game as it stands, or one turn of a replay with its moves.

    ``viewer``: 1 or 2 draws what that player sees, None everything. ``turn``: of a replay; None: its end. ``heat``: planets
    to mark by a ring and a number, from ids to values from 0 to 1; values below 0.005 are not drawn. ValueError for another
    viewer, a turn that the replay does not have, an unknown planet or a value outside 0 to 1; TypeError if ``shown`` is
    neither a game nor a replay.
    """
    if isinstance(shown, Game):
        if turn is not None:
            raise ValueError("turn goes with a replay only: a game is drawn on its present turn")
        drawing = drawing_of(shown, viewer)
    elif isinstance(shown, Replay):
        last = len(shown.moves)
        if turn is not None and not 1 <= turn <= max(1, last):
            raise ValueError(f"turn {turn} is not in the replay: choose one from 1 to {last}")
        drawing = next(islice(replay_drawings(shown, viewer), last if turn is None else turn - 1, None))
    else:
        raise TypeError(f"draw takes a Game or a Replay, not {type(shown).__name__}")
    for planet, value in (heat or {}).items():
        if planet not in drawing.graph.index:
            raise ValueError(f"heat: planet {planet} is not in this graph")
        if not 0 <= value <= 1:
            raise ValueError(f"heat: planet {planet} has {value}, which must be from 0 to 1")
    return replace(drawing, heat=dict(heat or {}))


def replay_drawings(replay: Replay, viewer: int | None = None) -> Iterator[Drawing]:
    """Yield the drawing of every turn, and of the end."""
    for game, moves in zip(replay.games(), (*replay.moves, ()), strict=False):
        yield drawing_of(game, viewer, replay.players, moves)
