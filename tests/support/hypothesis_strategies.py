"""Hypothesis strategies: small boards with odd things on them, and scripts of moves, legal and illegal.

The number of examples of a test comes from ``examples(n)``: ``n`` when the share PLANETWARS_EXAMPLES of conftest.py is
100 per cent.
"""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from support import oracle
from support.implementations import Board, Moves, Script
from support.tiny_graphs import CROSSROADS, tiny_board, tiny_state


def examples(number: int) -> settings:
    """Settings for ``number`` examples at the usual share; the profile loaded by conftest.py says which share it is."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=max(1, number * settings().max_examples // 100), suppress_health_check=slow)


# --- boards ------------------------------------------------------------------------------------------------------

HABITABILITY = st.sampled_from([0, 1, 5, 10, 25, 99, 100, 1000]) | st.integers(0, 30)
SIZE = st.integers(1, 12) | st.integers(1, 300)
GREAT_SIZE = st.integers(1_000_000, 6_000_000)  # eight of them stay below R1's limit on the sum
IDS = st.integers(0, 9) | st.integers(0, 2**31 - 1)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Two to eight planets; any edges between them, so that some boards fall apart and some are stars or cliques."""
    ids = draw(st.lists(IDS, min_size=2, max_size=8, unique=True))
    first, second = draw(st.permutations(range(len(ids))))[:2]
    size = GREAT_SIZE if draw(st.integers(0, 9)) == 9 else SIZE
    planets = [
        {"id": name, "habitability": draw(HABITABILITY), "size": draw(size), "x": place, "y": 0, "base": 0}
        for place, name in enumerate(ids)
    ]
    planets[first]["base"], planets[second]["base"] = 1, 2
    return {"planets": planets, "edges": draw(_edges(ids))}


@st.composite
def vast_boards(draw: st.DrawFn) -> Board:
    """Sizes up to R1's limit on their sum and flights so long that no game on them fits into 32 bits (docs/bounds.md)."""
    size, weight = st.integers(15_000_000, 16_666_666), st.integers(60, 79)
    planets = [
        {"id": name, "habitability": draw(HABITABILITY), "size": draw(size), "x": name, "y": 0, "base": name}
        for name in range(3)
    ]
    edges = [{"a": a, "b": b, "weight": draw(weight)} for a, b in ((0, 1), (1, 2))]
    return {"planets": planets, "edges": [*edges, {"a": 0, "b": 2, "weight": 1}]}


@st.composite
def _edges(draw: st.DrawFn, ids: list[int]) -> list[dict[str, int]]:
    pairs = [(a, b) for place, a in enumerate(ids) for b in ids[:place]]
    weights = draw(st.lists(st.integers(-2, 6), min_size=len(pairs), max_size=len(pairs)))
    return [{"a": a, "b": b, "weight": weight} for (a, b), weight in zip(pairs, weights, strict=True) if weight > 0]


# --- moves -------------------------------------------------------------------------------------------------------

LEGAL_PEOPLE = ["one", "half", "all"]
ILLEGAL_PEOPLE = {
    "none": 0,
    "minus one": -1,
    "far below zero": -(2**40),
    "beyond 31 bits": 2**31,
    "one beyond 32 bits": 2**32 + 1,
    "one beyond 64 bits": 2**64 + 1,
}
PEOPLE = LEGAL_PEOPLE * 12 + ["one too many", *ILLEGAL_PEOPLE]
PLACES = ["an edge"] * 24 + ["no edge", "unknown source", "unknown destination", "32 bits off", "-1"]
# One number holds a wish (see ``grant``), since hypothesis takes its time over each draw; 0 is a plain legal move.
WISHES = st.integers(0, 64 * 8 * len(PLACES) * len(PEOPLE) - 1)


def grant(game: oracle.Game, wish: int) -> tuple[int, int, int]:
    """The move that a wish comes to where the game stands: mostly legal, sometimes illegal in a chosen way."""
    rest, amount = divmod(wish, len(PEOPLE))
    rest, place = divmod(rest, len(PLACES))
    pick, slot = divmod(rest, 8)
    ids = sorted(game.planets)
    own = [name for name in ids if game.planets[name].people[game.player] > 0]
    source = own[pick % len(own)] if own and pick < 56 else ids[pick % len(ids)]
    neighbours = sorted(b for a, b in game.weights if a == source)
    destination = neighbours[slot % len(neighbours)] if neighbours else source
    people = _people(game.planets[source].people[game.player], PEOPLE[amount])
    return *_misplaced(PLACES[place], source, destination, ids, slot), people


def _people(there: int, amount: str) -> int:
    legal = {"one": 1, "half": max(1, there // 2), "all": max(1, there), "one too many": there + 1}
    return legal[amount] if amount in legal else ILLEGAL_PEOPLE[amount]


def _misplaced(place: str, source: int, destination: int, ids: list[int], slot: int) -> tuple[int, int]:
    unknown = next(name for name in range(2**31) if name not in ids)
    wrong = {
        "an edge": (source, destination),
        "no edge": (source, ids[slot % len(ids)]),
        "unknown source": (unknown, destination),
        "unknown destination": (source, unknown),
        "32 bits off": (source + 2**32, destination - 2**32),
        "-1": (-1, destination),
    }
    return wrong[place]


# --- scripts -----------------------------------------------------------------------------------------------------

LIMITS = st.none() | st.integers(1, 40)


@st.composite
def scripts(draw: st.DrawFn, preset: str) -> Script:
    """A game from the start of a board; ends with its moves, or earlier with the game."""
    return draw(_written(preset, draw(boards()), None))


@st.composite
def scripts_in_midgame(draw: st.DrawFn, preset: str) -> Script:
    """A game from any state that could have come about: any populations, and shuttles that land together."""
    board = draw(boards())
    return draw(_written(preset, board, draw(_states(preset, board))))


@st.composite
def vast_scripts(draw: st.DrawFn, preset: str) -> Script:
    """A game in which more people are about than 32 bits hold."""
    board = draw(vast_boards())
    state = draw(_states(preset, board, crowds=st.integers(2**30, 2**31), shuttles=(6, 12)))
    return draw(_written(preset, board, state))


@st.composite
def encounters(draw: st.DrawFn, preset: str) -> Script:
    """Two turns without a move, in which people of both players land on one planet; few numbers, so that many meet."""
    few = st.integers(0, 9)
    board = tiny_board(CROSSROADS, (1, 2), sizes={0: draw(st.integers(1, 20))}, habitability={0: draw(HABITABILITY)})
    people = {0: (draw(few), draw(few) if oracle.PRESETS[preset].coexistence else 0), 1: (1, 0), 2: (0, 1)}
    landing = [
        [player, 0, player, draw(st.integers(1, 9)), 1] for player in draw(st.sampled_from([(1, 2), (1,), (2,)]))
    ]
    return Script(board, preset, None, tiny_state(board, people, landing), [[], []])


@st.composite
def _written(draw: st.DrawFn, preset: str, board: Board, state: dict[str, Any] | None) -> Script:
    """Wishes become moves as the oracle plays them."""
    limit = draw(LIMITS)
    if state is not None and limit is not None:
        limit += state["turn"] - 1
    game = oracle.Game(board, preset, limit, state)
    length = draw(st.integers(1, 40))
    turns: list[Moves] = []
    for wishes in draw(st.lists(st.lists(WISHES, max_size=4), min_size=length, max_size=length)):
        if game.over:
            break
        turns.append([])
        for wish in wishes:
            turns[-1].append(grant(game, wish))
            game.submit(turns[-1][-1:])
        game.advance()
    return Script(board, preset, limit, state, turns)


@st.composite
def _states(
    draw: st.DrawFn,
    preset: str,
    board: Board,
    crowds: st.SearchStrategy[int] | None = None,
    shuttles: tuple[int, int] = (0, 12),
) -> dict[str, Any]:
    """``crowds`` (people) fly in the shuttles; None: up to a sixth of the sizes, so that twelve could have come about."""
    longest = max((edge["weight"] for edge in board["edges"]), default=0) * oracle.PRESETS[preset].turns_per_weight
    turn = draw(st.integers(20, 21)) + longest // 20 * 20  # so late that every shuttle was launched on some turn
    planets = [[planet["id"], 0, *draw(_populations(preset, planet["size"]))] for planet in board["planets"]]
    pace = oracle.PRESETS[preset].turns_per_weight
    edges = [(a, b, edge["weight"]) for edge in board["edges"] for a, b in _both_ways(edge)]
    crowds = (
        crowds
        if crowds is not None
        else st.integers(1, max(1, sum(planet["size"] for planet in board["planets"]) // 6))
    )
    flights = (
        draw(st.lists(_flights(edges, pace, turn, crowds), min_size=min(shuttles), max_size=max(shuttles)))
        if edges
        else []
    )
    state = {"turn": turn, "over": False, "winner": 0, "planets": planets, "shuttles": flights}
    return oracle.Game(board, preset, state=state).to_dict()


def _both_ways(edge: dict[str, int]) -> list[tuple[int, int]]:
    return [(edge["a"], edge["b"]), (edge["b"], edge["a"])]


@st.composite
def _populations(draw: st.DrawFn, preset: str, size: int) -> tuple[int, int]:
    people = st.integers(1, size) | st.integers(0, 3 * size)
    first, second = draw(people), draw(people)
    if oracle.PRESETS[preset].coexistence:
        return draw(st.sampled_from([(first, second), (first, first), (size // 2, size // 2)]))
    return draw(st.sampled_from([(first, 0), (0, second), (0, 0)]))


@st.composite
def _flights(draw: st.DrawFn, edges: list[tuple[int, int, int]], pace: int, turn: int, crowds: Any) -> list[int]:
    """A shuttle with one of ``crowds`` people, of the player whose turn it was when it must have been launched (R3)."""
    source, destination, weight = draw(st.sampled_from(edges))
    turns = draw(st.integers(1, weight * pace))
    launched = turn + turns - weight * pace
    return [source, destination, 2 - launched % 2, draw(crowds), turns]
