"""Texts from outside: whatever they hold, what is kept and shown is printable, and short."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetwars_env.text import LONGEST_TEXT, clean_name, clean_text, csv_cell, markdown_cell, slug

ANY = st.text(st.characters(exclude_categories=()))
"""Control characters and lone surrogates too."""


@given(ANY, st.integers(1, 300))
def test_names_are_one_printable_line_and_texts_are_printable_lines(text: str, longest: int) -> None:
    name, lines = clean_name(text, longest), clean_text(text, longest)
    assert name.isprintable() and lines.replace("\n", "").replace("\t", "").isprintable()
    assert max(len(name), len(lines)) <= longest
    assert (name.encode().decode(), lines.encode().decode()) == (name, lines)
    assert clean_name(name, longest) == name


def test_every_character_that_is_not_printable_becomes_visible() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert clean_name(every, 10 * len(every)).isprintable()


@pytest.mark.parametrize("text", ["ai1", "Müller's bot", "战略", "a <b> & c | d", "", "x" * 100, "🚀"])
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    assert clean_name(text) == clean_text(text) == text


def test_commands_of_terminals_reading_directions_and_surrogates_are_shown_as_codes() -> None:
    assert clean_name("\x1b[2J\x9b\u202e\u2066\ud800\n") == r"\x1b[2J\x9b\u202e\u2066\ud800\n"
    assert clean_text("one\n\ttwo\r\u2028") == "one\n\ttwo" + r"\r\u2028"


def test_names_keep_their_beginning_and_texts_their_end() -> None:
    assert clean_name("a" * 200 + "b") == "a" * 100
    assert clean_text("a" * 10_000 + "b") == "a" * (LONGEST_TEXT - 1) + "b"


def test_values_without_a_text_are_named_by_their_kind() -> None:
    nest: list[object] = []
    for _ in range(100_000):
        nest = [nest]
    assert clean_name(nest) == "a list that cannot be written as text"
    assert clean_name(10**5_000) == "a int that cannot be written as text"
    while nest:  # or taking it apart overflows the stack
        nest = nest.pop()  # type: ignore[assignment]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "", "ai1", "a=b", "1"])
def test_no_cell_is_a_formula_and_the_others_stay(text: str) -> None:
    assert csv_cell(text) == (text if text in ("", "ai1", "a=b", "1") else f"'{text}")


def test_a_cell_of_markdown_is_plain_text() -> None:
    assert markdown_cell("<b>a|b</b> [x](http://y) *z*\n`q`") == (r"&lt;b&gt;a\|b&lt;/b&gt; \[x\](http://y) *z* \`q\`")


def test_parts_of_file_names_hold_letters_digits_and_hyphens() -> None:
    assert slug("ai1 against me/you on test/3.") == "ai1-against-me-you-on-test-3"
    assert slug("Ada M. Lovelace", 7) == "Ada-M-L"
    assert slug("Ada Lovelace", 4) == "Ada"
    assert slug("../战略") == ""
