"""Templates of HTML pages (templates/), which escape every value that is not `Markup`."""

import re
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
def joined_modules(entry: str) -> Markup:
    """Return a module of web/ and all that it imports as one classic script, which defines what the module exports."""
    imports = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        text = _text("web", name)
        for other in imports.findall(text):
            if other not in texts:
                add(other)
        texts[name] = imports.sub("", text)

    add(entry)
    exported = re.findall(r"^export (?:async )?(?:class|function|const) (\w+)", texts[entry], re.MULTILINE)
    body = re.sub("^export ", "", "".join(texts.values()), flags=re.MULTILINE)
    names = ", ".join(exported)
    return Markup(f'const {{ {names} }} = (() => {{\n"use strict";\n{body}return {{ {names} }};\n}})();\n')


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
