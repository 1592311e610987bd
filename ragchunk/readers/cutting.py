"""Where a text that is too long is cut."""

from __future__ import annotations

import re

# A cut further forward than this share of what is taken would leave too much out.
_LEAST = 0.8
# The better ends first: a paragraph, a line, a sentence, a word.
_ENDS = (
    re.compile(r"\n[ \t\r]*\n"),
    re.compile(r"\r?\n"),
    re.compile(r"(?<=[.!?]) |(?<=[。！？])"),
    re.compile(r"\s"),
)


def least_of(most: int) -> int:
    """How many characters of `most` are to be there at least."""
    return int(_LEAST * most)


def end_within(text: str, most: int) -> int:
    """How many of the first `most` characters to keep, so that a paragraph, else a line, ends.

    At least four fifths of them, if need be in the middle of a word.

    >>> text = "One.\\n\\nTwo. Three"
    >>> [end_within(text, most) for most in (5, 12, 40)]
    [4, 10, 16]
    """
    if len(text) <= most:
        return len(text)
    least = least_of(most)
    for end in _ENDS:
        found = [each.start() for each in end.finditer(text, least, most + 2)]
        if within := [each for each in found if least <= each <= most]:
            return within[-1]
    return most
