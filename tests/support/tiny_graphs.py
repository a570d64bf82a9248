"""Boards small enough to draw, and the states on them, for tests that tell one rule as one sentence."""

from support.implementations import Board, GameMaker, Match, State

Edges = list[tuple[int, int, int]]
People = dict[int, tuple[int, int]]

# A planet 0 where both players land in one turn: player 1 launched from its base 1 on turn 21, player 2 from 2 on 20.
CROSSROADS: Edges = [(0, 1, 1), (0, 2, 2)]
# Player 1's base at the left end, player 2's at the right end.
LINE: Edges = [(1, 2, 1), (2, 3, 1), (3, 4, 1), (4, 5, 1)]


def tiny_board(
    edges: Edges,
    bases: tuple[int, int],
    sizes: dict[int, int] | None = None,
    habitability: dict[int, int] | None = None,
) -> Board:
    """The planets that the edges and bases name, of size 100 where nothing else is said, and without any growth."""
    ids = sorted({end for a, b, _ in edges for end in (a, b)} | set(bases))
    planets = [
        {
            "id": name,
            "habitability": (habitability or {}).get(name, 0),
            "size": (sizes or {}).get(name, 100),
            "x": place,
            "y": 0,
            "base": bases.index(name) + 1 if name in bases else 0,
        }
        for place, name in enumerate(ids)
    ]
    return {"planets": planets, "edges": [{"a": a, "b": b, "weight": weight} for a, b, weight in edges]}


def tiny_state(board: Board, people: People, shuttles: list[list[int]] | None = None, turn: int = 21) -> State:
    """Turn 21 is player 1's, 20 and 22 are player 2's. Planets not named are empty."""
    planets = []
    for planet in board["planets"]:
        first, second = people.get(planet["id"], (0, 0))
        planets.append([planet["id"], (first > second) + 2 * (second > first), first, second])
    return {"turn": turn, "over": False, "winner": 0, "planets": planets, "shuttles": shuttles or []}


def resumed(
    maker: GameMaker,
    board: Board,
    people: People,
    shuttles: list[list[int]] | None = None,
    turn: int = 21,
    preset: str = "planetwars",
    max_turns: int | None = None,
) -> Match:
    """A game of ``maker`` in the state given; its player may move."""
    return maker(board, preset, max_turns, tiny_state(board, people, shuttles, turn))


def people_on(match: Match, planet: int) -> tuple[int, int]:
    return next((first, second) for name, _, first, second in match.to_dict()["planets"] if name == planet)


def owner_of(match: Match, planet: int) -> int:
    return next(owner for name, owner, _, _ in match.to_dict()["planets"] if name == planet)


def after_landing(
    maker: GameMaker,
    preset: str,
    there: tuple[int, int],
    landing: tuple[int, int],
    size: int = 100,
    habitability: int = 0,
) -> tuple[int, int]:
    """The people on a planet that held ``there`` after time has passed once, with ``landing`` of each player."""
    board = tiny_board(CROSSROADS, bases=(1, 2), sizes={0: size}, habitability={0: habitability})
    launched = [[player, 0, player, people, 1] for player, people in zip((1, 2), landing, strict=True) if people]
    match = resumed(maker, board, {0: there, 1: (1, 0), 2: (0, 1)}, launched, turn=21, preset=preset)
    match.advance()
    return people_on(match, 0)
