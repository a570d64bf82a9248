"""The soak: stretches of it are played here, and faults that are put in on purpose are found, kept and played again."""

import ast
import copy
import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planetwars_env.engine import columns
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.sim import batch as batches
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.fields import CURRENT, ORDERS, SHOWN, TERMINATED
from planetwars_env.sim.setup import Autoreset
from planetwars_env.sim.step import STEP_GAMES
from scripts.verification import fog_checks, planet_rules, reference_rules, stretch
from scripts.verification.audit import AuditedBatch, FaultError
from scripts.verification.soak import soak
from scripts.verification.stretch import play_stretch
from scripts.verification.stretch_setup import draw_stretch
from support import oracle
from support.command_line import run_script

SIZE = 0.02


def numbers_of(kind: str, count: int) -> list[int]:
    """The first stretches on boards of this kind."""
    drawn = ((n, draw_stretch(np.random.default_rng([n, 20_26]), SIZE)) for n in range(2000))
    return list(islice((n for n, one in drawn if one.kind == kind), count))


KINDS = [("classic", 6), ("symmetric", 6), ("odd", 25), ("tiny", 25), ("large", 3)]
VAST = [pytest.param(kind, 10, marks=pytest.mark.slow) for kind in ("vast", "thousand")]


@pytest.mark.parametrize(("kind", "count"), KINDS + VAST)
def test_stretches_on_boards_of_every_kind_are_without_a_fault(kind: str, count: int) -> None:
    outcomes = [play_stretch(number, SIZE) for number in numbers_of(kind, count)]
    assert [outcome.fault for outcome in outcomes] == [None] * count
    if kind not in ("vast", "thousand"):
        assert all(outcome.tally["turns"] > 50 for outcome in outcomes)
        assert any(outcome.tally[end] for outcome in outcomes for end in ("won_by_1", "won_by_2", "cut_off"))


def test_every_preset_action_space_opponent_and_reset_is_drawn() -> None:
    told = [draw_stretch(np.random.default_rng([n, 20_26])).told() for n in range(300)]
    assert {one["rules"] for one in told} == {"PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS"}
    assert {one["actions"].split(",")[0] for one in told} == {"turn", "order"}
    assert {name for one in told for name in one["opponents"]} == {"noop", "random", "ai1", "ai2", "ai3", "self"}
    assert {one["autoreset"] for one in told} == {"NEXT_STEP", "SAME_STEP", "DISABLED"}
    assert {one["boards"].split()[1] for one in told} >= {"classic", "symmetric", "large", "odd", "tiny", "vast"}


def _usual(one: Any) -> bool:
    turns = one.setup.max_turns > 90 and not one.setup.max_orders
    return one.kind == "classic" and turns and one.games >= 8 and one.steps >= 40


CLASSIC = next(n for n in range(2000) if _usual(draw_stretch(np.random.default_rng([n, 20_26]), 2 * SIZE)))
"""A stretch on classic boards of several games, in which none ends soon."""


# --- faults that are put in are found ----------------------------------------------------------------------------

ONE_MORE_PERSON = "batch.state.people[g][busy] += 1"
TAMPERED = [
    (ONE_MORE_PERSON, "people"),
    ("batch.state.people[g][busy] = -1", "people"),
    ("batch.state.flights[g, next_slot, 0] += 3", "flights"),
    ("batch.state.arrivals[g, 0, 0, 0] += 1", "arrivals"),
    ("batch.state.totals[g, columns.FLYING_1] += 1", "totals"),
    ("batch.state.status[g, columns.TURN] += 2", "status"),
    ("batch.state.status[g, columns.WINNER] = 2 - batch.state.status[g, columns.WINNER]", "status"),
    ("batch.state.random[g] += np.uint64(1)", "random"),
    ("mask[np.flatnonzero(mask == 0)[-1]] = 1", "mask"),
    ("mask[0] = 0", "mask"),
    ("shown[np.flatnonzero(shown == 0)[0]] = 1e-6", "observation"),
    ("shown[-2] *= 1.001", "observation"),
    ("batch.buffers.edge_index[CURRENT, g, 0, 1] += 1", "edge_index"),
    ("batch.buffers.result[g, TERMINATED] = 1 - batch.buffers.result[g, TERMINATED]", "result"),
    ("batch.buffers.result[g, SHOWN + 2] += 1", "result"),
    ("batch.buffers.control[g, ORDERS] += 1", "control"),
]
"""Statements that change game g of a batch, and the array in which the fault is found."""


def _busy(batch: Batch, g: int) -> tuple[int, int]:
    """A player and a planet of its in game g."""
    player, planet = np.argwhere(batch.state.people[g] > 0)[0]
    return int(player), int(planet)


def tamper(statement: str, batch: Batch, g: int) -> None:
    names = {"batch": batch, "g": g, "busy": _busy(batch, g), "columns": columns, "np": np, "CURRENT": CURRENT}
    names |= {"SHOWN": SHOWN, "TERMINATED": TERMINATED, "ORDERS": ORDERS}
    names |= {"mask": batch.buffers.mask[CURRENT, g], "shown": batch.buffers.observation[CURRENT, g]}
    names["next_slot"] = (batch.state.status[g, columns.TURN] + 1) % batch.state.flights.shape[1]
    exec(statement, names)


@pytest.mark.parametrize(("statement", "found"), TAMPERED)
def test_a_fault_is_found_in_the_step_in_which_it_happens(
    statement: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tampered_at(12, statement, monkeypatch)
    fault = play_stretch(CLASSIC, 2 * SIZE).fault
    assert fault is not None
    assert (fault["step"], fault["game"], fault["fault"]) == (12, 3, found)


def tampered_at(step: int, statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many steps of the batch that is audited, its game 3 is another one."""
    honest, steps = Batch.step, 0

    def step_and_tamper(batch: Batch) -> None:
        nonlocal steps
        honest(batch)
        steps += 1
        if steps == step:
            tamper(statement, batch, 3)

    monkeypatch.setattr(batches.Batch, "step", step_and_tamper)


def test_a_rule_that_is_broken_now_and_then_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defender lost in every hundredth battle would be seen in no single game by eye."""
    honest = Batch._run

    def with_a_leak(batch: Batch, task: int) -> None:
        honest(batch, task)
        if task == STEP_GAMES and (batch.state.totals.sum() % 100) == 7:
            g = int(np.argmax(batch.state.status[:, columns.PHASE] == columns.RUNNING))
            batch.state.people[g][_busy(batch, g)] -= 1

    monkeypatch.setattr(batches.Batch, "_run", with_a_leak)
    assert play_stretch(CLASSIC, 0.2).fault is not None


def test_a_copy_that_is_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretch.copy, "deepcopy", copy.copy)
    fault = play_stretch(CLASSIC, 2 * SIZE).fault
    assert fault is not None and "copy" in fault["fault"]


def test_a_game_that_depends_on_its_neighbours_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Batch.seed

    def seeded_by_size(batch: Batch, seed: int) -> None:
        honest(batch, seed + (batch.games == 1))

    monkeypatch.setattr(batches.Batch, "seed", seeded_by_size)
    fault = play_stretch(CLASSIC, 2 * SIZE).fault
    assert fault is not None and "alone" in fault["fault"]


def test_a_leak_of_the_fog_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = fog_checks._visible
    monkeypatch.setattr(
        fog_checks,
        "_visible",
        lambda *world: np.maximum(0, honest(*world) - (np.arange(99)[: len(honest(*world))] < 5)),
    )
    fault = play_stretch(CLASSIC, 2 * SIZE).fault
    assert fault is not None and "fog" in fault["fault"]


def test_the_reference_rules_use_the_packages_arrays_and_none_of_its_rules() -> None:
    origins = set[str]()
    for module in (planet_rules, reference_rules, oracle):
        for node in ast.walk(ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                origins.add(str(node.module))
            elif isinstance(node, ast.Import):
                origins.update(alias.name for alias in node.names)
    used = {name for name in origins if name.split(".")[0] in ("planetwars_env", "scripts")}
    arrays = {"planetwars_env.engine", "planetwars_env.engine.kernel", "planetwars_env.engine.state"}
    assert used == arrays | {"scripts.verification", "scripts.verification.planet_rules"}


# --- the command -------------------------------------------------------------------------------------------------


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    answer = run_script(soak, "--out", folder, "--jobs", 1, "--size", 2 * SIZE, *arguments)
    assert answer.exit_code == code, answer.output
    assert "Traceback" not in answer.output
    return answer.output


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()[1:]]


def test_a_soak_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    run(tmp_path, "--turns", "2000")
    log = tmp_path / "log.jsonl"
    begun = log.read_text(encoding="utf-8")
    log.write_text(begun + '{"number": 99', encoding="utf-8")  # killed while it wrote
    said = run(tmp_path, "--turns", "6000")
    assert log.read_text(encoding="utf-8").startswith(begun)
    assert sum(row["tally"]["turns"] for row in rows_of(tmp_path)) >= 6000 and "faults: 0" in said
    again = log.read_text(encoding="utf-8")
    assert run(tmp_path, "--turns", "6000") == said  # nothing is left to do
    assert log.read_text(encoding="utf-8") == again


@pytest.mark.slow
def test_processes_play_the_same_stretches(tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        run(tmp_path / jobs, "--turns", "20000", "--jobs", jobs)
    one, two = ({row["number"]: row["tally"] for row in rows_of(tmp_path / jobs)} for jobs in ("1", "2"))
    shared = one.keys() & two.keys()
    assert len(shared) > 3 and all(one[number] == two[number] for number in shared)


def test_a_fault_is_kept_and_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        tampered_at(12, ONE_MORE_PERSON, patched)
        said = run(tmp_path, "--turns", "1", "--first", str(CLASSIC), code=1)
        path = tmp_path / f"fault-{CLASSIC}.json"
        kept = json.loads(path.read_text(encoding="utf-8"))
        assert kept["step"] == 12 and kept["to reproduce"].endswith(str(path)) and str(path) in said
        assert len(kept["position"]["graph"]["planets"]) > 5
        tampered_at(12, ONE_MORE_PERSON, patched)
        assert '"step": 12' in run(tmp_path, "--replay", str(path), code=1)
    assert f"Stretch {CLASSIC} has no fault now" in run(tmp_path, "--replay", str(path))


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}\n[]\n', "\x00\n"])
def test_a_file_that_is_no_log_or_another_ones_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(f"{text}\n", encoding="utf-8")
    assert "choose another folder" in run(tmp_path, "--turns", "1", code=1)
    assert log.read_text(encoding="utf-8") == f"{text}\n"


def test_a_file_that_is_no_fault_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fault.json").write_text("{}", encoding="utf-8")
    assert "is not a fault of a soak" in run(tmp_path, "--replay", str(tmp_path / "fault.json"), code=1)
    assert "No such file" in run(tmp_path, "--replay", str(tmp_path / "none.json"), code=1)


def test_more_people_than_a_board_can_hold_are_found() -> None:
    audited = AuditedBatch(2, EnvArguments(graphs="rings").setup(Autoreset.SAME_STEP), seed=0)
    audited._most[:] = 1
    with pytest.raises(FaultError, match="more people"):
        audited.reset()
