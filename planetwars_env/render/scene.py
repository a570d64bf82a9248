"""Scene of one turn: a view of a position with its layout, names and totals, ready to be drawn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import Layout, lay_out
from planetwars_env.render.text import game_status, view_of
from planetwars_env.view import Move, Shuttle, View


@dataclass(frozen=True)
class PlayerSummary:
    """Summary of a player in the heading: name, people (in shuttles too) and planets that the viewer sees."""

    name: str
    people: int
    planets: int


@dataclass(frozen=True)
class Scene:
    """A view of a game and everything else that its drawing shows.

    ``orders``: moves of this turn as shuttles that are about to leave; ``heat``: strength of the mark of planets, from id to a
    value from 0 to 1.
    """

    graph: Graph
    layout: Layout
    view: View
    turns_per_weight: int
    headline: str
    players: tuple[PlayerSummary, PlayerSummary]
    orders: tuple[Shuttle, ...] = ()
    heat: Mapping[int, float] = field(default_factory=dict)


def make_scene(
    game: Game, viewer: int | None = None, names: tuple[str, str] | None = None, orders: Iterable[Move] = ()
) -> Scene:
    """Return the scene of a game as it stands.

    ``viewer``: 1 or 2 for its fog; ``orders``: moves of this turn; a viewer sees its own, from planets that it sees.
    """
    view = view_of(game, viewer)
    called = names or ("player 1", "player 2")
    sees = f", as {called[viewer - 1]} sees it" if viewer else ""
    players = []
    for player, name in enumerate(called, 1):
        settled = sum(planet.people[player - 1] for planet in view.planets if planet.people)
        flying = sum(shuttle.people for shuttle in view.shuttles if shuttle.player == player)
        players.append(PlayerSummary(name, settled + flying, len(view.owned_by(player))))
    return Scene(
        graph=game.graph,
        layout=lay_out(game.graph),
        view=view,
        turns_per_weight=game.rules.turns_per_weight,
        headline=f"{game.graph.name or 'graph'}, turn {game.turn}: {game_status(game, called)}{sees}",
        players=(players[0], players[1]),
        orders=departures(game, known_orders(orders, view, viewer, game.player)),
    )


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
