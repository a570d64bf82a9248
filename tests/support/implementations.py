"""Implementations of the game that tests compare, behind one common adapter.

A `GameMaker` makes games: ``ORACLE`` is the slow reading of the rules in oracle.py, ``ENGINE`` is ``pw.Game``.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import planetwars_env as pw
from support import oracle
from support.presets import BY_PRESET

PRESETS = tuple(oracle.PRESETS)
Board = dict[str, Any]
State = dict[str, Any]
Moves = list[tuple[int, int, int]]


class Match(Protocol):
    """A game in either implementation, as far as the tests use it."""

    @property
    def turn(self) -> int: ...
    @property
    def player(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def winner(self) -> int: ...
    def submit(self, moves: Moves) -> list[bool]: ...
    def advance(self) -> None: ...
    def play(self, moves: Moves) -> Any: ...
    def copy(self) -> Match: ...
    def seen_by(self, player: int) -> dict[str, Any]: ...
    def to_dict(self) -> State: ...


class GameMaker(Protocol):
    """Makes games on a board that ``prepare`` has turned into what the implementation wants."""

    def prepare(self, board: Board) -> Any: ...
    def start(self, board: Any, preset: str, max_turns: int | None = None) -> Match: ...
    def resume(self, board: Any, state: State, preset: str, max_turns: int | None = None) -> Match: ...


class OracleFace:
    """The slow oracle; it needs no adapting."""

    def prepare(self, board: Board) -> Board:
        return board

    def start(self, board: Board, preset: str, max_turns: int | None = None) -> Match:
        return oracle.Game(board, preset, max_turns)

    def resume(self, board: Board, state: State, preset: str, max_turns: int | None = None) -> Match:
        return oracle.Game.from_dict(board, state, preset, max_turns)


class EngineMatch:
    """``pw.Game`` with moves as plain tuples and the view as plain lists."""

    def __init__(self, game: pw.Game) -> None:
        self.game = game

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # a copy asks before it has a game
            raise AttributeError(name)
        return getattr(self.game, name)

    def submit(self, moves: Moves) -> list[bool]:
        return self.game.submit([pw.Move(*move) for move in moves])

    def play(self, moves: Moves) -> Any:
        return self.game.play([pw.Move(*move) for move in moves])

    def copy(self) -> EngineMatch:
        return EngineMatch(self.game.copy())

    def seen_by(self, player: int) -> dict[str, Any]:
        view = self.game.view(player)
        edges = sorted([*sorted((edge.a, edge.b)), edge.weight] for edge in view.edges)
        planets = {planet.id: _details(view.planet(planet.id)) for planet in view.planets}
        shuttles = sorted([s.source, s.destination, s.player, s.people, s.turns] for s in view.shuttles)
        return {"edges": edges, "planets": planets, "shuttles": shuttles}


def _details(planet: Any) -> list[Any] | None:
    """A view's entries for a planet; None only where every single detail is hidden."""
    details = [planet.owner, planet.people, planet.size, planet.habitability, planet.base, planet.population]
    if not planet.visible and details == [None] * len(details):
        return None
    owner, people, size, habitability, base, _ = details
    return [owner, *people, size, habitability, base]


class EngineFace:
    """The compiled engine, through its public names."""

    def prepare(self, board: Board) -> pw.Graph:
        return pw.Graph.from_dict(board)

    def start(self, board: pw.Graph, preset: str, max_turns: int | None = None) -> Any:
        return EngineMatch(pw.Game(board, BY_PRESET[preset], max_turns))

    def resume(self, board: pw.Graph, state: State, preset: str, max_turns: int | None = None) -> Any:
        return EngineMatch(pw.Game.from_dict(board, state, BY_PRESET[preset], max_turns))


ORACLE, ENGINE = OracleFace(), EngineFace()
GAME_MAKERS: dict[str, GameMaker] = {"oracle": ORACLE, "engine": ENGINE}


# --- whole games, written down as scripts ------------------------------------------------------------------------


class Script(NamedTuple):
    """A game to be played: every move of every turn, legal or not. ``state`` None: from the start of the board."""

    board: Board
    preset: str
    max_turns: int | None
    state: State | None
    turns: list[Moves]


class Step(NamedTuple):
    """Record of a turn: the state once time had passed, which moves were legal, and the state after them."""

    before: State
    accepted: list[bool]
    after: State


class Trace(NamedTuple):
    """Record of a game: its turns, and the state in which the script or the game ended."""

    steps: list[Step]
    end: State


def open_script(maker: GameMaker, script: Script) -> Match:
    board = maker.prepare(script.board)
    if script.state is None:
        return maker.start(board, script.preset, script.max_turns)
    return maker.resume(board, script.state, script.preset, script.max_turns)


def play_script(maker: GameMaker, script: Script) -> Trace:
    """One game of one maker."""
    match = open_script(maker, script)
    steps = []
    for moves in script.turns:
        if match.over:
            break
        before = told(match.to_dict())
        accepted = [bool(flag) for flag in match.submit(moves)]
        steps.append(Step(before, accepted, told(match.to_dict(), moved=True)))
        match.advance()
    return Trace(steps, told(match.to_dict()))


def told(state: State, moved: bool = False) -> State:
    """The part of a state that the rules settle: what is seen is settled before the moves (R3), while a game runs."""
    unsettled = {"visible", "player"} if state["over"] else {"visible"} if moved else set()
    return {key: value for key, value in state.items() if key not in unsettled}
