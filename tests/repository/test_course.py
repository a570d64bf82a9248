"""The course: its notebooks run with the solutions put in place, and every unsolved exercise is told so by its check."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

import planetwars_env as pw
from repository.test_notebooks import warnings_of
from scripts.release import run_notebooks
from scripts.release.run_notebooks import code_of
from support.attacks import assert_takes

FOLDER = run_notebooks.FOLDER / "course"
LESSONS = [f"lesson{number}" for number in range(1, 7)]
SHORTER: dict[str, dict[str, object]] = {
    "lesson2": {"GAMES": 10},
    "lesson3": {"GAMES": 10},
    "lesson4": {"GAMES": 8},
    "lesson5": {"RECORDED": 60, "STEPS": 4096, "GAMES": 4},
    "lesson6": {"GAMES": 2},
}
"""Settings of the tests that are not slow: too few games to measure a strategy, and one update of a training."""
WRITTEN = ("lesson2", "lesson3", "lesson4")
"""Lessons that write a strategy to a file, which lesson 6 plays."""
LARGEST = 60_000
"""Bytes of a notebook without outputs."""


def read(lesson: str) -> NotebookNode:
    return run_notebooks.read(FOLDER / f"{lesson}.ipynb")


def first_line(text: str) -> str:
    return text.partition("\n")[0]


def solutions_of(lesson: str) -> dict[str, str]:
    """The sections of a module of solutions, by their first lines, "# exercise 1.1"."""
    text = (FOLDER / "solutions" / f"{lesson}.py").read_text(encoding="utf-8")
    sections = [section.strip() for section in re.split(r"^(?=# exercise )", text, flags=re.MULTILINE)[1:]]
    return {first_line(section): section for section in sections}


def solved(lesson: str, settings: Mapping[str, object] | None = None) -> NotebookNode:
    """The notebook with the solutions in place of its exercises, and with other ``settings``."""
    notebook, solutions = read(lesson), solutions_of(lesson)
    for cell in code_of(notebook):
        source = str(cell.source)
        cell.source = solutions.get(first_line(source), source)
        if first_line(source) == "# settings":
            for name, value in (settings or {}).items():
                source, count = re.subn(rf"^{name} = .*$", f"{name} = {value!r}", source, flags=re.MULTILINE)
                assert count == 1, name
            cell.source = source
    return notebook


def exercises_of(lesson: str) -> list[str]:
    lines = [first_line(cell.source) for cell in code_of(read(lesson))]
    return [line.removeprefix("# exercise ") for line in lines if line.startswith("# exercise ")]


def test_all_six_are_there_with_a_module_of_solutions_each() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.ipynb")) == [f"{lesson}.ipynb" for lesson in LESSONS]
    assert sorted(path.name for path in FOLDER.glob("solutions/*.py")) == [f"{lesson}.py" for lesson in LESSONS]


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_has_a_body_to_write_a_check_and_a_solution(lesson: str) -> None:
    exercises = exercises_of(lesson)
    assert exercises == [f"{lesson[-1]}.{number}" for number in range(1, 7)][: len(exercises)]
    assert 4 <= len(exercises) <= 6
    assert list(solutions_of(lesson)) == [f"# exercise {number}" for number in exercises]
    cells = code_of(read(lesson))
    for place, cell in enumerate(cells):
        if first_line(cell.source).startswith("# exercise "):
            number = first_line(cell.source).removeprefix("# exercise ")
            assert cell.source.endswith(f'raise NotImplementedError("exercise {number}: put your code here")')
            assert first_line(cells[place + 1].source) == f"# check {number}"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_notebook_is_kept_without_outputs_and_small(lesson: str) -> None:
    assert not [cell for cell in code_of(read(lesson)) if cell.outputs or cell.execution_count]
    assert len((FOLDER / f"{lesson}.ipynb").read_bytes()) < LARGEST


CASES = [
    *(pytest.param(one, SHORTER.get(one), marks=() if one[-1] in "13" else pytest.mark.slow) for one in LESSONS),
    *(pytest.param(one, None, marks=[pytest.mark.slow, pytest.mark.timeout(3600)]) for one in SHORTER),
]
"""Lessons with settings in place of those of the students; None: as the students run them."""


@pytest.mark.long
@pytest.mark.parametrize(("lesson", "settings"), CASES)
def test_every_check_of_a_lesson_passes_with_the_solutions(
    lesson: str, settings: Mapping[str, object] | None, tmp_path: Path
) -> None:
    if lesson == "lesson6":
        for name in WRITTEN:
            shutil.copy(FOLDER / "solutions" / f"{name}.py", tmp_path)
    notebook = run_notebooks.executed(solved(lesson, settings), place=tmp_path)
    assert not warnings_of(notebook)
    said = "".join(output.text for cell in code_of(notebook) for output in cell.outputs if "text" in output)
    assert re.findall(r"^(\d\.\d) is right", said, re.MULTILINE) == exercises_of(lesson)
    if lesson in WRITTEN:
        file = tmp_path / f"{lesson}.py"
        assert file.read_text(encoding="utf-8").count("# exercise ") == len(exercises_of(lesson))
        assert pw.play_match(str(file), "random", "duel", max_turns=10).turns == 10
    if lesson == "lesson6":
        assert f"your strategies: {', '.join(f'{name}.py' for name in WRITTEN)}" in said


def test_three_moves_can_open_as_well_as_lesson_1_says() -> None:
    game, plan = pw.Game(pw.load_graph("rings")), {1: pw.Move(1, 3, 1), 3: pw.Move(1, 2, 2), 5: pw.Move(2, 4, 1)}
    while game.turn < 41:
        assert all(game.play([plan[game.turn]] if game.turn in plan else []))
    assert sum(first for first, _ in game.people()) > 270
    assert "Three moves can lead to more than 270 people" in read("lesson1").cells[-1].source


def test_the_people_of_lesson_3_take_the_planet_and_one_fewer_do_not() -> None:
    names: dict[str, Any] = {}
    exec(
        "\n".join(["from math import ceil", "import planetwars_env as pw", solutions_of("lesson3")["# exercise 3.3"]]),
        names,
    )
    assert_takes(names["needed"])


WRONG = {
    "1.1": (
        "def grown(p, s, h): return p if p > s else min(s, int(p * (1 + h / 100)))",
        "become 2; .* says 1. It rounds up",
    ),
    "1.3": (
        "def battle(d, a): return ('attacker', a - d) if a > d else ('defender', d - a)",
        "defenders count as 18, so",
    ),
    "1.5": ("def needed(d, s, h, w): return int(1.1 * d) + 1", "in the game .* people lose"),
    "2.2": ("def is_legal(view, move): return True", "is illegal; your function says True. Planet 0 is owned by None"),
    "2.3": ("def settle(view): return []", "own 1 planets on turn 59; four or more are possible"),
    "3.1": (
        "def dijkstra(e, s): return {1: 0, 2: 1, 3: 1, 4: 2}",
        "planet 4 is 5 turns from planet 1, by planet 3; yours is 2",
    ),
    "3.3": (
        "def needed(v, p, turns): return int(1.1 * p.population * (1 + p.habitability / 100) ** turns) + 2 if p.owner else 1",
        "8 are needed; your function says 1",
    ),
    "4.1": (
        "def lead(g, p): return sum((a - b) * (3 - 2 * p) for a, b in g.people())",
        "left out the people in flight",
    ),
    "4.2": (
        "def value(game, moves, turns): game.play(moves); return 0",
        "changed the game: play the moves on game.copy",
    ),
    "5.2": (
        "def split(numbers): return np.arange(len(numbers)) % 4 != 0",
        "games are in both sets, .*: decide by the game",
    ),
    "5.4": ("def fit(inputs, won, steps=1): return -inputs.T @ (won - 0.5) / len(won)", "Check the sign"),
    "6.2": ("def wilson(wins, games): return 0.0, 1.0", "28 of 40: the lower end is 0.54"),
    "6.4": (
        "def z_score(a, b, c, d): return 0.0",
        "145 of 200 against 125 of 200: z is 2.135; your function says 0.000",
    ),
}
"""Answers that are wrong in a way that students may be, and words of the message that tells them."""
TRIED = {"lesson1": 6, "lesson2": 5, "lesson3": 5, "lesson4": 4, "lesson5": 5, "lesson6": 4}
"""The number of exercises before the first that plays many games."""


@pytest.mark.long
@pytest.mark.parametrize("lesson", LESSONS)
def test_unsolved_exercises_and_wrong_answers_are_told_so_by_their_checks(lesson: str) -> None:
    solutions, names, tried = solutions_of(lesson), {"__name__": "lesson"}, 0
    given = [cell.source for cell in code_of(read(lesson))]
    for source, cell in zip(given, code_of(solved(lesson, SHORTER.get(lesson))), strict=True):
        exercise = first_line(source).removeprefix("# check ")
        if first_line(source).startswith("# check "):
            unsolved = given[given.index(source) - 1]
            with pytest.raises(NotImplementedError, match=f"exercise {exercise}: put your code here"):
                exec(f"{unsolved}\n{source}", names)
            if exercise in WRONG:
                answer, words = WRONG[exercise]
                with pytest.raises(AssertionError, match=words):
                    exec(f"{answer}\n{source}", names)
            exec(solutions[f"# exercise {exercise}"], names)
            tried += 1
        if tried == TRIED[lesson]:
            return
        exec(cell.source, names)
    pytest.fail(f"{lesson} has {tried} exercises")
