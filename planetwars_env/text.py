"""Sanitising of texts from files, strategies and command lines, before they are stored or shown.

Strategies name themselves, files carry names, errors quote what they found: any of these may hold escape sequences for
terminals, characters that turn the reading direction, or lone surrogates, which no file takes. `clean_name`, `clean_text` and
`visible` write such characters as visible escapes, and `slug` and `file_name` leave out what file names should not hold.
`csv_cell` and `markdown_cell` keep programs that show tables from obeying a cell.
"""

import re
from zlib import crc32

LONGEST_NAME = 100
"""Most characters of a strategy's or graph's name."""
LONGEST_TEXT = 8_000
"""Most characters of a text of several lines, such as a traceback."""
_LONGEST_LINE, _LONGEST_FILE_NAME = 300, 100
_FORMULAS = "=+-@\t\r"
"""Characters at the start of a cell that make spreadsheets calculate."""
_MARKUP = {mark: f"\\{mark}" for mark in "\\`[]|"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": " "}


def clean_name(value: object, longest: int = LONGEST_NAME) -> str:
    """Return the beginning of ``value`` as one line of at most ``longest`` printable characters."""
    return visible(_as_text(value)[:longest], "")[:longest]


def clean_text(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return the end of ``value`` as lines of printable characters, at most ``longest`` in total."""
    return visible(_as_text(value)[-longest:])[-longest:]


def visible(text: str, kept: str = "\n\t") -> str:
    """Return the whole text with every character that is neither printable nor ``kept`` as its escape code."""
    # Any kind of space becomes a space, any other character its escape code as in Python, such as \x1b and \u202e.
    codes = {
        ord(sign): " " if sign.isspace() and ord(sign) > 0x7F and sign not in "\u2028\u2029\x85" else ascii(sign)[1:-1]
        for sign in set(text)
        if not sign.isprintable() and sign not in kept
    }
    return text.translate(codes) if codes else text


def last_line(text: str) -> str:
    """Return the beginning of the last line, which says in a traceback what was wrong."""
    return (text.strip().splitlines() or [""])[-1][:_LONGEST_LINE]


def slug(text: str, longest: int | None = None) -> str:
    """Return ``text`` as a part of file names: its beginning in ASCII letters and digits, with hyphens between."""
    return re.sub(r"[^a-zA-Z0-9]+", "-", text)[:longest].strip("-")


def file_name(label: str) -> str:
    """Return a file name for a label, the same for no other; names that differ only in marks have these spelt out."""
    name = re.sub(r"[^a-zA-Z0-9]", lambda mark: "-" if mark[0] == " " else f"_{ord(mark[0]):x}", label)
    if len(name) <= _LONGEST_FILE_NAME:
        return name
    return f"{name[:_LONGEST_FILE_NAME]}-{crc32(label.encode(errors='replace')):08x}"


def csv_cell(text: str) -> str:
    """Return ``text`` so that no spreadsheet reads it as a formula: with a leading quotation mark (') if necessary."""
    return f"'{text}" if text.startswith(tuple(_FORMULAS)) else text


def markdown_cell(text: str) -> str:
    """Return ``text`` escaped for a cell of a Markdown table: no HTML, no links, no new cell."""
    return "".join(_MARKUP.get(mark, mark) for mark in text)


def _as_text(value: object) -> str:
    """Return the text of any value; some have none, such as numbers of thousands of digits."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} that cannot be written as text"
