"""Fixed window: cut every `size - overlap` units, whatever stands there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before
from ragchunk.spans import Span
from ragchunk.strategies.base import Sized
from ragchunk.units import Pieces, token_pieces, word_pieces


@dataclass(frozen=True)
class Window(Sized):
    """Windows of `size` units, each starting `size - overlap` units after the one before.

    >>> Window(size=4, overlap=1).spans("abcdefgh")
    [Span(start=0, end=4), Span(start=3, end=7), Span(start=6, end=8)]

    In characters no grapheme cluster is cut: a window ends at the last cluster boundary it
    reaches, so the overlap may come out smaller than asked. Windows of words and tokens end
    with their last word or token, without the white space behind it.
    """

    name: ClassVar[str] = "window"
    label: ClassVar[str] = "Fixed window"
    summary: ClassVar[str] = "A cut every size minus overlap units."

    @property
    def first(self) -> int:
        """The size of the first window, from the start of the text."""
        return self.size

    def windows(self, text: str) -> list[Span]:
        if self.unit == "characters":
            return _character_windows(text, self.size, self.overlap, self.first)
        words = self.unit == "words"
        row = word_pieces(text) if words else token_pieces(text, self.model)
        return _piece_windows(text, row, self.size, self.overlap, self.first)

    def describe(self) -> str:
        step = self.size - self.overlap
        return f"A cut every {step:,} {self.unit if step != 1 else self.unit[:-1]}."


def _character_windows(text: str, size: int, overlap: int, first: int) -> list[Span]:
    spans: list[Span] = []
    start, end = 0, _reach(text, 0, first)
    while True:
        spans.append(Span(start, end))
        if end == len(text):
            return spans
        # `start` is a boundary, so cluster scans never look behind it.
        follow = boundary_at_or_after(text, max(end - overlap, start + 1), start)
        reached = _reach(text, follow, size)
        while reached <= end:  # a large cluster keeps the window from growing: move on
            follow = boundary_at_or_after(text, follow + 1, follow)
            reached = _reach(text, follow, size)
        start, end = follow, reached


def _reach(text: str, start: int, size: int) -> int:
    """Where a window of `size` characters from `start` ends: at least one whole cluster further."""
    limit = start + size
    if limit >= len(text):
        return len(text)
    end = boundary_at_or_before(text, limit, start)
    return end if end > start else boundary_at_or_after(text, limit, start)


def _piece_windows(text: str, row: Pieces, size: int, overlap: int, first: int) -> list[Span]:
    starts, before = row.starts, row.before
    count = len(starts)
    spans: list[Span] = []
    begin, last = 0, _reach_piece(before, 0, first)
    while True:
        spans.append(Span(starts[begin], _end_before(text, starts, last)))
        if last == count:
            return spans
        begin = max(begin + 1, bisect_left(before, before[last] - overlap, 0, last))
        reached = _reach_piece(before, begin, size)
        while reached <= last:  # a piece of many units keeps the window from growing: move on
            begin += 1
            reached = _reach_piece(before, begin, size)
        last = reached


def _reach_piece(before: Sequence[int], first: int, size: int) -> int:
    """One past the last piece of a window from piece `first`: at least one whole piece."""
    return max(bisect_right(before, before[first] + size, first) - 1, first + 1)


def _end_before(text: str, starts: Sequence[int], piece: int) -> int:
    """Where the text before `piece` ends, without the white space behind it."""
    limit = starts[piece] if piece < len(starts) else len(text)
    end = limit
    while text[end - 1].isspace():
        end -= 1
    return end if end == limit else boundary_at_or_after(text, end, starts[piece - 1])
