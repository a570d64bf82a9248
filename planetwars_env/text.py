"""Texts from outside (files, strategies, command lines), made harmless before they are kept or shown.

Strategies name themselves, files carry names, errors quote what they found: any of these may hold escape sequences for
terminals, characters that turn the reading direction, or lone surrogates, which no file takes. `clean_name` and `clean_text`
write such characters as visible escapes. `csv_cell` and `markdown_cell` keep programs that show tables from obeying a cell.
"""

LONGEST_NAME = 100
"""Characters of a strategy's or graph's name."""
LONGEST_TEXT = 8_000
"""Characters of a text of several lines, such as a traceback."""
_FORMULAS = "=+-@\t\r"
"""Characters at the start of a cell that make spreadsheets calculate."""
_MARKUP = {mark: f"\\{mark}" for mark in "\\`[]|"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": " "}


def clean_name(value: object, longest: int = LONGEST_NAME) -> str:
    """Return ``value`` as one line of at most ``longest`` printable characters, its beginning."""
    return _visible(_as_text(value)[:longest], "")[:longest]


def clean_text(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return ``value`` as lines of printable characters, at most ``longest`` in all, its end."""
    return _visible(_as_text(value)[-longest:], "\n\t")[-longest:]


def csv_cell(text: str) -> str:
    """Return ``text`` so that no spreadsheet takes it for a formula: a quotation mark (') stands before it where needed."""
    return f"'{text}" if text.startswith(tuple(_FORMULAS)) else text


def markdown_cell(text: str) -> str:
    """Return ``text`` as plain text of a Markdown table: no HTML, no links, no further cell."""
    return "".join(_MARKUP.get(one, one) for one in text)


def _as_text(value: object) -> str:
    """The text of any value. Some values have none: numbers of thousands of digits, lists nested too deeply."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} that cannot be written as text"


def _visible(text: str, kept: str) -> str:
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in kept else _escape(one) for one in text)


def _escape(one: str) -> str:
    """A space for any kind of space, else the code of the character as in Python: \\x1b, \\u202e."""
    return " " if one.isspace() and ord(one) > 0x7F and one not in "\u2028\u2029\x85" else ascii(one)[1:-1]
