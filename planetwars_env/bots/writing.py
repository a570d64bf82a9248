"""A new strategy file to start from: the template with a name put in."""

import keyword
import re
from errno import EEXIST
from pathlib import Path

from planetwars_env.files import write_atomically

_TEMPLATE = Path(__file__).with_name("template.py.txt")


def write_strategy(name: str, folder: Path = Path()) -> Path:
    """Write ``my_name.py`` with a class ``MyName`` into ``folder`` and return its path.

    ValueError where the name makes no Python name; FileExistsError rather than overwriting anything.
    """
    words = re.findall(r"[A-Za-z]+|[0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))
    file, cls = "_".join(words).lower(), "".join(word[:1].upper() + word[1:] for word in words)
    if not cls.isidentifier() or keyword.iskeyword(cls):
        raise ValueError(f"{name!r} makes no name for a class: use letters and digits, a letter first")
    path = folder / f"{file}.py"
    text = _TEMPLATE.read_text(encoding="utf-8")
    for mark, value in (("CLASS_NAME", cls), ("STRATEGY_NAME", name), ("FILE_NAME", path.name)):
        text = text.replace(mark, value.replace("\\", "\\\\").replace('"', '\\"'))
    if path.exists():
        raise FileExistsError(EEXIST, "it is there already, and stays as it is", str(path))
    write_atomically(path, text.encode())
    return path
