"""Positions as JSON data for the pages in a browser, which draw them with page/drawing.js.

A page gets a graph (`graph_data`, which no fog hides) and states. The play page gets one state at a time with what its
player may know (`state_data`, from a View); the replay page gets a whole game as changes (`replay_data`).
"""

from typing import Any

from planetwars_env.bots.notes import TurnNotes
from planetwars_env.engine.rules import owner_of
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.layout import UNKNOWN_RADIUS, lay_out, radius_of
from planetwars_env.render.scene import departures
from planetwars_env.render.text import describe_moves, describe_repetition, describe_result
from planetwars_env.render.win_probability import SHOWN_TOTALS, GameTotals, win_curve
from planetwars_env.replay import Replay
from planetwars_env.view import PlanetView, Shuttle, View

_Key = tuple[int, int, int, int, int]


def graph_data(graph: Graph) -> dict[str, Any]:
    """Return the layout of a graph: ``planets`` [id, x, y], ``edges`` [planet, planet, weight] by index.

    ``unknown``: the radius of a planet that the fog hides.
    """
    layout = lay_out(graph)
    return {
        "name": graph.name,
        "width": layout.width,
        "height": layout.height,
        "unknown": UNKNOWN_RADIUS,
        "planets": [[planet.id, *place] for planet, place in zip(graph.planets, layout.places.tolist(), strict=True)],
        "edges": [[graph.index[edge.a], graph.index[edge.b], edge.weight] for edge in graph.edges],
    }


def state_data(view: View, turns_per_weight: int = 1, orders: tuple[Shuttle, ...] = ()) -> dict[str, Any]:
    """Return what a view shows and nothing else, as drawing.js takes it.

    ``planets``: {visible, people, size, habitability, base, owner, radius}, all but ``visible`` null where the fog hides them;
    ``shuttles``: {from, to, player, people, left, flight}, ends by index, turns left of the turns of the whole flight;
    ``orders`` are shuttles that are about to leave.
    """
    index = {planet.id: i for i, planet in enumerate(view.planets)}
    flights = {(edge.a, edge.b): edge.weight * turns_per_weight for edge in view.edges}
    return {
        "turn": view.turn,
        "planets": [planet_data(planet) for planet in view.planets],
        "shuttles": [
            {
                "from": index[shuttle.source],
                "to": index[shuttle.destination],
                "player": shuttle.player,
                "people": shuttle.people,
                "left": shuttle.turns,
                "flight": flights[min(shuttle[:2]), max(shuttle[:2])],
            }
            for shuttle in (*view.shuttles, *orders)
        ],
    }


def planet_data(planet: PlanetView) -> dict[str, Any]:
    """Return a planet of `state_data`."""
    return {
        "visible": planet.visible,
        "people": planet.people,
        "size": planet.size,
        "habitability": planet.habitability,
        "base": planet.base,
        "owner": planet.owner,
        "radius": None if planet.size is None else radius_of(planet.size),
    }


def replay_data(replay: Replay) -> dict[str, Any]:
    """Return a whole game, re-run: the constant part, and the changes of every turn.

    ``planets``: [size, habitability, base, radius]; ``frames``: one per turn and one for the end, each with the changes
    since the frame before: ``planets`` [planet, people of 1, of 2, owner], ``visible`` [planet, viewers], ``launched`` new
    shuttles [from, to, player, people, landing turn, turns of flight, viewers], ``visibility`` [number of shuttle,
    viewers], ``gone`` numbers of landed shuttles, ``totals`` [people of 1, of 2, planets of 1, of 2, growth of 1, of 2].
    Viewers: 1, 2, 3 for both, 0 for neither. Shuttles are numbered from 0 in order of launch. ``win``: the probability that
    player 1 wins on each frame, in thousandths; empty for rules without coefficients. ReplayError if the replay cannot be
    re-run.
    """
    writer = _Writer(replay.graph)
    frames = [
        writer.frame(game, departures(game, moves))
        for game, moves in zip(replay.games(), (*replay.moves, ()), strict=False)
    ]
    return {
        "graph": graph_data(replay.graph),
        "planets": [[p.size, p.habitability, p.base, radius_of(p.size)] for p in replay.graph.planets],
        "players": list(replay.players),
        "rules": replay.rules.name,
        "coexistence": replay.rules.coexistence,
        "seed": replay.seed,
        "package": replay.package,
        "winner": replay.winner,
        "cut_off": replay.cut_off,
        "over": bool(replay.winner or replay.cut_off) or replay.finished,
        "repetition": describe_repetition(replay),
        "moves": describe_moves(replay),
        "forfeit": describe_result(replay) if replay.forfeit else "",
        "turns": replay.turns,
        "console": [_told(replay.graph, notes) for notes in replay.console],
        "frames": frames,
        "win": win_curve(replay),
    }


def _told(graph: Graph, notes: TurnNotes) -> dict[str, Any]:
    """Return a turn's notes with the marks on planets of the graph, by index."""
    marks = [[graph.index[planet], text] for planet, text in notes.marks if planet in graph.index]
    return {**notes._asdict(), "marks": marks}


class _Writer:
    """Writer of frames: turns the positions of a game, in order, into changes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._game_totals = GameTotals(graph)
        self._flights = {}
        for edge in graph.edges:
            self._flights[edge.a, edge.b] = self._flights[edge.b, edge.a] = edge.weight
        self._people: list[list[int]] = [[-1, -1, -1] for _ in graph.planets]
        self._visible = [-1] * len(graph.planets)
        self._flying: dict[_Key, int] = {}
        self._known: dict[int, int] = {}
        self._count = 0

    def frame(self, game: Game, orders: tuple[Shuttle, ...]) -> dict[str, Any]:
        """Return the changes since the frame before."""
        views = game.view(1), game.view(2)
        people = [[first, second, owner_of(first, second)] for first, second in game.people()]
        visible = [sum(view.player for view in views if view.planets[p].visible) for p in range(len(people))]
        changes: dict[str, Any] = {
            "planets": [[p, *now] for p, (now, old) in enumerate(zip(people, self._people, strict=True)) if now != old],
            "visible": [
                [p, now] for p, (now, old) in enumerate(zip(visible, self._visible, strict=True)) if now != old
            ],
            **self._shuttles(game, views, orders),
        }
        self._people, self._visible = people, visible
        changes["totals"] = self._game_totals.of(game)[SHOWN_TOTALS].ravel().tolist()
        return {key: value for key, value in changes.items() if value}

    def _shuttles(self, game: Game, views: tuple[View, View], orders: tuple[Shuttle, ...]) -> dict[str, Any]:
        now: dict[_Key, int] = {}
        weighted = game.rules.turns_per_weight
        known = [set(view.shuttles) for view in views]
        for shuttle in game.shuttles():
            now[self._key(shuttle, game.turn)] = sum(i for i in (1, 2) if shuttle in known[i - 1])
        for shuttle in orders:
            # A player knows its own orders, but not whether anybody leaves a hidden planet; the opponent knows what it sees.
            leaves_in_sight = views[shuttle.player - 1].planet(shuttle.source).visible
            now[self._key(shuttle, game.turn)] = shuttle.player if leaves_in_sight else 0
        launched, changed = [], []
        for key, viewers in now.items():
            if key not in self._flying:
                self._flying[key] = self._count
                self._count += 1
                launched.append(
                    [
                        *key,
                        self._flights[self._graph.planets[key[0]].id, self._graph.planets[key[1]].id] * weighted,
                        viewers,
                    ]
                )
            elif self._known[self._flying[key]] != viewers:
                changed.append([self._flying[key], viewers])
            self._known[self._flying[key]] = viewers
        gone = [self._flying.pop(key) for key in [key for key in self._flying if key not in now]]
        return {"launched": launched, "visibility": changed, "gone": gone}

    def _key(self, shuttle: Shuttle, turn: int) -> _Key:
        index = self._graph.index
        return index[shuttle.source], index[shuttle.destination], shuttle.player, shuttle.people, turn + shuttle.turns
