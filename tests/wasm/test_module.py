"""planetwars.wasm plays the games of the engine: every array after every turn, and agents choose the same."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import wasmtime

import planetwars_env as pw
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.entry_points import make_scratch, play_bot
from planetwars_env.codec.layout import make_codec
from planetwars_env.codec.limits import Limits
from planetwars_env.engine import columns
from planetwars_env.engine import entry_points as engine
from planetwars_env.engine.random import seeded
from planetwars_env.engine.rules import PRESETS, Rules
from planetwars_env.engine.state import Board, State, allocate
from planetwars_env.graphs.board import longest_flight, pack, people_type
from planetwars_env.graphs.graph import Graph
from planetwars_env.shipped import agent_names
from support.paths import PACKAGE, ROOT

KEPT = PACKAGE / "render"
LARGEST = 110_000
BOTS = [code for code in COMPILED_BOTS.values() if code]
POOLS = ("test", "fair", "validation", "large")
Placed = tuple[int, Any]
"""The address of an array in the memory, and the array."""


class WasmModule:
    """The module in ``folder``. Arrays are put into its memory one behind the other, until `clear`."""

    def __init__(self, folder: Path, pages: int = 512) -> None:
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        module = wasmtime.Module.from_file(engine, str(folder / "planetwars.wasm"))
        kind = wasmtime.FuncType([wasmtime.ValType.f32()], [wasmtime.ValType.f32()])
        imports = {"log1pf": math.log1p, "expf": math.exp}
        needed = [wasmtime.Func(self._store, kind, imports[str(one.name)]) for one in module.imports]
        self._exports = wasmtime.Instance(self._store, module, needed).exports(self._store)
        self.manifest = json.loads((folder / "planetwars.wasm.json").read_text())
        memory: Any = self._exports["memory"]
        memory.grow(self._store, pages)
        self._bytes = np.frombuffer(memory.get_buffer_ptr(self._store, memory.data_len(self._store)), np.uint8)
        base: Any = self._exports["__heap_base"]
        self._base = self._top = base.value(self._store)

    def clear(self) -> None:
        """Forget all arrays."""
        self._top = self._base

    def put(self, array: Any) -> Placed:
        """Copy an array into the memory."""
        at = (self._top + 63) & ~63
        self._top = at + max(1, array.nbytes)
        placed = self._bytes[at : at + array.nbytes].view(array.dtype).reshape(array.shape)
        placed[...] = array
        return at, placed

    def put_game(self, state: State, board: Board, scratch: Any) -> dict[str, Placed]:
        """Copy the arrays of a game; by the paths of the manifest."""
        groups = {"state": state, "board": board}
        paths = {f"{name}.{field}": one for name, group in groups.items() for field, one in group._asdict().items()}
        return {path: self.put(array) for path, array in {**paths, "scratch": scratch}.items()}

    def bind(self, name: str, arrays: Mapping[str, Placed]) -> Callable[..., int]:
        """The kernel ``name`` over these arrays, as a function of its numbers."""
        slots: list[int] = []
        numbers: list[int] = []
        for path, kind, axes in self.manifest["kernels"][name]:
            if axes:
                at, array = arrays[path]
                assert str(array.dtype) == kind and array.ndim == axes, f"{path} must be {kind} with {axes} axes"
                slots += [at, *array.shape]
            else:
                numbers.append(len(slots))
                slots.append(0)
        at, block = self.put(np.array(slots, np.int32))
        entry: Any = self._exports[name]

        def call(*values: int) -> int:
            block[numbers] = values
            return entry(self._store, at)

        return call


@cache
def module() -> WasmModule:
    return WasmModule(KEPT)


class SideBySide:
    """One game in the engine and in the module."""

    def __init__(self, wasm: WasmModule, graph: Graph, rules: Rules, seed: int, limit: int | None = None) -> None:
        wasm.clear()
        self.wasm = wasm
        self.board: Board = pack([graph], rules)
        assert people_type(self.board) is np.int32
        self.state: State = allocate(1, self.board, longest_flight(self.board))
        self.state.random[:] = seeded(seed, 1)
        self.scratch = make_scratch(self.board, np.int32)
        self.arrays: dict[str, Placed] = wasm.put_game(self.state, self.board, self.scratch)
        start = 0, 0, int(rules.coexistence), limit or rules.max_turns or columns.NO_LIMIT
        engine.place(self.state, self.board, *start)
        self.game = pw.Game.over_arrays(graph, rules, self.board, self.state)
        self.bind("place")(*start)
        self._end_turn = self.bind("end_turn")
        self._play_bot = self.bind("play_bot")
        self.end_turn()

    def bind(self, name: str) -> Any:
        return self.wasm.bind(name, self.arrays)

    @property
    def running(self) -> bool:
        return self.state.status[0, columns.PHASE] == columns.RUNNING

    @property
    def player(self) -> int:
        return 1 - int(self.state.status[0, columns.TURN]) % 2

    def play_bot(self, code: int) -> None:
        play_bot(self.state, self.board, 0, self.player, code, self.scratch)
        self._play_bot(0, self.player, code)

    def end_turn(self) -> None:
        engine.end_turn(self.state, self.board, 0)
        self._end_turn(0)

    def differing(self) -> list[str]:
        """The arrays of the state that differ."""
        return [
            field for field, array in self.state._asdict().items() if (array != self.arrays[f"state.{field}"][1]).any()
        ]


def settings(pools: tuple[str, ...]) -> Iterator[tuple[Graph, Rules]]:
    """All graphs under all rules, the pools in turn."""
    graphs = [list(pw.load_pool(name)) for name in pools]
    for row in zip(*(cycle(pool) for pool in graphs), strict=True):
        yield from product(row, PRESETS.values())


def play_bots(wasm: WasmModule, games: int, turns: int) -> int:
    """Play games of bots side by side, and return how many turns there were."""
    played = 0
    for i, (graph, rules) in enumerate(islice(settings(POOLS), games)):
        game = SideBySide(wasm, graph, rules, i)
        codes = BOTS[i % len(BOTS)], BOTS[(i // len(BOTS) + 1) % len(BOTS)]
        assert not game.differing(), f"{graph.name}, {rules.name}: {game.differing()} on turn 1"
        for turn in range(2, turns + 2):
            if not game.running:
                break
            game.play_bot(codes[game.player])
            game.end_turn()
            assert not game.differing(), f"{graph.name}, {rules.name}: {game.differing()} on turn {turn}"
            played += 1
    return played


def test_the_module_was_built_from_these_kernels() -> None:
    from scripts.release.wasm.kernels import manifest  # not where kernels are uncompiled, as `make coverage` has them

    expected = {"built_with": module().manifest["built_with"], **json.loads(json.dumps(manifest()))}
    assert module().manifest == expected, (
        "a kernel, or a number that pages use, has changed: run `make wasm` and commit"
    )


def test_the_module_is_small() -> None:
    assert (KEPT / "planetwars.wasm").stat().st_size <= LARGEST


@pytest.mark.parametrize(
    ("games", "turns", "least"), [(48, 120, 4000), pytest.param(600, 300, 60_000, marks=pytest.mark.slow)]
)
def test_games_of_bots_are_those_of_the_engine(games: int, turns: int, least: int) -> None:
    assert play_bots(module(), games, turns) > least


class AgentSideBySide:
    """An agent's turns, by torch and in the module, on the limits of the graph as the page has them."""

    def __init__(self, name: str, game: SideBySide, graph: Graph, rules: Rules) -> None:
        self.limits = Limits.covering([graph])
        self.agent = pw.load_agent(name, limits=self.limits).under(rules)
        self.game = game
        network: Any = self.agent.network
        parts = [*network.weights(), network.wait.weight, network.wait.bias]
        weights = torch.cat([part.detach().flatten() for part in parts]).numpy()
        put, codec = game.wasm.put, make_codec(self.limits, self.agent.fractions, 0, self.agent.sends)
        self.actions = np.zeros((1, self.agent.sends * self.limits.planets), np.int32)
        self.arrays = {
            **game.arrays,
            **{f"codec.{key}": put(part) for key, part in codec._asdict().items()},
            "weights": put(weights),
            "actions": put(self.actions),
            "top": put(np.zeros(1, np.int32)),
            "arena": put(np.zeros(0, np.int8)),
        }
        self.numbers = rules.turns_per_weight, network.head.shape[1], len(network.rounds)
        size = game.wasm.bind("play_agent", self.arrays)(0, 0, *self.numbers)
        assert size > 0
        self.arrays["arena"] = put(np.full(size, 85, np.int8))
        self.play = game.wasm.bind("play_agent", self.arrays)

    def take_turn(self) -> tuple[Any, Any]:
        """Play the turn in both, and return the two actions."""
        agent, game = self.agent, self.game.game
        (action,) = agent.act(agent.observe(game))
        assert self.play(0, self.game.player, *self.numbers) == 0
        game.submit(game.decode(action, limits=self.limits, fractions=agent.fractions, sends=agent.sends))
        return action, self.arrays["actions"][1][0]


def play_agents(wasm: WasmModule, games: int, turns: int) -> tuple[int, int]:
    """Play games of agents against bots side by side; return the agents' turns, and how many of them were sampled."""
    agents, played, sampled = cycle(agent_names()), 0, 0
    for i, (graph, rules) in enumerate(islice(settings(("test", "fair", "large")), games)):
        limit = 2 * turns // 3 if i % 2 else None
        game = SideBySide(wasm, graph, rules, i, limit)
        agent = AgentSideBySide(next(agents), game, graph, rules)
        for _ in range(turns):
            if not game.running:
                break
            if game.player == i % 2:
                expected, chosen = agent.take_turn()
                assert list(chosen) == list(expected), f"{agent.agent.name} on {graph.name}, {rules.name}"
                late = limit is not None and not rules.coexistence and game.state.status[0, columns.TURN] > limit // 2
                played, sampled = played + 1, sampled + late
            else:
                game.play_bot(COMPILED_BOTS["ai3"])
            game.end_turn()
            assert not game.differing(), f"{agent.agent.name} on {graph.name}, {rules.name}: {game.differing()}"
    return played, sampled


@pytest.mark.parametrize(
    ("games", "turns", "least"), [(9, 60, (150, 20)), pytest.param(45, 120, (1500, 200), marks=pytest.mark.slow)]
)
def test_agents_choose_the_same(games: int, turns: int, least: tuple[int, int]) -> None:
    played, sampled = play_agents(module(), games, turns)
    assert played > least[0] and sampled > least[1]


@pytest.mark.slow
def test_a_new_build_is_the_module_that_is_kept(tmp_path: Path) -> None:
    """With the pinned llvmlite and the linker named in the manifest it has the same bytes; else it plays the same."""
    subprocess.run([sys.executable, "-m", "scripts.release.wasm.build", str(tmp_path)], check=True, cwd=ROOT)
    built, kept = WasmModule(tmp_path), module()
    assert built.manifest["kernels"] == kept.manifest["kernels"]
    if built.manifest["built_with"] == kept.manifest["built_with"]:
        assert (tmp_path / "planetwars.wasm").read_bytes() == (KEPT / "planetwars.wasm").read_bytes()
    assert play_bots(built, 60, 200) > 5000
    assert play_agents(built, 9, 60)[0] > 150
