"""What there is to draw on one turn: a position as somebody sees it, with places, names and totals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import Layout, lay_out
from planetwars_env.render.text import standing, view_of
from planetwars_env.view import Move, Shuttle, View


@dataclass(frozen=True)
class Side:
    """A player in the heading: its name, people (flying ones too) and planets, as far as the viewer sees them."""

    name: str
    people: int
    planets: int


@dataclass(frozen=True)
class Scene:
    """``view``: what is known; ``viewer``: to whom, 1, 2 or None without fog; ``turns_per_weight`` as in the rules.

    ``orders``: what the player to move sends this turn, as shuttles that have their whole way before them.
    ``heat``: how strongly planets are marked, by id, from 0 to 1.
    """

    graph: Graph
    layout: Layout
    view: View
    viewer: int | None
    turns_per_weight: int
    headline: str
    sides: tuple[Side, Side]
    orders: tuple[Shuttle, ...] = ()
    heat: Mapping[int, float] = field(default_factory=dict)


def make_scene(
    game: Game, viewer: int | None = None, names: tuple[str, str] | None = None, orders: Iterable[Move] = ()
) -> Scene:
    """The scene of a game as it stands. ``viewer``: 1 or 2 for its fog; ``orders``: moves that are about to be made, of which
    a viewer is shown its own, from planets that it sees."""
    view = view_of(game, viewer)
    called = names or ("player 1", "player 2")
    return Scene(
        graph=game.graph,
        layout=lay_out(game.graph),
        view=view,
        viewer=viewer,
        turns_per_weight=game.rules.turns_per_weight,
        headline=_headline(game, viewer, called),
        sides=(_side(view, 1, called[0]), _side(view, 2, called[1])),
        orders=departures(game, _known(orders, view, viewer, game.player)),
    )


def departures(game: Game, moves: Iterable[Move]) -> tuple[Shuttle, ...]:
    """The shuttles that take off when the player to move makes these moves now; illegal ones leave nothing."""
    moves = list(moves)
    if game.over or not moves:
        return ()
    after = game.copy()
    after.submit(moves)
    turns = {(e.a, e.b): e.weight * game.rules.turns_per_weight for e in game.graph.edges}
    return tuple(
        shuttle
        for shuttle in after.shuttles()
        if shuttle.turns == turns[min(shuttle[:2]), max(shuttle[:2])] and shuttle.player == game.player
    )


def _known(orders: Iterable[Move], view: View, viewer: int | None, player: int) -> list[Move]:
    """Orders are the secret of who gives them, and whether one from a hidden planet is legal, the fog hides from it too."""
    if viewer is None:
        return list(orders)
    seen = {planet.id for planet in view.planets if planet.visible}
    return [move for move in orders if viewer == player and move.source in seen]


def _headline(game: Game, viewer: int | None, names: tuple[str, str]) -> str:
    title = f"{game.graph.name or 'board'}, turn {game.turn}"
    seen = f", as {names[viewer - 1]} sees it" if viewer else ""
    return f"{title}: {standing(game, names)}{seen}"


def _side(view: View, player: int, name: str) -> Side:
    settled = sum(planet.people[player - 1] for planet in view.planets if planet.people)
    flying = sum(shuttle.people for shuttle in view.shuttles if shuttle.player == player)
    return Side(name, settled + flying, len(view.owned_by(player)))
