"""Submissions of a class: one per student, from files, folders and archives as Moodle, Canvas or a teacher lay them out.

The student's name is taken from the file's or folder's name:

- Moodle: ``Ada Lovelace_12345_assignsubmission_file_``, a folder, or the beginning of a file's name: Ada Lovelace.
- Canvas: ``lovelaceada_LATE_12345_678_strategy.py``: lovelaceada. All files of one student belong together.
- Otherwise the name of the folder, or of the file without its ending.

A file is graded without the files beside it, which are other students'. A submission of several files is a folder or .zip.
"""

import hashlib
import re
import shutil
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from planetwars_env.arena.contestants import Submission, contestant_of, distinct_names, numbered_names
from planetwars_env.bots.catalogue import Kind, Player, kind_of
from planetwars_env.bots.program import command_words, program_label
from planetwars_env.text import clean_name, clean_text, slug

_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<rest>.*)", re.DOTALL)
_CANVAS = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_\d+_(?P<rest>.+)", re.DOTALL)
_AGAIN = re.compile(r"-\d+(?=\.[^.]+$)")
"""Number that Canvas adds to the name of a file that was handed in again."""
_LONGEST_LABEL, _LONGEST_PLACE, _LONGEST_FAULT = 60, 1_000, 1_000


class _Part(NamedTuple):
    """A file or folder of a student. ``key``: tells students of one name apart; ``name``: of the file, without the prefix."""

    student: str
    key: str
    path: Path
    name: str


def find_submissions(given: Sequence[str], staging: Path) -> list[Submission]:
    """Return the submissions, by student. ValueError where there are none, and for what does not exist.

    ``given``: one folder, which holds one file or folder per student, or each submission. Files of a submission that do not
    lie in a folder of their own are copied to one below ``staging``, which is made anew.
    """
    programs = [one for one in given if kind_of(one) is Kind.PROGRAM]
    paths = [Path(one) for one in given if one not in programs]
    if missing := [str(path) for path in paths if not path.exists()]:
        raise ValueError(f"{', '.join(missing)}: there is no such file or folder")
    if len(given) == 1 and paths and paths[0].is_dir():
        paths = sorted(path for path in paths[0].iterdir() if not path.name.startswith((".", "__")))
    students: dict[str, list[_Part]] = {}
    for part in map(_part_of, paths):
        if part is not None:
            students.setdefault(part.key, []).append(part)
    shutil.rmtree(staging, ignore_errors=True)
    students |= {one: [] for one in programs}
    found = [_submission(key, parts, staging) for key, parts in students.items()]
    if not found:
        raise ValueError(f"{', '.join(given)} holds no submissions: one file, folder or .zip per student is needed")
    # The file or folder tells students of one name apart, and from bots. Where even these look the same, as names with
    # unprintable characters may, a number does.
    named = distinct_names([Player(one.student, Kind.FILES, one.place) for one in found])
    distinct = [
        one._replace(student=name, player=one.player and one.player._replace(name=name))
        for one, name in zip(found, numbered_names(player.name for player in named), strict=True)
    ]
    return sorted(distinct, key=lambda one: one.student.casefold())


def _part_of(path: Path) -> _Part | None:
    """Return a student's file or folder; None for a text that was typed into Moodle."""
    for name, inside in ((path.name, ""), (path.absolute().parent.name, path.name)):
        if found := _MOODLE.fullmatch(name):
            if found["kind"] == "onlinetext":
                return None
            return _Part(found["name"], f"moodle {found['id']}", path, inside or found["rest"])
        if not inside and not path.is_dir() and (found := _CANVAS.fullmatch(name)):
            return _Part(found["name"], f"canvas {found['id']}", path, _AGAIN.sub("", found["rest"]))
    return _Part(path.name if path.is_dir() else path.stem, str(path.absolute()), path, path.name)


def _submission(key: str, parts: Sequence[_Part], staging: Path) -> Submission:
    """Return a student's submission, of a program (``key``) where there are no parts.

    Whatever reading its files raises is its fault, and stops nobody else.
    """
    label, place = (parts[0].student, parts[0].path) if parts else (program_label(command_words(key)), key)
    student, place = clean_name(label, _LONGEST_LABEL).strip() or "?", clean_name(place, _LONGEST_PLACE)
    try:
        # The name of the folder is the same whoever else has handed in.
        own = f"{slug(label, 40)}-{hashlib.sha256(key.encode(errors='surrogateescape')).hexdigest()[:8]}"
        source = str(_source(parts, staging / own).absolute()) if parts else key
        kind = kind_of(source)
        if kind not in (Kind.FILES, Kind.PROGRAM):
            folders = (
                sorted(one.name for one in part.path.iterdir()) if part.path.is_dir() else [part.name] for part in parts
            )
            names = clean_name(", ".join([*chain.from_iterable(folders)][:5]) or "nothing", 200)
            raise ValueError(f"there is no Python file in it: found {names}")
        return Submission(student, place, contestant_of(Player(student, kind, source)))
    except Exception as fault:
        text = str(fault) if isinstance(fault, OSError | ValueError) else f"{type(fault).__name__}: {fault}"
        return Submission(student, place, None, clean_text(text, _LONGEST_FAULT))


def _source(parts: Sequence[_Part], staging: Path) -> Path:
    """Return the file or folder of a student, copied below ``staging`` unless it is a folder or .zip of its own."""
    if links := [part.path.name for part in parts if part.path.is_symlink()]:
        raise ValueError(f"{clean_name(links[0])} is a link: a submission consists of files of its own")
    path = parts[0].path
    if len(parts) == 1 and (path.is_dir() or path.suffix == ".zip") and str(path).isprintable():
        inside = [one for one in path.iterdir() if not one.name.startswith((".", "__"))] if path.is_dir() else []
        return inside[0] if len(inside) == 1 and inside[0].suffix == ".zip" else path
    staging.mkdir(parents=True)
    for part in parts:
        name = Path(Path(part.name).name.strip(".") or part.path.name)
        printable = str(name) if str(name).isprintable() else clean_name(name.stem, 30) + clean_name(name.suffix, 30)
        to = staging / printable
        if part.path.is_dir():
            shutil.copytree(part.path, to, symlinks=True)  # links are an error when the strategy is read
        elif part.path.is_file():
            shutil.copyfile(part.path, to)
        else:
            raise ValueError(f"{clean_name(part.path.name)} is not a file")
    files = list(staging.iterdir())
    return files[0] if len(files) == 1 and files[0].suffix in (".py", ".zip") else staging
