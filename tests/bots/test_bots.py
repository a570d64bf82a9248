"""The built-in bots: each beats the one below it, none cheats, and a seed gives the same game everywhere."""

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.bots.bot_codes import AI1, AI2, AI3, COMPILED_BOTS, NOOP, RANDOM
from planetwars_env.bots.bot_games import place_games, play_on
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.engine import columns
from planetwars_env.engine.state import State
from planetwars_env.graphs.board import pack
from planetwars_env.graphs.catalogue import POOLS
from support.paths import ROOT, TESTS

LIMITS = {pw.PLANETWARS: 500, pw.PLANETWARS_HALF_STEP: 1000, pw.SPACE_EXPLORERS: 100}
PRESETS = list(LIMITS)
every_preset = pytest.mark.parametrize("rules", PRESETS, ids=[rules.name for rules in PRESETS])
every_ai = pytest.mark.parametrize("bot", [AI1, AI2, AI3], ids=["ai1", "ai2", "ai3"])
LADDER = [(AI1, RANDOM, 0.70), (AI2, AI1, 0.70), (AI3, AI2, 0.70)]
OTHERS = [(RANDOM, NOOP, 0.5), (AI2, NOOP, 0.70), (AI3, NOOP, 0.70), (AI2, RANDOM, 0.70), (AI3, RANDOM, 0.95)]
"""Further pairs, with the least share of games that the first bot wins."""


def outcome(bot: int, opponent: int, rules: Any, pool: str) -> dict[str, Any]:
    """Every board of the pool, ``bot`` as player 1 and then as player 2: shares won, and of games that ended by themselves."""
    graphs = pw.load_pool(pool)
    pairs = [(bot, opponent)] * len(graphs) + [(opponent, bot)] * len(graphs)
    winners, turns = play_games([*graphs, *graphs], pairs, rules, range(2 * len(graphs)), LIMITS[rules])
    won = winners == [1] * len(graphs) + [2] * len(graphs)
    as_1, as_2 = won[: len(graphs)].mean(), won[len(graphs) :].mean()
    return {"won": won.mean(), "as_1": as_1, "as_2": as_2, "ended": (turns < LIMITS[rules]).mean(), "games": len(won)}


def play_games(
    graphs: Sequence[pw.Graph], bots: Sequence[tuple[int, int]], rules: Any, seeds: Sequence[int], max_turns: int
) -> tuple[np.ndarray, np.ndarray]:
    """One game a graph: the winners (1, 2, or 0 for a draw) and the last turns."""
    board = pack(graphs, rules)
    state = place_games(board, rules, range(len(graphs)), seeds, max_turns)
    play_on(state, board, np.array(bots))
    return state.status[:, columns.WINNER], state.status[:, columns.TURN]


# --- how strong they are -----------------------------------------------------------------------------------------


@every_preset
@pytest.mark.parametrize(("bot", "opponent", "least"), [*LADDER, *OTHERS])
def test_each_bot_beats_the_one_below_it(bot: int, opponent: int, least: float, rules: Any) -> None:
    result = outcome(bot, opponent, rules, "test")
    assert result["games"] == 200 and result["won"] >= least
    if bot > AI1 > opponent and not rules.coexistence:
        assert result["ended"] >= 0.95


@every_preset
@pytest.mark.parametrize(("bot", "opponent", "least"), LADDER)
def test_on_fair_boards_the_better_bot_wins_from_either_side(bot: int, opponent: int, least: float, rules: Any) -> None:
    result = outcome(bot, opponent, rules, "fair")
    assert result["won"] >= least + 0.10
    assert abs(result["as_1"] - result["as_2"]) <= 0.10


@every_preset
@pytest.mark.parametrize("pool", POOLS)
def test_ai1_finishes_an_idle_opponent_on_every_board(pool: str, rules: Any) -> None:
    """One side is too poor: an opponent's full base cuts it off from all but three planets, and no bot or agent wins it."""
    known = ["train/52 as player 1"] if pool == "train" and rules == pw.PLANETWARS else []
    unfinished = []
    for side, bots in ((1, (AI1, NOOP)), (2, (NOOP, AI1))):
        graphs = pw.load_pool(pool)
        winners, _ = play_games(graphs, [bots] * len(graphs), rules, range(len(graphs)), LIMITS[rules])
        unfinished += [f"{graphs[g].name} as player {side}" for g in np.flatnonzero(winners != side)]
    assert unfinished == known


# --- what they may do --------------------------------------------------------------------------------------------


class Table:
    """Games on the boards of a pool, played on between two bots, for single turns to be looked at."""

    def __init__(self, graphs: Sequence[pw.Graph], rules: Any, bots: tuple[int, int]) -> None:
        self.board = pack(graphs, rules)
        games = range(len(graphs))
        self.state = place_games(self.board, rules, games, games, LIMITS[rules])
        self.bots = np.array([bots] * len(graphs), np.int64)

    def play(self, turns: int) -> list[int]:
        """So many turns; the games that still go on."""
        play_on(self.state, self.board, self.bots, turns)
        return [int(g) for g in np.flatnonzero(self.state.status[:, columns.PHASE] == columns.RUNNING)]

    def moved(self, g: int, bot: int, state: State | None = None) -> State:
        """The state after the moves of ``bot`` for the player to move in game g, alone."""
        after = State(*(array.copy() for array in (state or self.state)))
        scratch = make_scratch(self.board, after.people.dtype)
        play_bot(after, self.board, g, self.player(g), bot, scratch)
        return after

    def player(self, g: int) -> int:
        return 1 - int(self.state.status[g, columns.TURN]) % 2


@pytest.mark.kernels
@every_preset
def test_nobody_is_lost_or_made_up_by_moving_and_no_battle_planet_is_left_alone(rules: Any) -> None:
    table = Table(pw.load_pool("validation")[:12], rules, (AI3, AI2))
    for _ in range(6):
        for g in table.play(15):
            for bot in COMPILED_BOTS.values():
                after, me = table.moved(g, bot), table.player(g)
                sent = after.flights[g].sum() - table.state.flights[g].sum()
                stayed, before = after.people[g], table.state.people[g]
                assert before[me].sum() - stayed[me].sum() == sent and stayed.min() >= 0
                assert np.array_equal(stayed[1 - me], before[1 - me])
                if bot != RANDOM and not rules.coexistence:
                    assert np.array_equal(stayed[me] > 0, before[me] > 0)


@pytest.mark.kernels
@every_ai
def test_when_the_end_counts_nobody_is_sent_too_late_to_be_counted(bot: int) -> None:
    table = Table(pw.load_pool("validation")[:12], pw.SPACE_EXPLORERS, (AI3, AI2))
    table.play(90)
    for _ in range(10):
        for g in table.play(1):
            left = table.state.status[g, columns.LIMIT] - table.state.status[g, columns.TURN]
            launched = (table.moved(g, bot).flights[g] - table.state.flights[g]).any(axis=0)
            assert (table.board.edges[g, columns.TURNS, np.flatnonzero(launched)] <= left).all()


@every_ai
@every_preset
def test_boards_of_two_and_of_a_thousand_planets_are_played(bot: int, rules: Any) -> None:
    graphs = [pw.load_graph("duel"), pw.generate_graph("large", seed=1, planets=1000)]
    winners, turns = play_games(graphs, [(bot, NOOP)] * 2, rules, [1, 2], 100)
    assert (turns > 1).all() and (winners != 2).all()


# --- the same game everywhere ------------------------------------------------------------------------------------


def played(rules: Any, seeds: Sequence[int], turns: int) -> list[list[int]]:
    graphs = [pw.load_graph(name) for name in ("rings", "k4", "line", "test/3")]
    bots = [(AI3, AI2), (AI1, RANDOM), (AI2, AI1), (RANDOM, AI3)]
    return [array.tolist() for array in play_games(graphs, bots, rules, seeds, turns)]


UNCOMPILED = """
import warnings

warnings.simplefilter("error")
import planetwars_env as pw
from test_bots import AI1, AI2, AI3, PRESETS, played, play_games

for rules in PRESETS:
    print(played(rules, [1, 2, 3, 4], 40))
planets = [{"id": i, "habitability": 1000, "size": 12_000_000, "x": i, "y": 0, "base": i} for i in range(3)]
edges = [{"a": 0, "b": 1, "weight": 1000}, {"a": 0, "b": 2, "weight": 3}]
great = pw.Graph.from_dict({"planets": planets, "edges": edges})
lonely = pw.Graph.from_dict({"planets": planets, "edges": []})
for graph in (great, lonely):
    play_games([graph] * 3, [(AI1, AI2), (AI2, AI3), (AI3, AI1)], pw.PLANETWARS, [1, 2, 3], 60)
"""


def test_the_uncompiled_bots_play_the_same_games_and_leave_32_bits_nowhere() -> None:
    """Plain Python warns where a number overflows; boards with enormous planets, and without edges, are among them."""
    places = os.pathsep.join([str(TESTS / "bots"), str(TESTS)])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": places}
    ended = subprocess.run(
        [sys.executable, "-c", UNCOMPILED],
        env=environment, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert ended.stdout.splitlines() == [str(played(rules, [1, 2, 3, 4], 40)) for rules in PRESETS]


# --- pw.rollout --------------------------------------------------------------------------------------------------


def test_a_rollout_plays_as_the_bots_do_in_a_match() -> None:
    game = pw.Game(pw.load_graph("rings"), max_turns=300)
    (end,) = pw.rollout(game, ("ai3", "ai2"))
    match = pw.play_match("ai3", "ai2", "rings", seed=0, max_turns=300)
    assert (end.over, end.winner, end.turn) == (True, match.winner, match.turns)


def test_the_game_stays_as_it_is_and_rollout_i_is_seeded_with_the_seed_plus_i() -> None:
    game = pw.rollout(pw.Game(pw.load_graph("rings")), ("ai2", "random"), turns=12, seed=3)[0]
    before = game.to_dict()
    games = pw.rollout(game, ("random", "random"), turns=20, copies=4, seed=7)
    assert game.to_dict() == before
    assert [one.turn for one in games] == [game.turn + 20] * 4
    assert len({str(one.to_dict()) for one in games}) > 1
    (alone,) = pw.rollout(game, ("random", "random"), turns=20, seed=9)
    assert alone.to_dict() == games[2].to_dict()
    games[0].play([])
    assert games[1].turn == game.turn + 20
    assert pw.rollout(game, ("ai1", "ai1"), turns=0)[0].to_dict() == before


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"bots": ("ai1", "ai9"), "turns": 5}, "no compiled bot is called 'ai9': choose one of noop, random"),
        ({"bots": ("ai1", "ai1")}, "this game has no max_turns and may never end: tell rollout how many turns"),
        ({"bots": ("ai1", "ai1"), "turns": 5, "copies": 0}, "turns of at least 0, not 0 and 5"),
        ({"bots": ("ai1", "ai1"), "turns": -1}, "turns of at least 0, not 1 and -1"),
    ],
)
def test_what_cannot_be_played_is_said(wrong: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pw.rollout(pw.Game(pw.load_graph("duel")), **wrong)
