"""The two implementations of the game that tests compare: the slow reading of the rules (oracle.py), and ``pw.Game``.

A `GameMaker` makes games: ``maker(board, preset, max_turns, state)``, from the start of the board where ``state`` is None.
"""

from typing import Any, NamedTuple

import planetwars_env as pw
from support import oracle
from support.presets import BY_PRESET

PRESETS = tuple(oracle.PRESETS)
Board = dict[str, Any]
State = dict[str, Any]
Moves = list[tuple[int, int, int]]


class Engine:
    """``pw.Game`` with the arguments of `oracle.Game` and with its form of a view; ``board`` may be a `pw.Graph` too."""

    def __init__(
        self, board: Board | pw.Graph, preset: str, max_turns: int | None = None, state: State | None = None
    ) -> None:
        graph, rules = board if isinstance(board, pw.Graph) else pw.Graph.from_dict(board), BY_PRESET[preset]
        begun = pw.Game(graph, rules, max_turns) if state is None else pw.Game.from_dict(graph, state, rules, max_turns)
        self.game = begun

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def seen_by(self, player: int) -> dict[str, Any]:
        view = self.game.view(player)
        edges = sorted([*sorted((edge.a, edge.b)), edge.weight] for edge in view.edges)
        planets = {planet.id: _details(planet) for planet in view.planets}
        return {"edges": edges, "planets": planets, "shuttles": sorted(map(list, view.shuttles))}


def _details(planet: pw.PlanetView) -> list[Any] | None:
    """A view's entries for a planet; None only where every single detail is hidden."""
    details = [planet.owner, planet.people, planet.size, planet.habitability, planet.base, planet.population]
    if not planet.visible and details == [None] * len(details):
        return None
    owner, people, size, habitability, base, _ = details
    return [owner, *(people or ()), size, habitability, base]


GameMaker = type[oracle.Game] | type[Engine]
Match = oracle.Game | Engine
GAME_MAKERS: dict[str, GameMaker] = {"oracle": oracle.Game, "engine": Engine}


# --- whole games, written down as scripts ------------------------------------------------------------------------


class Script(NamedTuple):
    """A game to be played: every move of every turn, legal or not. ``state`` None: from the start of the board."""

    board: Board
    preset: str
    max_turns: int | None
    state: State | None
    turns: list[Moves]

    def open(self, maker: GameMaker) -> Match:
        return maker(self.board, self.preset, self.max_turns, self.state)


class Trace(NamedTuple):
    """Record of a game: its turns, and the state in which the script or the game ended.

    Of each turn: the state once time had passed, which moves were legal, and the state after them.
    """

    steps: list[tuple[State, list[bool], State]]
    end: State


def play_script(maker: GameMaker, script: Script) -> Trace:
    """One game of one maker."""
    match = script.open(maker)
    steps = []
    for moves in script.turns:
        if match.over:
            break
        before = told(match.to_dict())
        accepted = [bool(flag) for flag in match.submit(moves)]
        steps.append((before, accepted, told(match.to_dict(), moved=True)))
        match.advance()
    return Trace(steps, told(match.to_dict()))


def told(state: State, moved: bool = False) -> State:
    """The part of a state that the rules settle: what is seen is settled before the moves (R3), while a game runs."""
    unsettled = {"visible", "player"} if state["over"] else {"visible"} if moved else set()
    return {key: value for key, value in state.items() if key not in unsettled}
