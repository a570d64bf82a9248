"""Estimate of the tokens of a text, without the tokeniser of a model."""

import re

_PIECE = re.compile(r" ?[^\W\d_]+|[0-9]{1,3}| ?[^\w\s]+|_|\s+(?=\s)|\s")


def reckon_tokens(text: str) -> int:
    """Return about the number of tokens: words, groups of up to three digits, groups of marks, and white space before digits.

    On the texts of this package it lies within 8 % of two common tokenisers (docs/text.md).
    """
    return sum(1 for _ in _PIECE.finditer(text))
