"""Games and batches used in any order at all: hypothesis mixes turns, copies, resets, seeds and files, and checks everything."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import planetwars_env as pw
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.sim.setup import Autoreset
from scripts.verification.audit import AuditedBatch
from support import oracle
from support.hypothesis_strategies import WISHES, boards, examples, grant
from support.implementations import PRESETS, told
from support.presets import BY_PRESET

pytestmark = pytest.mark.kernels
ROWS = 3


def usual(number: int, steps: int) -> settings:
    return settings(examples(number), stateful_step_count=steps)


class GamesInAnyOrder(RuleBasedStateMachine):
    """Three games, each at once in the oracle and in a ``pw.Game``."""

    @initialize(
        preset=st.sampled_from(PRESETS),
        chosen=st.lists(boards(), min_size=ROWS, max_size=ROWS),
        limit=st.integers(1, 40),
    )
    def begin(self, preset: str, chosen: list[dict[str, Any]], limit: int) -> None:
        self.preset, self.limit = preset, limit
        self.boards = chosen
        self.slow = [oracle.Game(board, preset, limit) for board in chosen]
        self.games = [pw.Game(pw.Graph.from_dict(board), BY_PRESET[preset], limit) for board in chosen]

    def _going_on(self) -> list[int]:
        return [g for g in range(ROWS) if not self.slow[g].over]

    @precondition(lambda self: self._going_on())
    @rule(pick=st.integers(0, 2), wishes=st.lists(WISHES, max_size=4))
    def move(self, pick: int, wishes: list[int]) -> None:
        """Some moves of a turn; nobody is lost or made up by them."""
        g = self._going_on()[pick % len(self._going_on())]
        before = _everybody(self.games[g])
        for wish in wishes:
            moves = [grant(self.slow[g], wish)]
            legal = self.slow[g].submit(moves)
            assert self.games[g].submit([pw.Move(*move) for move in moves]) == legal
        assert _everybody(self.games[g]) == before

    @precondition(lambda self: self._going_on())
    @rule(pick=st.integers(0, 2))
    def end_the_turn(self, pick: int) -> None:
        """Nobody comes from nowhere: births fill planets up to their sizes, and that is all."""
        g = self._going_on()[pick % len(self._going_on())]
        before, turn = _everybody(self.games[g]), self.games[g].turn
        for one in (self.slow[g], self.games[g]):
            one.advance()
        sizes = sum(planet["size"] for planet in self.boards[g]["planets"])
        assert _everybody(self.games[g]) <= before + sizes
        assert self.games[g].turn <= min(turn + 1, self.limit)

    @rule(source=st.integers(0, 2), into=st.integers(0, 2))
    def copy_one_over_another(self, source: int, into: int) -> None:
        self.slow[into] = self.slow[source].copy()
        self.games[into] = self.games[source].copy()
        self.boards[into] = self.boards[source]

    @rule(g=st.integers(0, 2))
    def write_down_and_read_again(self, g: int) -> None:
        state = json.loads(json.dumps(self.games[g].to_dict()))
        self.games[g] = pw.Game.from_dict(self.games[g].graph, state, BY_PRESET[self.preset], self.limit)
        self.slow[g] = oracle.Game(self.boards[g], self.preset, self.limit, state)

    @rule(g=st.integers(0, 2))
    def what_is_over_takes_nothing_more(self, g: int) -> None:
        if self.games[g].over:
            for forbidden in (lambda: self.games[g].submit([]), self.games[g].advance):
                with pytest.raises(RuntimeError):
                    forbidden()

    @invariant()
    def both_agree(self) -> None:
        for g in range(ROWS):
            state = told(self.slow[g].to_dict(), moved=True)
            assert told(self.games[g].to_dict(), moved=True) == state
            for name, owner, first, second in state["planets"]:
                assert first >= 0 and second >= 0, name
                assert owner == (1 if first > second else 2 if second > first else 0)
                assert self.preset == "space_explorers" or 0 in (first, second)
            assert all(people > 0 and turns > 0 for *_, people, turns in state["shuttles"])
            for player in (1, 2):
                seen = {planet.id for planet in self.games[g].view(player).planets if planet.visible}
                assert seen == set(self.slow[g].visible(player))


def _everybody(game: pw.Game) -> int:
    return sum(map(sum, game.people())) + sum(shuttle.people for shuttle in game.shuttles())


def test_games_may_be_used_in_any_order() -> None:
    run_state_machine_as_test(GamesInAnyOrder, settings=usual(60, 40))


class BatchesInAnyOrder(RuleBasedStateMachine):
    """A batch under audit and a copy of it that was left behind."""

    @initialize(
        preset=st.sampled_from(PRESETS),
        orders=st.integers(0, 3),
        mode=st.sampled_from([Autoreset.NEXT_STEP, Autoreset.SAME_STEP, Autoreset.DISABLED]),
        opponents=st.lists(st.sampled_from(["noop", "random", "ai1", "ai2", "ai3", "self"]), min_size=1, max_size=3),
        chosen=st.lists(boards(), min_size=1, max_size=3),
        limit=st.sampled_from([1, 2, 9, 40]),
        seed=st.integers(0, 2**64),
    )
    def begin(
        self, preset: str, orders: int, mode: Autoreset, opponents: list[str], chosen: list[Any], limit: int, seed: int
    ) -> None:
        graphs = [pw.Graph.from_dict(_of_32_bits(board)) for board in chosen]
        setup = EnvArguments(
            BY_PRESET[preset],
            opponents,
            graphs,
            actions="order" if orders else "turn",
            max_orders=max(1, orders),
            limits=pw.Limits(8, 28, 7, 3),
            max_turns=limit,
        ).setup(mode)
        self.audited = AuditedBatch(4, setup, seed)
        self.audited.reset()
        self.left: tuple[Any, list[np.ndarray]] | None = None

    @rule(seed=st.integers(0, 2**32), steps=st.integers(1, 6))
    def step(self, seed: int, steps: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(steps):
            self.audited.step(self.audited.legal(rng))

    @rule(number=st.sampled_from([0, -1, 2**31, 2**63 - 1, -(2**63), 7, 225]))
    def step_with_nonsense(self, number: int) -> None:
        self.audited.step(np.full(self.audited.batch.actions.shape, number))

    @rule(rows=st.lists(st.booleans(), min_size=4, max_size=4).filter(any))
    def reset(self, rows: list[bool]) -> None:
        self.audited.reset(np.array(rows))

    @rule(seeds=st.lists(st.none() | st.integers(0, 2**64 - 1), min_size=4, max_size=4))
    def seed(self, seeds: list[int | None]) -> None:
        self.audited.seed_rows(seeds)

    @rule(source=st.integers(0, 3), into=st.integers(0, 3))
    def copy_a_game(self, source: int, into: int) -> None:
        self.audited.copy_game(source, into)

    @rule(by=st.sampled_from([copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))]))
    def go_on_with_a_copy(self, by: Any) -> None:
        """The original stays behind, and has to stay as it is."""
        original = self.audited.batch
        self.left = original, [array.copy() for array in (*original.state, *original.buffers)]
        self.audited.batch = by(original)

    @invariant()
    def what_was_left_behind_stays_as_it_is(self) -> None:
        if self.left is not None:
            batch, kept = self.left
            assert all(map(np.array_equal, (*batch.state, *batch.buffers), kept))


def _of_32_bits(board: dict[str, Any]) -> dict[str, Any]:
    """One kind of integers, so that one machine code serves all examples."""
    planets = [{**planet, "size": min(planet["size"], 300)} for planet in board["planets"]]
    return {**board, "planets": planets}


def test_batches_may_be_used_in_any_order() -> None:
    run_state_machine_as_test(BatchesInAnyOrder, settings=usual(60, 25))
