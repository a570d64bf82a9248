"""Templates of HTML pages (templates/), which escape every value that is not `Markup`."""

import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from planetwars_env.text import visible


def fill(template: str, **values: Any) -> str:
    """Return a template, or page/NAME, with its values, made printable; an unknown name is an error, `Markup` stays as it is."""
    return _environment().get_template(template).render(values)


def page_file(name: str) -> Markup:
    """Return a file of page/ (a style or a script of this package) as it is."""
    return Markup(_text("page", name))


@cache
def joined_modules(entry: str) -> Markup:
    """Return a module of web/ and all that it imports as one classic script, which defines what the module exports."""
    imports = re.compile(r'^import (\{[^}]*\}) from "\./([\w.]+)";\n', re.MULTILINE)
    exports = re.compile(r"^export (?=(?:async )?(?:class|function|const) (\w+))", re.MULTILINE)
    known: dict[str, str] = {}

    def add(name: str) -> str:
        text = _text("web", name)
        for _, other in imports.findall(text):
            if other not in known:
                known[other] = add(other)
        names = ", ".join(exports.findall(text))
        body = exports.sub("", imports.sub(r'const \1 = modules["\2"];\n', text))
        return f'modules["{name}"] = (() => {{\n{body}return {{ {names} }};\n}})();\n'

    last = add(entry)
    names = ", ".join(exports.findall(_text("web", entry)))
    joined = "".join([*known.values(), last])
    return Markup(
        f'const {{ {names} }} = (() => {{\n"use strict";\nconst modules = {{}};\n{joined}return modules["{entry}"];\n}})();\n'
    )


@cache
def _environment() -> Environment:
    made = Environment(
        autoescape=True,
        loader=FunctionLoader(lambda name: _text(*(name.split("/") if "/" in name else ("templates", name)))),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else visible(value),
    )
    made.filters["g"] = "{:.6g}".format
    # Of `tojson`, whose text cannot end the element that holds it.
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return made


def packaged(*place: str) -> bytes:
    """Return a file of this package."""
    return files("planetwars_env.render").joinpath(*place).read_bytes()


def _text(folder: str, name: str) -> str:
    return packaged(folder, name).decode().replace("\r\n", "\n")
