"""Templates of HTML pages (templates/), which escape every value that is not `Markup`."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup


def fill(template: str, **values: Any) -> str:
    """Return a template with its values; an unknown name in it is an error. `Markup` stands in it as it is."""
    return _environment().get_template(template).render(values)


def page_file(name: str) -> Markup:
    """Return a file of page/ (HTML, a style or a script of this package) as it is."""
    return Markup(_text("page", name))


@cache
def _environment() -> Environment:
    made = Environment(
        autoescape=True,
        loader=FunctionLoader(lambda name: _text("templates", name)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["g"] = "{:.6g}".format
    # Of `tojson`, whose text cannot end the element that holds it.
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return made


def _text(folder: str, name: str) -> str:
    return files("planetwars_env.render").joinpath(folder, name).read_text(encoding="utf-8")
