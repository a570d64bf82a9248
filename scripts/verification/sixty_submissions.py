"""Submissions of a made-up class, to try grading and tournaments: python -m scripts.verification.sixty_submissions FOLDER.

Good ones, broken ones, hostile ones, in one and in two files, zipped, named as in Java, with the same file names, laid out as
Moodle and Canvas deliver them and as a teacher collects them by hand.
"""

import shutil
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.cli.new import write_strategy

HOSTILE = Path(__file__).resolve().parents[2] / "tests" / "hostile"
SLOW = ["procrastinator", "sleeper_in_import", "hoarder", "glutton", "spinner", "swarm"]
SLOW += ["endless_loop", "stubborn_loop"]
"""Hostile ones that use up all the time they are given."""
ILLEGAL = """import planetwars_env as pw


class Lost(pw.Strategy):
    name = "lost"

    def take_turn(self, view):
        print("nobody is there")
        return [pw.Move(planet.id, planet.id, 10**6) for planet in view.planets]
"""
BROKEN = {
    "syntax.py": "class Mine\n    pass\n",
    "missing.py": "import a_module_that_nobody_has\n",
    "empty.py": "# my strategy will be here\n",
    "raises.py": "raise RuntimeError('it worked on my machine')\n",
    "MyStrategy.java": "public class MyStrategy { }\n",
    "report.pdf": "%PDF-1.4\n",
}

Layout = Callable[[Path, str, int], str]
"""Writes the submission of a student with a number; returns the name that the grading must find."""


def moodle_file(folder: Path, student: str, number: int) -> str:
    """Write a strategy of one file."""
    write_strategy("my strategy", _moodle(folder, student, number))
    return student


def moodle_java(folder: Path, student: str, number: int) -> str:
    """Write a file that is named like its class, as in Java."""
    place = _moodle(folder, student, number)
    write_strategy("planet wars bot", place).rename(place / "PlanetWarsBot.py")
    (place / "test_planet_wars_bot.py").unlink()
    return student


def moodle_two_files(folder: Path, student: str, number: int) -> str:
    """Write a strategy of two modules, in a folder of its own."""
    write_strategy("my strategy", _moodle(folder, student, number), as_folder=True)
    return student


def moodle_zip(folder: Path, student: str, number: int) -> str:
    """Write the .zip of a strategy of two modules."""
    place = _moodle(folder, student, number)
    inside = write_strategy("my strategy", place, as_folder=True)
    shutil.make_archive(str(place / "submission"), "zip", place, inside.name)
    shutil.rmtree(inside)
    return student


def canvas_file(folder: Path, student: str, number: int) -> str:
    """Write one file with Canvas's prefix."""
    made = write_strategy("my strategy", folder / "draft")
    made.rename(folder / f"{_canvas(student)}_LATE_{number}_900_my_strategy.py")
    shutil.rmtree(folder / "draft")
    return _canvas(student)


def canvas_two_files(folder: Path, student: str, number: int) -> str:
    """Write two files with Canvas's prefix, one of them handed in for the second time."""
    made = write_strategy("my strategy", folder / "draft", as_folder=True)
    (made / "strategy.py").rename(folder / f"{_canvas(student)}_{number}_901_strategy-1.py")
    (made / "planning.py").rename(folder / f"{_canvas(student)}_{number}_902_planning.py")
    shutil.rmtree(folder / "draft")
    return _canvas(student)


def plain_folder(folder: Path, student: str, number: int) -> str:
    """Write a folder with the student's name."""
    write_strategy("my strategy", folder / student, as_folder=True)
    return student


def broken(folder: Path, student: str, number: int) -> str:
    """Write something that cannot be loaded."""
    name = list(BROKEN)[7 * number // len(LAYOUTS) % len(BROKEN)]
    (_moodle(folder, student, number) / name).write_text(BROKEN[name])
    return student


def hostile(folder: Path, student: str, number: int) -> str:
    """Write one of the hostile strategies of the tests."""
    found = sorted(path for path in HOSTILE.glob("*.py") if path.stem not in SLOW)
    shutil.copy(found[number // 2 % len(found)], _moodle(folder, student, number) / "strategy.py")
    return student


def illegal(folder: Path, student: str, number: int) -> str:
    """Write a plain file whose moves are all illegal."""
    (folder / f"{student}.py").write_text(ILLEGAL)
    return student


LAYOUTS: tuple[Layout, ...] = (
    moodle_file, moodle_java, moodle_two_files, moodle_zip, canvas_file, canvas_two_files, plain_folder, broken, hostile,
    illegal, hostile, broken,
)  # fmt: skip


def write_submissions(folder: Path, count: int = 60) -> dict[str, Layout]:
    """Write the submissions; return the students' names, as the grading must find them, with the layouts."""
    folder.mkdir(parents=True)
    found = {}
    for number, layout in zip(range(count), cycle(LAYOUTS), strict=False):
        student = f"Student {chr(65 + number % 26)}{number:02}"
        found[layout(folder, student, number)] = layout
    return found


def _moodle(folder: Path, student: str, number: int) -> Path:
    place = folder / f"{student}_{10_000 + number}_assignsubmission_file_"
    place.mkdir()
    return place


def _canvas(student: str) -> str:
    return student.replace(" ", "").lower()


def main(
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    count: Annotated[int, typer.Option(min=1, help="Number of students.")] = 60,
) -> None:
    """Write the submissions of a made-up class."""
    write_submissions(folder, count)
    typer.echo(f"{count} submissions are in {folder}: planetwars grade {folder} --out grades.csv --html")


if __name__ == "__main__":
    typer.run(main)
