"""Command `planetwars new`: a strategy to start from."""

import keyword
import re
import unicodedata
from errno import EEXIST
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from planetwars_env.cli.shell import user_errors
from planetwars_env.files import write_atomically


def new(
    name: Annotated[str, Argument(help="Name of the strategy, for example 'Red Giant'.")],
    folder: Annotated[bool, Option("--folder", help="Write a folder with two modules, not one file.")] = False,
    into: Annotated[Path, Option(help="Write it below this folder.")] = Path(),
) -> None:
    """Write a strategy to start from, with comments and a test. It beats random as it is.

    \b
    Examples:
      planetwars new "Red Giant"                    # writes red_giant.py and test_red_giant.py
      planetwars new "Red Giant" --folder           # writes red_giant/ with strategy.py and planning.py
      planetwars new "Red Giant" --into strategies
    """
    with user_errors():
        path = write_strategy(name, into, folder)
    typer.echo(f"{path} and its test are written. Try it: planetwars evaluate {path} --opponents random")


_TEMPLATE = Path(__file__).with_name("template.py.txt")
_TEST = Path(__file__).with_name("template_test.py.txt")
_PLANNING = (
    '"""Plans of {cls}: the numbers behind its moves."""\n\nfrom math import ceil\n\nimport planetwars_env as pw\n'
)


def write_strategy(name: str, into: Path = Path(), as_folder: bool = False) -> Path:
    """Write a strategy with a class ``MyName`` and its test below ``into``; return the path of the strategy.

    It is ``my_name.py``, or with ``as_folder`` the folder ``my_name`` with two modules. ValueError where the name makes no Python
    name; FileExistsError rather than overwriting anything.
    """
    letters = unicodedata.normalize("NFKC", name)  # as Python reads names
    words = re.findall(r"[^\W\d_]+|[0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", letters))
    stem, cls = "_".join(words).lower(), "".join(word[:1].upper() + word[1:] for word in words)
    if not cls.isidentifier() or keyword.iskeyword(cls):
        raise ValueError(f"{name!r} is not a name for a class: use letters and digits, a letter first")
    place = into / stem if as_folder else into / f"{stem}.py"
    entry = place / "strategy.py" if as_folder else place
    test = entry.with_name("test_strategy.py" if as_folder else f"test_{stem}.py")
    main, planning = _TEMPLATE.read_text(encoding="utf-8").split("\nSPLIT_HERE\n")
    if as_folder:
        texts = {entry: main + "\n", entry.with_name("planning.py"): f"{_PLANNING.format(cls=cls)}\n\n{planning}"}
    else:
        texts = {entry: f"{main}\n\n\n{planning}"}
    texts[test] = _TEST.read_text(encoding="utf-8")
    marks = {
        "IMPORT_CEIL\n": "" if as_folder else "from math import ceil\n\n",
        "IMPORT_PLANNING\n": "from planning import people_needed\n" if as_folder else "",
        "CLASS_NAME": cls,
        "STRATEGY_NAME": name.replace("\\", "\\\\").replace('"', '\\"'),
        "FILE_NAME": place.name,
        "ENTRY_NAME": entry.name,
        "TEST_NAME": f"{place.name}/{test.name}" if as_folder else test.name,
    }
    for path in (place, *texts):
        if path.exists():
            raise FileExistsError(EEXIST, "it is there already, and stays as it is", str(path))
    for path, text in texts.items():
        for mark, value in marks.items():
            text = text.replace(mark, value)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    return place
