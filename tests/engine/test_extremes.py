"""The smallest and the largest of everything that is allowed, through every implementation that it reaches."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.codec.limits import Limits
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.graphs.board import most_people, pack, people_type
from planetwars_env.graphs.graph import MAX_TOTAL_SIZE, Edge, Graph, Planet
from planetwars_env.render.drawing import draw, drawing_of
from planetwars_env.render.pages import write_game_page
from planetwars_env.render.text import game_text
from planetwars_env.sim.fields import CURRENT
from planetwars_env.sim.setup import Autoreset
from scripts.verification.audit import AuditedBatch
from support import oracle
from support.environments import both_actions
from support.hypothesis_strategies import grant
from support.implementations import GAME_MAKERS, Engine
from support.presets import BY_PRESET, every_preset


def ring(count: int, weight: int = 2, size: int = 90, habitability: int = 20) -> Graph:
    """``count`` planets in a circle, the bases opposite each other; two planets: one edge."""
    planets = [
        Planet(i, habitability, size, x=float(i % 40), y=float(i // 40), base={0: 1, count // 2: 2}.get(i, 0))
        for i in range(count)
    ]
    pairs = {(min(i, (i + 1) % count), max(i, (i + 1) % count)) for i in range(count)}
    return Graph(f"ring of {count}", planets, [Edge(a, b, weight) for a, b in sorted(pairs)])


def two_islands() -> Graph:
    return Graph("islands", [Planet(0, 10, 50, base=1), Planet(2**31 - 1, 10, 50, base=2)], [])


def star(arms: int) -> Graph:
    """A hub with as many neighbours as fit, and planets of every distance from it."""
    hub, ends = Planet(0, 1000, 1_000_000, base=1), [Planet(i, 3, 40, x=float(i)) for i in range(1, arms)]
    last = Planet(arms, 1000, 1_000_000, base=2)
    return Graph("star", [hub, *ends, last], [Edge(0, i, 1 + i % 7) for i in range(1, arms + 1)])


BOARDS: dict[str, Graph] = {
    "two planets": ring(2, weight=1),
    "two planets without an edge": two_islands(),
    "size 1": ring(6, size=1, habitability=50),
    "habitability 0": ring(6, habitability=0),
    "habitability 1000": ring(6, habitability=1000),
    "weight 1": ring(6, weight=1),
    "weight 1000": ring(4, weight=1000, habitability=300),
    "as many people as a graph may hold": ring(5, weight=3, size=MAX_TOTAL_SIZE // 5, habitability=1000),
    "everything at its limit": ring(3, weight=1000, size=MAX_TOTAL_SIZE // 3, habitability=1000),
    "a hub": star(60),
}
THOUSAND = {"a thousand planets": pw.generate_graph("large", 5, planets=1000), "a ring of a thousand": ring(1000)}
VAST = ("as many people as a graph may hold", "everything at its limit")
# Batches of 64-bit games, and their audit, are compiled by the slow tests only.
KINDS = [pytest.param(graph, id=name, marks=[pytest.mark.slow] * (name in VAST)) for name, graph in BOARDS.items()]
every_board = pytest.mark.parametrize(
    "graph", [*KINDS, *(pytest.param(graph, id=name) for name, graph in THOUSAND.items())]
)


def limits_of(*graphs: Graph) -> Limits:
    """Limits that these boards just fit."""
    return Limits(
        planets=max(len(graph.planets) for graph in graphs),
        edges=max(1, *(len(graph.edges) for graph in graphs)),
        degree=max(1, *(graph.degree(planet.id) for graph in graphs for planet in graph.planets)),
        horizon=2,
    )


def turns_for(graph: Graph) -> int:
    return 12 if len(graph.planets) > 900 else 60


# --- boards ------------------------------------------------------------------------------------------------------


@every_preset
@pytest.mark.parametrize("graph", [*BOARDS.values(), *THOUSAND.values()], ids=[*BOARDS, *THOUSAND])
def test_games_and_views_are_the_oracles(graph: Graph, preset: str) -> None:
    rng, board = random.Random(2), graph.to_dict()
    slow, fast = oracle.Game(board, preset), Engine(graph, preset)
    while not slow.over and slow.turn < turns_for(graph):
        assert fast.seen_by(slow.player) == slow.seen_by(slow.player)
        moves = [grant(slow, rng.getrandbits(30)) for _ in range(6)]
        assert fast.play(moves) == slow.play(moves)
        assert fast.to_dict() == slow.to_dict()


@every_preset
@both_actions
@every_board
def test_batches_pass_the_audit(graph: Graph, preset: str, actions: str) -> None:
    games, turns, steps = (2, 9, 12) if len(graph.planets) > 900 else (6, 50, 40 if actions == "turn" else 120)
    opponents, limits = ["random", "ai1", "ai2", "ai3"], limits_of(graph)
    arguments = EnvArguments(BY_PRESET[preset], opponents, graph, actions=actions, limits=limits, max_turns=turns)
    audited, rng = AuditedBatch(games, arguments.setup(Autoreset.SAME_STEP), seed=1), np.random.default_rng(0)
    audited.reset()
    for _ in range(steps):
        audited.step(audited.legal(rng))


@pytest.mark.parametrize(
    "graph", [*BOARDS.values(), THOUSAND["a thousand planets"]], ids=[*BOARDS, "a thousand planets"]
)
def test_boards_are_drawn_and_their_games_told(graph: Graph, tmp_path: Path) -> None:
    replay = pw.play_match("ai1", "random", graph, pw.SPACE_EXPLORERS, max_turns=6)
    game = pw.Game(graph)
    for viewer in (None, 1):
        assert draw(game, viewer).svg().endswith("</svg>\n")
        pixels = np.asarray(drawing_of(game, viewer).image())
        assert pixels.ndim == 3 and len(np.unique(pixels)) > 3
        assert game_text(game, viewer).count("\n") > len(graph.planets)
    write_game_page(tmp_path / "game.html", replay)
    assert (tmp_path / "game.html").read_text(encoding="utf-8").endswith("</html>\n")
    replay.verify()


# --- integers ----------------------------------------------------------------------------------------------------

# The largest board of 32 bits and the smallest of 64, at flights of 1,000 turns (docs/bounds.md).
LAST_OF_32, FIRST_OF_64 = 177_476, 177_480


def two_planets_of(total: int, weight: int = 1000, habitability: int = 1000) -> Graph:
    land = [Planet(0, habitability, total // 2, base=1), Planet(1, habitability, total - total // 2, base=2)]
    return Graph("", land, [Edge(0, 1, weight)])


@pytest.mark.parametrize(
    ("total", "bits"), [(LAST_OF_32, np.int32), (FIRST_OF_64, np.int64), (MAX_TOTAL_SIZE, np.int64)]
)
@pytest.mark.parametrize("preset", ["planetwars", "space_explorers"])
def test_the_most_people_that_a_position_may_hold_are_never_wrapped_around(total: int, bits: Any, preset: str) -> None:
    """All of them on one planet, or half of them landing on the other half: as in numbers without end."""
    graph, rules = two_planets_of(total), BY_PRESET[preset]
    board = pack([graph], rules)
    most = most_people(board)
    assert people_type(board) is bits
    for there, landing in ((most, 0), (most // 2, most - most // 2), (1, most - 1)):
        state = {"turn": 1001, "over": False, "winner": 0}
        state["planets"] = [[0, 1, there, 0], [1, 0, 0, 0]]
        state["shuttles"] = [[1, 0, 1 + preset.startswith("space"), landing, 2]] if landing else []
        state["turn"] += preset.startswith("space")  # so that whoever flies was to move when it left
        slow, fast = (maker(graph.to_dict(), preset, 5000, state) for maker in GAME_MAKERS.values())
        for _ in range(6):
            moves = [(0, 1, most), (0, 1, most // 3), (0, 1, 2**31), (0, 1, 2**63 - 1)]
            assert fast.play(moves) == slow.play(moves)
            assert fast.to_dict() == slow.to_dict()
            assert min(min(row[2:]) for row in fast.to_dict()["planets"]) >= 0
            if slow.over:
                break


@pytest.mark.parametrize("total", [LAST_OF_32, FIRST_OF_64])
def test_one_person_more_is_refused(total: int) -> None:
    graph = two_planets_of(total)
    most = most_people(pack([graph], pw.PLANETWARS))
    state = pw.Game(graph).to_dict() | {"shuttles": []}
    for people, fits in ((most, True), (most + 1, False), (2**31, False), (2**63, False), (2**64 + 1, False)):
        state["planets"] = [[0, 1, people, 0], [1, 0, 0, 0]]
        if fits:
            assert pw.Game.from_dict(graph, state).people()[0] == (people, 0)
        else:
            with pytest.raises(ValueError, match="people"):
                pw.Game.from_dict(graph, state)


# --- many games --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "graphs", "steps"),
    [(Limits(5, 4, 2, 2), "line", 8), pytest.param(pw.CLASSIC, "test", 12, marks=pytest.mark.slow)],
    ids=["small", "classic"],
)
def test_65_536_games_are_played_at_once(limits: Limits, graphs: str, steps: int) -> None:
    """Audited all along; the first, the last and some between are played again alone."""
    setup = EnvArguments("PLANETWARS", "random", graphs, limits=limits, max_turns=2 * steps).setup(Autoreset.NEXT_STEP)
    audited, rng, kept = AuditedBatch(65_536, setup, seed=7), np.random.default_rng(0), []
    audited.reset()
    rows = [0, 1, 32_767, 32_768, 65_535]
    for _ in range(steps):
        actions = rng.integers(0, 3, audited.batch.actions.shape)
        audited.step(actions)
        kept.append(actions[rows])
    for place, row in enumerate(rows):
        alone = AuditedBatch(1, setup, seed=7 + row)
        alone.reset()
        for actions in kept:
            alone.step(actions[place])
        for one, many in zip(alone.batch.state, audited.batch.state, strict=True):
            assert np.array_equal(one[0], many[row])
        assert np.array_equal(
            alone.batch.buffers.observation[CURRENT, 0], audited.batch.buffers.observation[CURRENT, row]
        )
