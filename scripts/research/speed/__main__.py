"""Speed of what decisions rest on, beside `planetwars benchmark`: python -m scripts.research.speed [TABLE...].

environments: Gymnasium's and Stable-Baselines3's, with those that they are compared with. sizes: larger graphs.
start: a new process up to its first step, without machine code on disk and with it. phases: the parts of a step, each alone.
isolated: games of strategies in processes of their own. Only by name: steps: a step of a batch here and `--against` other
commits. memory: what one core reads and writes. peers: other environments.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import gymnasium
import numpy as np
import typer
from stable_baselines3.common.vec_env import DummyVecEnv

import planetwars_env as pw
from planetwars_env.arena.games import open_player, play_game
from planetwars_env.arena.isolation import Isolated
from planetwars_env.benchmark import Measurement, Reading, machine, markdown, measure, open_batch, rates
from planetwars_env.bots.bot_codes import BOTS
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.bots.compiled import play_bot
from planetwars_env.bots.entry_points import make_scratch
from planetwars_env.codec.actions import carry_out_turn
from planetwars_env.codec.limits import Limits
from planetwars_env.codec.observation import write_mask, write_observation
from planetwars_env.engine.kernel import kernel
from planetwars_env.engine.turn import end_turn
from planetwars_env.engine.visibility import look
from scripts.research.speed import commits
from scripts.research.speed.peers import peers

SECONDS = 0.5
OPTIONS: dict[str, Any] = {"opponent": "ai1", "graphs": "test"}


def environments() -> Measurement:
    """Return the table of environments; resets at the end of each episode count, as in a training loop."""
    name = "PlanetWars-v0"
    makers: dict[str, tuple[int, Callable[[], Any]]] = {
        "gymnasium.make CartPole-v1": (1, partial(gymnasium.make, "CartPole-v1")),
        "gymnasium.make": (1, partial(gymnasium.make, name, **OPTIONS)),
        "gymnasium.make, flat": (1, partial(gymnasium.make, name, observation="flat", **OPTIONS)),
        "SyncVectorEnv": (16, partial(gymnasium.make_vec, name, 16, vectorization_mode="sync", **OPTIONS)),
        "AsyncVectorEnv": (16, partial(gymnasium.make_vec, name, 16, vectorization_mode="async", **OPTIONS)),
        "pw.make_vec": (16, partial(pw.make_vec, name, 16, **OPTIONS)),
        "pw.make_vec, 1,024": (1024, partial(pw.make_vec, name, 1024, **OPTIONS)),
        "pw.make_vec, 1,024, copy=False": (1024, partial(pw.make_vec, name, 1024, copy=False, **OPTIONS)),
        "pw.make_vec, 1,024, flat": (1024, partial(pw.make_vec, name, 1024, observation="flat", **OPTIONS)),
        "pw.make_vec, 1,024, order": (1024, partial(pw.make_vec, name, 1024, actions="order", **OPTIONS)),
    }
    for actions in ("turn", "order"):
        options = {"observation": "flat", "actions": actions, **OPTIONS}
        alone = partial(gymnasium.make, name, **options)
        makers[f"pw.make_sb3_vec_env, {actions}"] = (256, partial(pw.make_sb3_vec_env, name, 256, **options))
        makers[f"DummyVecEnv, {actions}"] = (256, partial(DummyVecEnv, [alone] * 256))

    def read() -> Iterator[Reading]:
        for label, (games, make) in makers.items():
            env = make()
            yield Reading((label, games), *rates(_steps(env, games), SECONDS))
            env.close()

    return Measurement("Environments: against ai1, pool test", "env steps/s", ("environment", "games"), read)


def _steps(env: Any, games: int) -> Callable[[], int]:
    """Return work on an environment of any kind: a step with a random action, after the masks where SB3 asks for them."""
    masks: Callable[[], Any] = lambda: None  # noqa: E731
    if isinstance(env, DummyVecEnv):
        masks = lambda: np.stack(env.env_method("action_masks"))  # noqa: E731
    elif hasattr(env, "env_method"):
        masks = env.action_masks
    space = getattr(env, "single_action_space", env.action_space)
    space.seed(0)
    actions = [[space.sample() for _ in range(games)] for _ in range(max(4, 256 // games))]
    actions = [action[0] if isinstance(env, gymnasium.Env) else np.array(action) for action in actions]
    env.reset()

    def work() -> int:
        for action in actions:
            masks()
            answer = env.step(action)
            if isinstance(env, gymnasium.Env) and (answer[2] or answer[3]):
                env.reset()
        return games * len(actions)

    return work


def sizes() -> Measurement:
    """Return the table of ns per step of a game on larger graphs, against random, on one thread."""

    def read() -> Iterator[Reading]:
        for planets in (10, 100, 1000):
            graphs = list(pw.GraphGenerator("large", 4, planets=planets))
            degree = max(graph.degree(planet.id) for graph in graphs for planet in graph.planets)
            limits = Limits(planets, max(len(graph.edges) for graph in graphs), degree, horizon=8)
            games = max(1, 16384 // planets)  # so that the caches are as full for small graphs as for large ones
            _, work = open_batch("random", games, settle=100, graphs=graphs, limits=limits)
            rate, cpu = rates(work, SECONDS)
            yield Reading(("large", planets, games), 1e9 / rate, 1e9 / cpu)

    return Measurement("Larger graphs", "ns a step", ("graphs", "planets", "games"), read)


PROGRAM = """
import gymnasium, planetwars_env
env = gymnasium.make("PlanetWars-v0", opponent="ai1")
env.reset(seed=0)
env.step(env.action_space.sample())
"""


def start() -> Measurement:
    """Return the table of new processes, each first with an empty NUMBA_CACHE_DIR and then with a filled one."""

    def read() -> Iterator[Reading]:
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("cold", "warm"):
                before = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-c", PROGRAM], env={**os.environ, "NUMBA_CACHE_DIR": folder}, check=True
                )
                yield Reading((kind,), time.perf_counter() - before)

    return Measurement("A process to its first step", "s", ("machine code on disk",), read, runs=3)


PHASES = ("agent's moves", "opponent random", "opponent ai3", "visibility (fog)", "observation", "mask", "end of turn")


@kernel
def run_phase(state, board, codec, players, observation, mask, scratch, actions, phase, bot):
    """Run one of `PHASES` for every game, with actions="turn"; ``bot``: the code of the opponent."""
    for g in range(state.status.shape[0]):
        me = players[g]
        if phase == 0:
            carry_out_turn(state, board, codec, g, me, actions, g, observation, g)
        elif phase < 3:
            play_bot(state, board, g, 1 - me, bot, scratch)
        elif phase == 3:
            look(state, board, g, me, scratch[0])
        elif phase == 4:
            write_observation(state, board, codec, g, me, 0, g, scratch, observation)
        elif phase == 5:
            write_mask(state, board, codec, g, me, g, scratch[0], mask)
        else:
            end_turn(state, board, g)


def phases() -> Measurement:
    """Return the table of the phases of a step on positions from play; a step has two turns, and its phases share loads."""

    def read() -> Iterator[Reading]:
        batch, work = open_batch("random", 1024, settle=100)
        scratch, current = make_scratch(batch.board, batch.state.people.dtype), batch.current
        before = batch.state, batch.board, batch.codec, batch.players, current.observation, current.mask, scratch
        spent, rounds = np.zeros(len(PHASES)), -1
        while rounds <= 0 or spent.sum() < 2 * SECONDS:
            work()
            kept = [array.copy() for array in batch.state]
            for phase, name in enumerate(PHASES):
                clock = time.perf_counter()
                run_phase(*before, batch.actions, phase, BOTS.get(name.removeprefix("opponent "), 0))
                spent[phase] += (time.perf_counter() - clock) * (rounds >= 0)  # the first round compiles
                for array, old in zip(batch.state, kept, strict=True):
                    array[:] = old
            rounds += 1
        for name, seconds in zip(PHASES, spent, strict=True):
            yield Reading((name,), 1e9 * seconds / rounds / 1024)

    title = "Phases of a step, each alone: 1,024 games against random, pool test"
    return Measurement(title, "ns a game", ("phase",), read)


PLAYS = """
class Mine{base}:
    def reset(self, graph, player, rules, seed):
        self.graph = graph

    def take_turn(self, view):
        own = [planet for planet in view.owned_by(view.player) if view.my_people(planet) > 20]
        return [(planet.id, other, 5) for planet in own for other in self.graph.neighbours(planet.id)]
"""


def isolated() -> Measurement:
    """Return the table of CPU seconds per game of a strategy in a process of its own, all processes together."""
    pool, games = pw.load_pool("test")[:8], 24
    kinds = ("a class", "", ""), ("pw.Strategy", "import planetwars_env as pw\n", "(pw.Strategy)")

    def read() -> Iterator[Reading]:
        for (label, head, base), turns in product(kinds, (2, 500)):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "mine.py")
                file.write_text(head + PLAYS.format(base=base))
                before, played = sum(os.times()[:4]), 0
                with Isolated(str(file)) as strategy:
                    for number in range(games):
                        players = strategy, open_player(resolve_player("ai2"))
                        outcome = play_game(players, pool[number % len(pool)], pw.PLANETWARS, (number, 0), turns)
                        played += outcome.turns
                        assert not outcome.faults[0], outcome.faults
                yield Reading((label, round(played / games)), (sum(os.times()[:4]) - before) / games)

    return Measurement("A game of a strategy in its own process", "CPU s", ("strategy", "turns"), read)


TABLES = {"environments": environments, "sizes": sizes, "start": start, "phases": phases, "isolated": isolated}
NAMED = {"memory": commits.memory, "peers": peers}


def main(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help=", ".join([*TABLES, *NAMED, "steps"]))
    ] = None,
    runs: Annotated[int, typer.Option(min=1)] = 3,
    against: Annotated[list[str] | None, typer.Option(help="Commit for the table steps; may be repeated.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Put the tables into docs/performance.md, too.")] = False,
) -> None:
    """Print the tables, by default all but those that go by name only."""
    tables = {**TABLES, **NAMED, "steps": lambda: commits.steps(against or [], runs)}
    chosen = {}
    for name in names or TABLES:
        table = tables[name]()
        chosen[name] = measure(table, range(min(runs, table.runs)))
    print(markdown({"machine": machine(), "tables": chosen}))
    page = commits.ROOT / "docs" / "performance.md"
    for name, table in chosen.items() if write else ():
        begin, end = f"<!-- made by scripts.research.speed: {name} -->\n", f"<!-- end of {name} -->"
        before, _, after = page.read_text("utf-8").partition(begin)
        text = markdown({"machine": machine(), "tables": {name: table}})
        page.write_text(f"{before}{begin}\n{text}\n{end}{after.partition(end)[2]}", "utf-8")


if __name__ == "__main__":
    typer.run(main)
