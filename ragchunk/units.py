"""How long a piece of text is: in characters, words, or tokens of a model.

A *character* is a code point. A *word* is a run without white space, so Japanese or Thai text may
be one word. The *tokens* of a span are the tokens, of one tokenisation of the whole document, that
start in it; characters without a token belong to the token before.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import regex

from ragchunk.graphemes import boundary_at_or_before, cluster_starts
from ragchunk.memo import per_text
from ragchunk.tokens import DEFAULT_MODEL, token_starts

Unit = Literal["characters", "words", "tokens"]
UNITS: tuple[str, ...] = get_args(Unit)

WORD = re.compile(r"\S+")
# Only these can pull the white space before a word into the word's first cluster.
JOINS_WHITE_SPACE = regex.compile(r"\s[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]")


class Ruler(Protocol):
    """Measures spans of one text in one unit."""

    def measure(self, start: int, end: int) -> int:
        """Length of the characters `start` to `end`, in the unit."""
        ...

    def pieces(self, start: int, end: int) -> list[int]:
        """Starts, from `start` on, of the pieces of a span that no cut of this unit divides."""
        ...


@dataclass(frozen=True, slots=True)
class CharacterRuler:
    """Code points; the indivisible piece is a grapheme cluster."""

    text: str

    def measure(self, start: int, end: int) -> int:
        return end - start

    def pieces(self, start: int, end: int) -> list[int]:
        return cluster_starts(self.text, start, end)


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as a row of indivisible pieces.

    `starts[i]` is where piece i begins, on a cluster boundary; it goes on to the next start.
    `before[i]` is how many units begin before it, with one entry more for the end of the text.
    """

    starts: Sequence[int]
    before: Sequence[int]


@dataclass(frozen=True, slots=True)
class CountingRuler:
    """Words or tokens, known by where each one begins."""

    text: str
    starts: Sequence[int]
    row: Pieces
    # A span that begins inside a word holds the rest of that word, which reads as a word. The rest
    # of a token is no token: by definition a token counts where it starts.
    counts_torn_start: bool

    def measure(self, start: int, end: int) -> int:
        whole = bisect_left(self.starts, end) - bisect_left(self.starts, start)
        torn = self.counts_torn_start and start < end and inside_word(self.text, start)
        return whole + torn

    def pieces(self, start: int, end: int) -> list[int]:
        first = bisect_left(self.row.starts, start)
        last = bisect_left(self.row.starts, end)
        inner = list(self.row.starts[first:last])
        return inner if inner and inner[0] == start else [start, *inner]


def ruler(text: str, unit: Unit, model: str = DEFAULT_MODEL) -> Ruler:
    """The ruler of `text` in `unit`; `model` names whose tokens are counted."""
    if unit == "characters":
        return CharacterRuler(text)
    if unit == "words":
        return CountingRuler(text, word_starts(text), word_pieces(text), True)
    return CountingRuler(text, token_starts(text, model), token_pieces(text, model), False)


def inside_word(text: str, position: int) -> bool:
    """Whether a cut at `position` tears a word in two."""
    return (
        0 < position < len(text)
        and not text[position].isspace()
        and not text[position - 1].isspace()
    )


@per_text
def word_starts(text: str) -> array[int]:
    """Where each word of `text` begins."""
    return array("i", [word.start() for word in WORD.finditer(text)])


@per_text
def word_pieces(text: str) -> Pieces:
    """The words of `text` as pieces."""
    starts = word_starts(text)
    if text.isascii() or not JOINS_WHITE_SPACE.search(text):
        return Pieces(starts, range(len(starts) + 1))
    return Pieces(*_on_boundaries(text, starts))


@per_text
def token_pieces(text: str, model: str) -> Pieces:
    """The tokens of `text` as pieces; tokens that begin in one cluster are one piece."""
    starts = token_starts(text, model)
    begin = next((i for i, character in enumerate(text) if not character.isspace()), None)
    if begin is None:
        return Pieces([], [0])
    if not starts:
        return Pieces([boundary_at_or_before(text, begin)], [0, 0])
    moved, before = _on_boundaries(text, starts)
    # Characters before the first token have no token before them: they go with its whole piece.
    first = boundary_at_or_before(text, min(begin, starts[0]))
    return Pieces(array("i", [first]) + moved[1:], before)


def _on_boundaries(text: str, starts: Sequence[int]) -> tuple[array[int], array[int]]:
    """`Pieces` with each start moved back to its cluster's; starts that meet become one piece."""
    moved = array("i")
    before = array("i")
    floor = 0
    for count, start in enumerate(starts):
        start = boundary_at_or_before(text, start, floor)
        if not moved or start > moved[-1]:
            moved.append(start)
            before.append(count)
            floor = start
    before.append(len(starts))
    return moved, before


# Thai, Lao, Burmese, Khmer, kana and Han: written without spaces between words.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


@per_text
def is_unspaced(text: str) -> bool:
    """Whether much of `text` is in a script without spaces, where a word can be a sentence."""
    start = text[:20_000]
    return len(UNSPACED.findall(start)) > len(start) / 5
